"""For whom somebody may make documents, and what it may do with those that are there.

A document is of whoever brought it; only a curator replaces or removes what others brought.

One rule for all who write, whichever door they come through. Knows no door and no store.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from sextant.errors import Conflict, Forbidden
from sextant.types import Document, Scope

NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Mandate:
    """The personas that somebody acts for, None being all, and whether it says who sees what.

    The owner is who it is, nobody being whoever runs the store; a curator decides for all owners.
    """

    personas: frozenset[str] | None = None
    chooses: bool = False
    owner: str = ""
    curates: bool = True

    def audience(self, asked: Collection[str]) -> frozenset[str]:
        """Return who is to see a new document: those asked for, or all that it acts for."""
        if self.personas is None:
            return frozenset(asked)
        if not self.personas.issuperset(asked):
            raise Forbidden(
                "This caller may not give documents to that persona.", "Use one of its own."
            )
        return frozenset(asked) or self.personas

    def touches(self, document: Document) -> bool:
        """Whether a document that is there may be replaced or removed."""
        if not self.owns(document):
            return False
        is_open = self.personas is None or not document.personas
        return is_open or not document.personas.isdisjoint(self.personas or NOBODY)

    def owns(self, document: Document) -> bool:
        """Whether a document is its own to change, or anybody's is."""
        return self.curates or document.owner == self.owner

    def successor(self, old: Document, new: Document, ruled: frozenset[str] = NOBODY) -> Document:
        """Return a document as it may take the place of another, which keeps those who see it.

        Only who acts for all personas takes it away from anybody, or gives it to more; and so do
        the rules of the settings, by the personas that they name for it.
        """
        if self.personas is None:
            return new
        if self.chooses and new.personas != old.personas:
            raise Forbidden(
                "This caller may not change who sees a document that is there.",
                "Leave the personas out, or give it another id.",
            )
        if ruled:
            return replace(new, personas=old.personas | ruled) if old.personas else new
        return replace(new, personas=old.personas)


ANYBODY = Mandate()


def mandate_of(scope: Scope, *, chooses: bool = False) -> Mandate:
    """Return whom a scope acts for: who asks as some personas, for these only."""
    personas = scope.personas or scope.acts_for
    return Mandate(personas, chooses, scope.user or "", scope.curates)


def id_taken() -> Conflict:
    """Return what is said of an id that somebody else holds, whether or not one sees whose."""
    return Conflict(
        "That id is taken.",
        "Choose another one, or ask somebody with the role admin to replace what is there.",
    )
