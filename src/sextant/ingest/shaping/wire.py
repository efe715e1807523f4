"""What goes between a process that asks and one that reads: orders there, answers back.

An order comes from us and is trusted. An answer may come from a process that a hostile file has
taken over: it can hold values and nothing else, and what only we may say is compared.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from sextant import errors
from sextant.errors import BrokenFile, SextantError, TooMuch
from sextant.ingest.extract.claims import Claim
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.read import read
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.ingest.shaping.shape import FINGERPRINT, ITEM, SOURCE, Shaping, drafts_of
from sextant.ingest.values import Item
from sextant.limits import check_changes, check_vector
from sextant.types import Chunk, Document, Entity, Put, Relation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Order:
    """An item to read: what is known of it from outside, and its bytes."""

    path: str
    data: bytes
    media_type: str
    modified: datetime | None
    url: str
    fingerprint: str
    marks: Marks


@dataclass(frozen=True, slots=True)
class Shaped:
    """The documents of an item, what format it had, and what to tell the user."""

    drafts: tuple[Draft, ...]
    format: str
    notes: tuple[str, ...]


class _Sent(msgspec.Struct, array_like=True, frozen=True):
    document: Document
    chunks: tuple[Chunk, ...]
    claims: tuple[Claim, ...]
    stated: tuple[Entity, ...]
    facts: tuple[Relation, ...]
    links: tuple[Relation, ...]
    references: tuple[Relation, ...]
    given: dict[str, bytes]
    blanked: dict[str, str]


class _Documents(msgspec.Struct, array_like=True, frozen=True, tag=True):
    drafts: tuple[_Sent, ...]
    format: str
    notes: tuple[str, ...]


class _Refused(msgspec.Struct, array_like=True, frozen=True, tag=True):
    error: str
    message: str
    hint: str


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Documents | _Refused)


def shaping_to_send(shaping: Shaping) -> bytes:
    """Return how documents are made, without what is only known or done on this side."""
    return pickle.dumps(replace(shaping, ruling=Ruling(), extractor=None))


def order_to_send(order: Order) -> bytes:
    """Return an order as bytes."""
    return pickle.dumps(order)


def received_shaping(data: bytes) -> Shaping:
    """Return what was sent."""
    shaping: Shaping = pickle.loads(data)  # noqa: S301 - our parent wrote it
    return shaping


def answer_to(data: bytes, shaping: Shaping, most_megabytes: int) -> bytes:
    """Read and shape what is ordered; return the documents, or the error that says why not."""
    try:
        order: Order = pickle.loads(data)  # noqa: S301 - our parent wrote it
        return _ENCODER.encode(_read(order, shaping))
    except MemoryError:
        error: SextantError = too_much_memory(most_megabytes)
    except SextantError as raised:
        error = raised
    except Exception as raised:
        error = BrokenFile(f"It cannot be read: {type(raised).__name__}.", "Save it again.")
    return _ENCODER.encode(_Refused(type(error).__name__, error.message, error.hint))


def too_much_memory(megabytes: int) -> TooMuch:
    """Return why something is refused that needs more memory than one file may."""
    return TooMuch(
        f"Reading it takes more than {megabytes:,} MB of memory.",
        "Split it, or raise ingest.read_megabytes.",
    )


def received_answer(data: bytes, order: Order, shaping: Shaping) -> Shaped:
    """Return the documents that an order brought, or raise why there are none."""
    try:
        answer = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _no_answer() from None
    if isinstance(answer, _Refused):
        kind = getattr(errors, answer.error, None)
        known = isinstance(kind, type) and issubclass(kind, SextantError)
        raise (kind if known and kind else BrokenFile)(answer.message, answer.hint)
    drafts = tuple(_draft(sent, order, shaping) for sent in answer.drafts)
    return Shaped(drafts, answer.format, answer.notes)


def _read(order: Order, shaping: Shaping) -> _Documents:
    readings = read(order.path, order.data, order.media_type, order.modified)
    drafts = drafts_of(_item(order), readings, order.fingerprint, shaping, order.marks)
    for draft in drafts:
        _check(draft, shaping)
    notes = [note for reading in readings for note in reading.notes]
    if any(reading.vectors for reading in readings):
        from sextant.ingest.shaping.vectors import notes_on_vectors

        notes += notes_on_vectors(readings, shaping.embedder)
    kind = readings[0].source_type if readings else ""
    return _Documents(tuple(map(_sent, drafts)), kind, tuple(notes))


def _item(order: Order) -> Item:
    return Item(order.path, lambda: order.data, len(order.data), order.modified, order.url)


def _sent(draft: Draft) -> _Sent:
    return _Sent(
        draft.document,
        draft.chunks,
        draft.claims,
        draft.stated,
        draft.facts,
        draft.links,
        draft.references,
        {name: vector.tobytes() for name, vector in draft.given.items()},
        dict(draft.blanked),
    )


def _check(draft: Draft, shaping: Shaping) -> None:
    """Refuse what a source states beyond the limits, before it is weighed against others."""
    facts = tuple(replace(fact, evidence=()) for fact in draft.facts)
    chunks = draft.chunks if draft.is_fixed else ()
    stated = Put(draft.document, chunks, draft.stated, (*facts, *draft.references))
    check_changes([stated], shaping.limits)


def _draft(sent: _Sent, order: Order, shaping: Shaping) -> Draft:
    marks, document = order.marks, sent.document
    kept = {SOURCE: shaping.source, ITEM: order.path, FINGERPRINT: order.fingerprint}
    if (
        document.personas != frozenset(marks.personas)
        or document.reputation != marks.reputation
        or any(document.metadata.get(name) != value for name, value in kept.items())
    ):
        raise _no_answer()
    item = _item(order)
    item = replace(item, path=document.id) if document.id in shaping.ids else item
    shaping.check_claim(item, document.id, document.url)
    return Draft(
        replace(document, owner=shaping.ruling.owner_of(document.owner)),
        sent.chunks,
        sent.claims,
        sent.stated,
        sent.facts,
        sent.links,
        order.fingerprint,
        ruled=frozenset(marks.ruled),
        references=sent.references,
        given=_vectors(sent, shaping) if sent.given else {},
        blanked=sent.blanked,
    )


def _vectors(sent: _Sent, shaping: Shaping) -> dict[str, NDArray[np.float32]]:
    import numpy as np

    if shaping.embedder is None:
        raise _no_answer()
    width = shaping.embedder.width
    given = {name: np.frombuffer(data, np.float32) for name, data in sent.given.items()}
    return {name: check_vector(vector, width) for name, vector in given.items()}


def _no_answer() -> BrokenFile:
    return BrokenFile("Its parser gave no answer.", "Open and save it again.")
