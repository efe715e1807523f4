"""Which documents have had their day, by their metadata and by what they say of themselves.

What a text says counts against itself alone; another document falls by metadata only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sextant.retrieval.scoring.recency import changed
from sextant.types import Document

SOURCE, PATH, OUTDATED = "sextant:source", "sextant:item", "sextant:outdated"
DEDUCTION = 0.6
_PAST = frozenset({"superseded", "deprecated", "archived", "obsolete"})


def superseded(documents: Iterable[Document]) -> Mapping[str, str]:
    """Return for each document that has had its day the note that says so."""
    known = {one.id: one for one in sorted(documents, key=lambda one: one.id)}
    notes = {name: note for name, one in known.items() if (note := _own_word(one))}
    successors = [one for one in known.values() if one.metadata.get("supersedes")]
    if not successors:
        return notes
    named = _by_name(known.values())
    for successor in successors:
        for name in _names(successor.metadata["supersedes"]):
            for old in named.get(name, ()):
                if _may_replace(successor, old):
                    notes.setdefault(old.id, f"superseded by {successor.id}")
    return notes


def _own_word(document: Document) -> str:
    successor = " ".join(document.metadata.get("superseded_by", "").split())
    status = document.metadata.get("status", "").strip().casefold()
    if successor:
        return f"superseded by {successor[:200]}"
    if status in _PAST:
        return status
    said = document.metadata.get(OUTDATED, "")
    return f"outdated by its own word: {said}" if said else ""


def _by_name(documents: Iterable[Document]) -> Mapping[str, list[Document]]:
    """Return documents by their id, and by their path within their source."""
    named: dict[str, list[Document]] = {}
    for document in documents:
        for name in {document.id, document.metadata.get(PATH, document.id)}:
            named.setdefault(name, []).append(document)
    return named


def _names(value: str) -> list[str]:
    return [name.strip() for line in value.splitlines() for name in line.split(",")][:100]


def _may_replace(successor: Document, old: Document) -> bool:
    """Whether a document's word counts against another: of one source, worth as much, not older."""
    if successor.id == old.id or successor.reputation < old.reputation:
        return False
    if successor.metadata.get(SOURCE) != old.metadata.get(SOURCE):
        return False
    new, past = changed(successor), changed(old)
    return past is None or (new is not None and new >= past)
