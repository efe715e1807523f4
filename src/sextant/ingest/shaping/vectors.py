"""The vectors that documents have as they are written: those that came with them or were there.

Documents without wait for theirs, so that all can be found by words and names at once.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sextant.errors import InvalidVector
from sextant.ingest.values import Reading
from sextant.limits import check_vector
from sextant.ports import Embedder, PieceEmbedder
from sextant.text.embedding import Embedded, embedded, embedded_before, with_vectors
from sextant.text.passages import Embeddable, embeddables
from sextant.types import EmbedderIdentity, Put

_LOG = logging.getLogger(__name__)
_LITTLE = 32
"""So many chunks are embedded in a second or two."""

Vectors = Mapping[str, NDArray[np.float32]]
"""By chunk, those that came with it."""


def kept_vectors(
    reading: Reading, embedder: EmbedderIdentity | None
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the vectors to keep by chunk; one that its embedder cannot have made is refused."""
    for chunk_id, given in reading.vectors.items():
        if embedder is None or not _is_named(given.embedder, embedder):
            continue
        if len(given.values) != embedder.width:
            raise InvalidVector(
                f"The vector of the chunk {chunk_id[:80]!r} has {len(given.values):,} numbers; "
                f"those of {embedder.name} have {embedder.width:,}.",
                "Leave out contentVector or embedder, so that the text is embedded here.",
            )
        try:
            yield chunk_id, check_vector(np.array(given.values), embedder.width)
        except InvalidVector as error:
            raise InvalidVector(
                f"The vector of the chunk {chunk_id[:80]!r} cannot be used: {error.message}",
                error.hint,
            ) from None


async def embed_units(
    embedder: Embedder | None, units: Sequence[Put], old: Mapping[str, Put], given: Vectors
) -> list[Put]:
    """Give documents the vectors that came with them, or that their texts had before.

    Where the embedder can tell of pieces, a text that has none, or others, is new. What is new in a
    document that was there with vectors is embedded here, unless that is most of it and much; so it
    is where vectors came with it. Other documents are without vectors for now.
    """
    if embedder is None:
        return list(units)
    near = [unit for unit in units if _is_near(unit, old.get(unit.document.id), given)]
    embedded_units = await _embed_near(embedder, near, old, given) if near else {}
    return [
        embedded_units.get(unit.document.id) or replace(unit, vectors=None, pieces=None)
        for unit in units
    ]


def _is_near(unit: Put, old: Put | None, given: Vectors) -> bool:
    """Whether vectors came with a unit, or were there; to look at all texts takes its time."""
    is_given = any(chunk.id in given for chunk in unit.chunks)
    return is_given or (old is not None and old.vectors is not None and bool(unit.chunks))


async def _embed_near(
    embedder: Embedder, units: Sequence[Put], old: Mapping[str, Put], given: Vectors
) -> dict[str, Put]:
    """Return those of these units that get all of their vectors now, by document."""
    tells_pieces = isinstance(embedder, PieceEmbedder)
    texts = [embeddables(unit) for unit in units]
    known = {
        text: said
        for unit in units
        for text, said in embedded_before(old.get(unit.document.id)).items()
        if said.has_pieces_of(text) or not tells_pieces
    }
    if not tells_pieces:
        known |= _by_text(units, texts, given)
    at_once = [
        text
        for unit, own in zip(units, texts, strict=True)
        if _is_nearly_known(unit, own, known, given)
        for text in own
        if text not in known
    ]
    if at_once:
        try:
            known |= await embedded(embedder, list(dict.fromkeys(at_once)))
        except Exception as error:  # whoever embeds what is left finds out which text it was
            _LOG.warning("Texts that changed could not be embedded yet: %s", error)
    return {
        unit.document.id: with_vectors(unit, _said(unit, own, known, given))
        for unit, own in zip(units, texts, strict=True)
        if all(text in known for text in own)
    }


def _is_nearly_known(
    unit: Put,
    texts: Sequence[Embeddable],
    known: Mapping[Embeddable, Embedded],
    given: Vectors,
) -> bool:
    """Whether a document does not wait: most of it would be embedded again, or it is soon done."""
    new = sum(text not in known for text in texts)
    is_little = new < len(texts) and (new <= len(texts) / 2 or new <= _LITTLE)
    return is_little or any(chunk.id in given for chunk in unit.chunks)


def _by_text(
    units: Sequence[Put], texts: Sequence[Sequence[Embeddable]], given: Vectors
) -> dict[Embeddable, Embedded]:
    return {
        text: Embedded(given[chunk.id])
        for unit, own in zip(units, texts, strict=True)
        for chunk, text in zip(unit.chunks, own, strict=True)
        if chunk.id in given
    }


def _said(
    unit: Put, texts: Sequence[Embeddable], known: Mapping[Embeddable, Embedded], given: Vectors
) -> list[Embedded]:
    """Return what is said of each chunk of a unit; a vector that came with it goes before all."""
    return [
        replace(known[text], vector=given.get(chunk.id, known[text].vector))
        for chunk, text in zip(unit.chunks, texts, strict=True)
    ]


def notes_on_vectors(
    readings: Iterable[Reading], embedder: EmbedderIdentity | None
) -> Iterator[str]:
    """Yield whose vectors were not kept, and how many."""
    own = embedder.name if embedder else ""
    others = Counter(
        given.embedder
        for reading in readings
        for given in reading.vectors.values()
        if embedder is None or not _is_named(given.embedder, embedder)
    )
    for name, count in sorted(others.items()):
        yield (
            f"{count} vectors of {name[:80]} were left out; texts are embedded here, by "
            f"{own or 'no embedder'}."
        )


def _is_named(name: str, embedder: EmbedderIdentity) -> bool:
    """Whether a name is an embedder's, by itself or as a status tells it."""
    return name in (embedder.name, f"{embedder.name} ({embedder.width})")
