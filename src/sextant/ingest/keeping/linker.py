"""The names that a tenant's documents claim, and documents linked by them. Knows no store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sextant.ingest.extract.index import Audience, Changed, Names
from sextant.ingest.extract.link import link
from sextant.ingest.extract.mentions import Finder
from sextant.ingest.keeping.draft import Draft, claims_in
from sextant.ingest.keeping.references import Cited, relations_said
from sextant.types import Definition, Put


class Linker:
    """Counts who claims which name, and seeks in a document the names that its audience sees."""

    def __init__(self) -> None:
        self._names = Names()
        self._finders: dict[Audience, Finder] = {}

    def learn(self, definitions: Sequence[Definition]) -> None:
        """Count in what is defined in the store."""
        for one in definitions:
            self._names.add(claims_in(one.entity), one.personas)

    def count_in(self, drafts: Iterable[Draft]) -> None:
        """Count in what documents claim that are to be written."""
        for draft in drafts:
            self._names.add(draft.claims, draft.document.personas)

    def count_out(self, drafts: Iterable[Draft]) -> None:
        """Count out what documents claim that were not written after all."""
        for draft in drafts:
            self._names.remove(draft.claims, draft.document.personas)

    def count_stored_in(self, units: Iterable[Put]) -> None:
        """Count in what documents of the store claim."""
        for unit in units:
            for entity in unit.entities:
                self._names.add(claims_in(entity), unit.document.personas)

    def count_stored_out(self, units: Iterable[Put]) -> None:
        """Count out what documents of the store claim."""
        for unit in units:
            for entity in unit.entities:
                self._names.remove(claims_in(entity), unit.document.personas)

    def note_changes(self) -> Changed:
        """Return what changed hands, and seek by the names as they are now."""
        changed = self._names.changed()
        if changed.entities or changed.spellings:
            self._finders.clear()
        return changed

    def linked(self, draft: Draft, cited: Cited) -> Put:
        """Link a document by the names that all who may see it may see."""
        audience = draft.document.personas
        names = self._names.seen_by(audience)
        if audience not in self._finders:
            self._finders[audience] = Finder(names.sought())
        unit = link(draft, names, self._finders[audience])
        said = relations_said(draft.document, unit.chunks, cited, names.final)
        return link(draft, names, self._finders[audience], said) if said else unit
