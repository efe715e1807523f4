"""Documents that were asked about before they had vectors, so that they get theirs first."""

from __future__ import annotations

from collections.abc import Iterable

from sextant.types import Scope

_MOST = 1_000
"""Beyond so many of a tenant, those that were asked about first wait like all others."""


class Wanted:
    """By tenant, which documents without vectors were met, the last ones first. Knows no store.

    Whoever asks notes them; whoever embeds takes them. Nothing is kept when the process ends.
    """

    def __init__(self) -> None:
        self._met: dict[str, dict[str, None]] = {}

    def note_asked(self, scope: Scope, document_ids: Iterable[str]) -> None:
        """Note that a question met passages of these documents that have no vectors yet."""
        met = self._met.setdefault(scope.tenant, {})
        for document_id in document_ids:
            met.pop(document_id, None)
            met[document_id] = None
        while len(met) > _MOST:
            del met[next(iter(met))]

    def take(self, scope: Scope, most: int) -> list[str]:
        """Return those that were asked about last, and forget them here."""
        met = self._met.get(scope.tenant, {})
        taken = list(reversed(met))[:most]
        for document_id in taken:
            del met[document_id]
        return taken
