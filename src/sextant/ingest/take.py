"""From items to drafts, a handful at a time: loaded in a thread, read elsewhere. Knows no store."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass

from sextant.errors import BrokenFile, SextantError, TooMuch, UnknownFormat
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.known import KnownItem
from sextant.ingest.read import format_of
from sextant.ingest.shaping.shape import Shaping, with_extracted_names
from sextant.ingest.shaping.wire import Order, Shaped
from sextant.ingest.threads import in_thread
from sextant.ingest.values import Item, Refusal

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
class Loaded:
    """An item that is to be read, and what is ordered of the process that reads it."""

    item: Item
    order: Order

    @property
    def path(self) -> str:
        """Which item it is."""
        return self.item.path


Settled = Taken | Unchanged | Refusal
Outcome = Settled | Loaded


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


def load(
    items: Iterable[Item | Refusal], shaping: Shaping, known: Mapping[str, KnownItem]
) -> list[Outcome]:
    """Load items that are not known yet; what cannot be had, or nobody reads, is a refusal."""
    return [
        one if isinstance(one, Refusal) else _load(one, shaping, known.get(one.path))
        for one in items
    ]


def _load(item: Item, shaping: Shaping, known: KnownItem | None) -> Outcome:
    try:
        data, marks = item.load(), shaping.marks(item)
        fingerprint = shaping.fingerprint(item, data, marks)
        if known and known.is_whole(fingerprint):
            return Unchanged(item.path, len(known.documents))
        format_of(item.path, item.media_type, data[:_HEAD])
        own = (item.path, data, item.media_type, item.modified, item.url)
        return Loaded(item, Order(*own, fingerprint, marks))
    except Exception as error:  # whatever a file makes anybody do stays with it
        return refusal_of(item.path, error)


async def taken(path: str, read: Shaped | SextantError, shaping: Shaping) -> Taken | Refusal:
    """Return what became of an item that was read, with the names that an extractor finds."""
    if isinstance(read, SextantError):
        return refusal_of(path, read)
    drafts = read.drafts
    if shaping.extractor:
        try:
            drafts = await in_thread(with_extracted_names, drafts, shaping)
        except Exception as error:  # it reads what others wrote, and stays with that
            return refusal_of(path, error)
    return Taken(path, drafts, read.format, read.notes)


def refusal_of(path: str, error: Exception) -> Refusal:
    """Return why an item was not taken in; a format that nobody reads is skipped."""
    if isinstance(error, SextantError):
        return Refusal(path, error, skipped=isinstance(error, UnknownFormat))
    if isinstance(error, RecursionError | MemoryError):
        return Refusal(path, TooMuch(f"{path} is nested too deeply or too large.", "Split it up."))
    _LOG.warning("Reading %s failed.", path, exc_info=error)
    reason = f"{path} could not be read ({type(error).__name__})."
    return Refusal(path, BrokenFile(reason, "Open it to see whether it is whole."))
