"""Counting what becomes of a run's documents, and telling whoever listens."""

from __future__ import annotations

from collections.abc import Sequence

from sextant.errors import SextantError
from sextant.ingest.keeping.draft import Draft, is_derived
from sextant.ingest.keeping.missing import References
from sextant.ingest.report import Emit, Report
from sextant.ingest.shaping.shape import ITEM, SOURCE
from sextant.ingest.values import Refusal
from sextant.types import Document, Put


def _is_opened(before: Document, now: Document) -> bool:
    return bool(before.personas) and not (now.personas and now.personas <= before.personas)


class Tally:
    """The report as it grows, and the documents that this run has or will have taken in."""

    def __init__(self, emit: Emit, lists_documents: bool = False) -> None:
        self.report = Report()
        self.kept: set[str] = set()
        self.pretended: list[Put] = []
        self.references = References()
        self._emit, self._lists_documents = emit, lists_documents
        self._pending: dict[tuple[str, str], int] = {}

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Note that an item is done once all these documents are."""
        metadata = drafts[0].document.metadata
        self._pending[metadata[SOURCE], metadata[ITEM]] = len(drafts)
        for draft in drafts:
            self.references.add(draft)

    def finish(self) -> None:
        """Count an item as done."""
        self.report.done += 1
        self._emit(self.report)

    def written(self, unit: Put, before: Put | None) -> None:
        """Count a document that is durable now; another run may have brought the same meanwhile."""
        if self._lists_documents:
            self.report.listed.append(unit.document)
        if before and unit.key == before.key:
            self.report.unchanged += 1
            self.report.name([unit.document.id])
            self._finish_part(unit)
            return
        report = self.report
        report.updated += before is not None
        report.added += before is None
        report.name([unit.document.id])
        if before and _is_opened(before.document, unit.document):
            seen_by = tuple(sorted(before.document.personas))
            report.opened.setdefault(seen_by, []).append(unit.document.id)
        report.chunks += len(unit.chunks)
        report.entities += len(unit.entities)
        report.relations += sum(1 for one in unit.relations if not is_derived(one))
        self._finish_part(unit)

    def refused(self, unit: Put, error: SextantError) -> None:
        """Count a document that the store would not take."""
        self.report.refuse(Refusal(unit.document.metadata[ITEM], error))
        self._finish_part(unit)

    def would_write(self, unit: Put, before: Put | None) -> None:
        """Count a document that a dry run would write, and keep it for who has more to tell."""
        self.pretended.append(unit)
        self.written(unit, before)

    def reread(self, unit: Put, before: Put | None) -> None:
        """Count what a model added to a document."""
        if before:
            self.report.entities += len(unit.entities) - len(before.entities)
            self.report.relations += len(unit.relations) - len(before.relations)
        self.tell()

    def tell(self) -> None:
        """Tell whoever listens how far it is."""
        self._emit(self.report)

    def removed(self, count: int) -> None:
        """Count documents that are gone."""
        self.report.removed += count
        self._emit(self.report)

    def _finish_part(self, unit: Put) -> None:
        item = unit.document.metadata[SOURCE], unit.document.metadata[ITEM]
        if item in self._pending:
            self._pending[item] -= 1
            if not self._pending[item]:
                del self._pending[item]
                self.report.done += 1
        self._emit(self.report)
