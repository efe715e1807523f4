"""Lessons side by side: each passage once, however many of them look at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from bench.teaching.encoder import Encoder
from bench.teaching.lessons import Course, Ids, Lesson
from bench.teaching.padding import Padded, mean, means, padded

Item = tuple[Course, Lesson]
_NOWHERE = (0, 0, 1)
"""A span for what is not there; what is read of it does not count."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions, passages, and a row for each question of the pieces that are looked at.

    A span is the number of a passage, and from which of its tokens to which a piece goes.
    """

    questions: Padded
    passages: Padded
    spans: torch.Tensor
    known: torch.Tensor
    answers: torch.Tensor


@dataclass(frozen=True, slots=True)
class Vectors:
    """What an encoder says of a batch."""

    questions: torch.Tensor
    passages: torch.Tensor
    pieces: torch.Tensor


def batch_of(items: Sequence[Item], device: str) -> Batch:
    """Return these lessons side by side."""
    places: dict[tuple[str, int], int] = {}
    texts, spans = list[Ids](), []
    for course, lesson in items:
        for passage, _ in lesson.looked_at:
            if (course.name, passage) not in places:
                places[course.name, passage] = len(texts)
                texts.append(course.passages[passage].ids)
        spans.append(
            [
                (places[course.name, passage], *course.passages[passage].pieces[piece])
                for passage, piece in lesson.looked_at
            ]
        )
    most = max(map(len, spans))
    return Batch(
        padded([lesson.ids for _, lesson in items], device),
        padded(texts, device),
        torch.tensor([own + [_NOWHERE] * (most - len(own)) for own in spans], device=device),
        torch.tensor([[at < len(own) for at in range(most)] for own in spans], device=device),
        torch.tensor([_filled(lesson.answers, most) for _, lesson in items], device=device),
    )


def vectors_of(encoder: Encoder, batch: Batch) -> Vectors:
    """Return what an encoder says of the questions, of the passages, and of the pieces in them."""
    rows = encoder.rows(batch.passages)
    return Vectors(
        encoder.vectors(batch.questions), mean(rows, batch.passages), means(rows, batch.spans)
    )


def _filled(answers: Sequence[bool], most: int) -> list[bool]:
    return [*answers, *[False] * (most - len(answers))]
