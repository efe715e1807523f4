"""Lessons side by side: each passage once, however many of them look at it.

Lessons of one organisation stand together, since they look at the same few passages.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from bench.teaching.encoder import Encoder
from bench.teaching.lessons import Course, Lesson
from bench.teaching.padding import Padded, mean, means, padded

Item = tuple[Course, int]
"""A course, and the number of one of its lessons."""

_TOGETHER, _COURSES = 32, 2
_NOWHERE = (0, 0, 1)
"""A span for what is not there; what is read of it does not count."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions, passages, and a row for each question of the pieces that are looked at.

    A place is where a passage comes from. A span is the number of a passage, and from which of its
    tokens to which a piece goes.
    """

    items: Sequence[Item]
    places: Sequence[tuple[Course, int]]
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


def drawn(courses: Sequence[Course], dice: random.Random) -> list[list[Item]]:
    """Return all lessons that tell something, in groups of a few courses each, in any order."""
    groups: list[list[Item]] = []
    for course in courses:
        telling = [at for at, lesson in enumerate(course.lessons) if lesson.is_telling]
        dice.shuffle(telling)
        groups += [
            [(course, at) for at in telling[begin : begin + _TOGETHER]]
            for begin in range(0, len(telling), _TOGETHER)
        ]
    dice.shuffle(groups)
    return [
        [item for group in groups[begin : begin + _COURSES] for item in group]
        for begin in range(0, len(groups), _COURSES)
    ]


def batch_of(items: Sequence[Item], device: str) -> Batch:
    """Return these lessons side by side."""
    lessons = [course.lessons[at] for course, at in items]
    numbers: dict[tuple[str, int], int] = {}
    places, spans = list[tuple[Course, int]](), []
    for (course, _), lesson in zip(items, lessons, strict=True):
        for passage, _ in lesson.looked_at:
            if (course.name, passage) not in numbers:
                numbers[course.name, passage] = len(places)
                places.append((course, passage))
        spans.append(
            [
                (numbers[course.name, passage], *course.passages[passage].pieces[piece])
                for passage, piece in lesson.looked_at
            ]
        )
    most = max(map(len, spans))
    return Batch(
        items,
        places,
        padded([lesson.ids for lesson in lessons], device),
        padded([course.passages[at].ids for course, at in places], device),
        torch.tensor([own + [_NOWHERE] * (most - len(own)) for own in spans], device=device),
        torch.tensor([[at < len(own) for at in range(most)] for own in spans], device=device),
        torch.tensor([_answers(lesson, most) for lesson in lessons], device=device),
    )


def vectors_of(encoder: Encoder, batch: Batch) -> Vectors:
    """Return what an encoder says of the questions, of the passages, and of the pieces in them."""
    rows = encoder.rows(batch.passages)
    return Vectors(
        encoder.vectors(batch.questions), mean(rows, batch.passages), means(rows, batch.spans)
    )


def _answers(lesson: Lesson, most: int) -> list[bool]:
    return [*lesson.answers, *[False] * (most - len(lesson.answers))]
