"""Which tags, personas, source type and reputation a document gets, by its path or address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from sextant.errors import ConfigError, InvalidInput

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from sextant.settings import Rule

_USUAL = 0.5


@dataclass(frozen=True, slots=True)
class Marks:
    """What the rules say of one document."""

    tags: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    source_type: str = ""
    reputation: float = _USUAL
    ruled: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The personas that a rule names; left out of what a document is known by."""


@dataclass(frozen=True)
class Ruling:
    """Rules in the order of the settings, then what was asked for on the spot.

    A pattern counts wherever in a path it stands, so that a rule that hides something hides it from
    whichever folder it is taken in.
    """

    rules: tuple[Rule, ...] = ()
    asked: Marks = Marks()

    def marks(self, *paths: str) -> Marks:
        """Add up the rules that match one of a document's paths.

        Tags and personas of all of them count, of the rest the last word.
        """
        tags, personas = set(self.asked.tags), set[str]()
        source_type, reputation = "", _USUAL
        for rule, spec in zip(self.rules, self._specs, strict=True):
            if any(spec.match_file(path.partition("://")[2] or path) for path in paths):
                tags.update(rule.tags)
                personas.update(rule.personas)
                source_type = rule.source_type or source_type
                reputation = rule.reputation if rule.reputation >= 0 else reputation
        return Marks(
            tuple(sorted(tags)),
            tuple(sorted(personas.union(self.asked.personas))),
            self.asked.source_type or source_type,
            reputation,
            tuple(sorted(personas)),
        )

    @cached_property
    def _specs(self) -> Sequence[GitIgnoreSpec]:
        return [_spec(rule) for rule in self.rules]


def _spec(rule: Rule) -> GitIgnoreSpec:
    # A process that reads is given marks, and would load what matches patterns for nothing.
    from sextant.ingest.shaping.globs import git_spec

    anywhere = rule.match if rule.match.startswith(("/", "**/")) else f"**/{rule.match}"
    try:
        return git_spec([rule.match, anywhere], "a rule")
    except InvalidInput as error:
        raise ConfigError(
            f"The rule for {rule.match[:200]!r} is no pattern: {error.message}", error.hint
        ) from None
