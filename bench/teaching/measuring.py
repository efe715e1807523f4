"""What was learnt, told on knowledge that was left out, and what was kept of the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from bench.asking.curves import auroc
from bench.teaching.batches import Item, batch_of, vectors_of
from bench.teaching.encoder import Encoder
from bench.teaching.fitting import DEVICE
from bench.teaching.lessons import Course, Ids
from bench.teaching.original import all_vectors

_BATCH = 32
AMONG = (1, 2, 3, 5)

Likely = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""How likely pieces are what questions ask for, from the vectors of both."""


@dataclass(frozen=True, slots=True)
class Measured:
    """For how many questions an answer is among the first pieces, and how well near misses show."""

    answered: int
    among: Sequence[float]
    auroc: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came of a lesson: where its first answer is, if it has one, and the highest odds."""

    item: Item
    place: int | None
    highest: float


def measured(encoder: Encoder, likely: Likely, courses: Sequence[Course]) -> Measured:
    """Return how well an encoder does, by what is said of pieces alone."""
    items = [(course, at) for course in courses for at in range(len(course.lessons))]
    asked = [
        one
        for at in range(0, len(items), _BATCH)
        for one in _asked(encoder, likely, items[at : at + _BATCH])
    ]
    places = [one.place for one in asked if one.place is not None]
    among = [sum(place < most for place in places) / max(1, len(places)) for most in AMONG]
    return Measured(len(places), among, _auroc(asked))


def nearness(encoder: Encoder, original: Encoder, texts: Sequence[Ids]) -> float:
    """Return the mean cosine of the vectors of these texts to what they were."""
    both = all_vectors(encoder, texts), all_vectors(original, texts)
    return float(functional.cosine_similarity(*both).mean())


def _asked(encoder: Encoder, likely: Likely, items: Sequence[Item]) -> list[_Asked]:
    batch = batch_of(items, DEVICE)
    with torch.no_grad():
        vectors = vectors_of(encoder, batch)
        odds = likely(vectors.questions[:, None].expand_as(vectors.pieces), vectors.pieces)
    odds = odds.masked_fill(~batch.known, -torch.inf)
    best = odds.masked_fill(~batch.answers, -torch.inf).amax(1, keepdim=True)
    places = (odds > best).sum(1).tolist()
    highest = odds.amax(1).tolist()
    answered = batch.answers.any(1).tolist()
    return [
        _Asked(item, place if own else None, most)
        for item, place, own, most in zip(items, places, answered, highest, strict=True)
    ]


def _auroc(asked: Sequence[_Asked]) -> float:
    """Return how often a question with an answer is above one without.

    A question is as likely answered as that of its parts which is least so.
    """
    odds: dict[tuple[bool, str, str], float] = {}
    for one in asked:
        course, at = one.item
        lesson = course.lessons[at]
        key = (lesson.is_answerable, course.name, lesson.question)
        odds[key] = min(one.highest, odds.get(key, one.highest))
    right, wrong = ([own for key, own in odds.items() if key[0] is side] for side in (True, False))
    return auroc(right, wrong) if right and wrong else float("nan")
