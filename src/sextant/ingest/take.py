"""From items to drafts, a handful at a time, so that it can run in a thread. Knows no store."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace

from sextant.errors import BrokenFile, SextantError, TooMuch, UnknownFormat
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.known import KnownItem
from sextant.ingest.read import format_of, is_risky, read
from sextant.ingest.shaping.shape import Shaping, drafts_of
from sextant.ingest.shaping.vectors import notes_on_vectors
from sextant.ingest.values import Item, Reading, Refusal
from sextant.limits import Limits, check_changes
from sextant.types import Put

_LOG = logging.getLogger(__name__)
_HEAD = 4_096
_AT_ONCE, _BYTES = 32, 1_000_000


@dataclass(frozen=True, slots=True)
class Taken:
    """An item that was read: its documents, what format it had, and what to tell the user."""

    path: str
    drafts: tuple[Draft, ...]
    format: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unchanged:
    """An item that is in the store as it is."""

    path: str
    documents: int


@dataclass(frozen=True, slots=True)
class Risky:
    """An item whose format is only read in a process of its own."""

    item: Item
    data: bytes
    fingerprint: str


Settled = Taken | Unchanged | Refusal
Outcome = Settled | Risky


async def handfuls(
    found: AsyncIterator[Item | Refusal],
) -> AsyncGenerator[list[Item | Refusal], None]:
    """Put items together, so that handing them to a thread is worth it."""
    held: list[Item | Refusal] = []
    size = 0
    async for one in found:
        held.append(one)
        size += one.size if isinstance(one, Item) else 0
        if len(held) >= _AT_ONCE or size >= _BYTES:
            yield held
            held, size = [], 0
    if held:
        yield held


def take(
    items: Iterable[Item | Refusal], shaping: Shaping, known: Mapping[str, KnownItem]
) -> list[Outcome]:
    """Read items that are not known yet; what cannot be read is a refusal."""
    return [
        one if isinstance(one, Refusal) else _take(one, shaping, known.get(one.path))
        for one in items
    ]


def _take(item: Item, shaping: Shaping, known: KnownItem | None) -> Outcome:
    try:
        data = item.load()
        fingerprint = shaping.fingerprint(item, data)
        if known and known.is_whole(fingerprint):
            return Unchanged(item.path, len(known.documents))
        if is_risky(format_of(item.path, item.media_type, data[:_HEAD])):
            return Risky(item, data, fingerprint)
        readings = read(item.path, data, item.media_type, item.modified)
        return taken(item, readings, fingerprint, shaping)
    except Exception as error:  # whatever a file makes a parser do stays with it
        return refusal_of(item.path, error)


def taken(item: Item, readings: list[Reading], fingerprint: str, shaping: Shaping) -> Taken:
    """Return what was read as drafts."""
    drafts = drafts_of(item, readings, fingerprint, shaping)
    for draft in drafts:
        _check(draft, shaping.limits)
    notes = (
        *(note for reading in readings for note in reading.notes),
        *notes_on_vectors(readings, shaping.embedder),
    )
    return Taken(item.path, tuple(drafts), readings[0].source_type if readings else "", notes)


def _check(draft: Draft, limits: Limits) -> None:
    """Refuse what a source states beyond the limits, before it is weighed against others."""
    facts = tuple(replace(fact, evidence=()) for fact in draft.facts)
    chunks = draft.chunks if draft.is_fixed else ()
    check_changes([Put(draft.document, chunks, draft.stated, (*facts, *draft.references))], limits)


def refusal_of(path: str, error: Exception) -> Refusal:
    """Return why an item was not taken in; a format that nobody reads is skipped."""
    if isinstance(error, SextantError):
        return Refusal(path, error, skipped=isinstance(error, UnknownFormat))
    if isinstance(error, RecursionError | MemoryError):
        return Refusal(path, TooMuch(f"{path} is nested too deeply or too large.", "Split it up."))
    _LOG.warning("Reading %s failed.", path, exc_info=error)
    reason = f"{path} could not be read ({type(error).__name__})."
    return Refusal(path, BrokenFile(reason, "Open it to see whether it is whole."))
