"""Which paths a user wants to leave out. Knows patterns as Git writes them, no file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sextant.ingest.sources.names import archive_kind
from sextant.ingest.sources.rules import SourceRules

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".sextantignore"


@dataclass(frozen=True, slots=True)
class Ignores:
    """The ignore files from the top of a tree down to a folder; the deepest that speaks decides."""

    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def and_of(self, folder: str, text: str) -> Ignores:
        """Return these and the patterns that a folder adds; paths end in a slash, or are empty."""
        return Ignores((*self.levels, (folder, _spec(text.splitlines(), IGNORE_FILE))))

    def hide(self, path: str) -> bool:
        """Say whether a path is left out; a folder's ends in a slash."""
        for folder, spec in reversed(self.levels):
            verdict = spec.check_file(path.removeprefix(folder)).include
            if verdict is not None:
                return verdict
        return False


@dataclass(frozen=True, slots=True)
class Wanted:
    """The include and exclude patterns of the rules."""

    include: GitIgnoreSpec | None
    exclude: GitIgnoreSpec | None

    def takes(self, path: str) -> bool:
        """Say whether the rules want this file."""
        if self.exclude is not None and self.exclude.match_file(path):
            return False
        return self.include is None or self.include.match_file(path)

    def takes_or_opens(self, path: str) -> bool:
        """Say whether the rules want this file, or may want something in it if it is an archive."""
        return self.takes(path) or (archive_kind(path) is not None and self.enters(path))

    def enters(self, folder: str) -> bool:
        """Say whether the rules may want anything of a folder, whose path ends in a slash."""
        return self.exclude is None or not self.exclude.match_file(folder)


def wanted(rules: SourceRules) -> Wanted:
    """Prepare the patterns of the rules."""
    return Wanted(
        _spec(rules.include, "include") if rules.include else None,
        _spec(rules.exclude, "exclude") if rules.exclude else None,
    )


def _spec(lines: Iterable[str], where: str) -> GitIgnoreSpec:
    from sextant.ingest.shaping.globs import git_spec  # most folders have no patterns

    return git_spec(lines, where)
