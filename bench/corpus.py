"""A corpus of any size, made of real sentences. Document N is the same wherever it is made.

Words and titles are real; vectors are not, but they lie as those of a sentence encoder do.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.real import pool
from sextant.types import Chunk, Document, Entity, Put, Relation

Vectors = NDArray[np.float32]

WIDTH = 384
QUERIES = 300
FRESH = 100_000_000
"""Documents from this number on are in no corpus that is measured, but speak of the same things."""

TENTH, HUNDREDTH = "tenth", "hundredth"
_SEED = 20_261
_CENTRES = 2_000
_COMMON, _TOPIC, _DOCUMENT, _OWN = (math.sqrt(share) for share in (0.10, 0.35, 0.20, 0.35))
_QUERY_COSINE = 0.6
_MENTIONS, _RELATIONS = 5, 3
_ENTITIES_PER_DOCUMENT = 0.9
_FEWEST_ENTITIES = 100
_FRESH_KNOWS = 20_000
_KINDS = ("DEPENDS_ON", "OWNED_BY", "PART_OF", "RELATED_TO")
_SOURCES = ("wiki", "runbook", "incident", "catalogue")
_START = datetime(2020, 1, 1, tzinfo=UTC)


def documents(first: int, chunks: int) -> Iterator[Put]:
    """Yield documents from a number on until there are at least this many chunks."""
    number = first
    while chunks > 0:
        yield (put := document(number))
        chunks -= len(put.chunks)
        number += 1


def count_documents(chunks: int) -> int:
    """Return how many documents it takes to have this many chunks."""
    number = 0
    while chunks > 0:
        chunks -= _chunk_count(_dice(number))
        number += 1
    return number


def document(number: int) -> Put:
    """Make one document."""
    dice = _dice(number)
    count = _chunk_count(dice)
    name = document_id(number)
    mentions = [_mentions(dice, number) for _ in range(count)]
    chunks, at = [], 0
    for index, own in enumerate(mentions):
        text = _text(dice)
        ids = tuple(entity_id(entity) for entity in own)
        chunks.append(Chunk(f"{name}#c{index}", text, at, at + len(text), entity_ids=ids))
        at += len(text) + 1
    return Put(
        _head(name, dice),
        tuple(chunks),
        tuple(entity(one) for one in sorted({one for own in mentions for one in own})),
        tuple(_relations(dice, chunks, mentions, entity_count(number))),
        vectors(number, count),
    )


def document_id(number: int) -> str:
    """Return a document's id."""
    return f"d{number:07d}"


def _dice(number: int) -> random.Random:
    return random.Random(number * 1_000_003 + _SEED)


def _chunk_count(dice: random.Random) -> int:
    return dice.randint(1, 8)


def _text(dice: random.Random) -> str:
    """Make a passage of 80 to 120 words from runs of sentences."""
    passages, wanted = pool().passages, dice.randint(75, 105)
    sentences: list[str] = []
    words = 0
    while words < wanted:
        passage = passages[int(dice.random() * len(passages))]
        for sentence in passage[int(dice.random() * len(passage)) :]:
            sentences.append(sentence)
            words += sentence.count(" ") + 1
            if words >= wanted:
                break
    return " ".join(sentences)


def _head(name: str, dice: random.Random) -> Document:
    titles, place = pool().titles, dice.random()
    tags = {f"team-{dice.randrange(20)}"}
    tags.update({TENTH} if place < 0.10 else {HUNDREDTH} if place < 0.11 else ())
    created = _START + timedelta(hours=dice.randrange(50_000))
    return Document(
        name,
        titles[dice.randrange(len(titles))],
        f"https://example.org/{name}",
        dice.choice(_SOURCES),
        tags=frozenset(tags),
        personas=frozenset({"operations"} if dice.random() < 0.02 else ()),
        created=created,
        modified=created + timedelta(hours=dice.randrange(5_000)),
    )


def entity_count(document_count: int) -> int:
    """Return how many entities the first documents draw from: one for every five chunks."""
    counted = document_count if document_count < FRESH else _FRESH_KNOWS
    return max(_FEWEST_ENTITIES, int(counted * _ENTITIES_PER_DOCUMENT))


def _mentions(dice: random.Random, number: int) -> list[int]:
    """Draw entities by Zipf's law from those that exist by now."""
    spread = math.log(entity_count(number) + 1)
    drawn = (int(math.exp(dice.random() * spread)) - 1 for _ in range(_MENTIONS))
    return sorted(set(drawn))


def entity_id(number: int) -> str:
    """Return an entity's id; 0 is the greatest hub."""
    return f"e{number}"


def entity(number: int) -> Entity:
    """Make one entity, named as a real thing."""
    names = pool().names
    again, at = divmod(number, len(names))
    name = f"{names[at]} {again + 1}" if again else names[at]
    short = "".join(word[0] for word in name.split())
    aliases = frozenset({f"{short}-{number}"} if number % 4 == 0 else ())
    return Entity(entity_id(number), name, "thing", aliases)


def _relations(
    dice: random.Random, chunks: Sequence[Chunk], mentions: Sequence[Sequence[int]], known: int
) -> Iterator[Relation]:
    """Join things that a chunk names together, and things to those that are akin to them."""
    for chunk, own in zip(chunks, mentions, strict=True):
        for at in range(_RELATIONS if len(own) > 1 else 0):
            source, target = dice.sample(own, 2)
            if at:
                target = (source + 1 + dice.randrange(4)) % known
            yield Relation(
                entity_id(source),
                entity_id(target),
                dice.choice(_KINDS),
                dice.randint(50, 100) / 100,
                evidence=(chunk.id,),
            )


@functools.cache
def _centres() -> Vectors:
    """The common direction, then the topics."""
    return _unit(np.random.default_rng(_SEED).standard_normal((1 + _CENTRES, WIDTH)))


def vectors(number: int, count: int) -> Vectors:
    """Make vectors that share a lean with all, a topic with some, and much with their document."""
    dice = np.random.default_rng((_SEED, number))
    common, topics = _centres()[0], _centres()[1:]
    topic = topics[int(_CENTRES * dice.random() ** 1.5)]
    noise = _unit(dice.standard_normal((count + 1, WIDTH)))
    shared = _COMMON * common + _TOPIC * topic + _DOCUMENT * noise[0]
    return _unit(shared + _OWN * noise[1:])


def query_vectors(document_count: int, count: int) -> Vectors:
    """Make vectors that each lie near one chunk, as a question does."""
    dice = np.random.default_rng((_SEED, document_count, count))
    near = [vectors(int(number), 1)[0] for number in dice.integers(0, document_count, count)]
    noise = _unit(dice.standard_normal((count, WIDTH)))
    return _unit(_QUERY_COSINE * np.stack(near) + math.sqrt(1 - _QUERY_COSINE**2) * noise)


def _unit(rows: NDArray[Any]) -> Vectors:
    norms = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.asarray(rows / norms, np.float32)
