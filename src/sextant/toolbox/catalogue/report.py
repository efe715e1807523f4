"""What an import did, or would do, source by source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sextant.errors import SextantError
from sextant.toolbox.catalogue.nouns import RefusedTool


@dataclass(frozen=True, slots=True)
class ChangedTool:
    """A tool that is described in another way than before, and which of its fields are new."""

    id: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlaggedTool:
    """A tool of which something is suspicious."""

    id: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissingTool:
    """A tool that is not there, and some that are related to it; it counts once it comes."""

    id: str
    related_from: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """How many relations of a source are new, changed, gone or as before."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What one source brought. An error says why it was left as it was.

    Cycles are required dependencies that lead back to where they start; each is named by its tools.
    """

    source: str
    added: tuple[str, ...] = ()
    changed: tuple[ChangedTool, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    flagged: tuple[FlaggedTool, ...] = ()
    refused: tuple[RefusedTool, ...] = ()
    relations: RelationCounts = field(default_factory=RelationCounts)
    missing: tuple[MissingTool, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    error: SextantError | None = None

    @property
    def is_change(self) -> bool:
        """Whether anything is written for it."""
        counts = self.relations
        related = counts.added or counts.changed or counts.removed
        return bool(self.added or self.changed or self.removed or related)


@dataclass(frozen=True, slots=True)
class ImportStep:
    """How far an import is: what is being done for a source, and how much of how much."""

    source: str
    doing: str
    done: int = 0
    total: int = 0


Emit = Callable[[ImportStep], None]
"""Called as an import goes on."""


def ignore_steps(_: ImportStep) -> None:
    """Listen to nothing."""
