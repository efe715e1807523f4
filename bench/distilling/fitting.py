"""Teaching the student, for so many seconds, what the teacher says and what answers a question."""

from __future__ import annotations

import math
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.distilling.student import Student, new_student
from bench.distilling.teacher import CLS, Teacher, all_vectors
from bench.distilling.texts import Dice, Texts
from bench.teaching.batches import Batch, Vectors, batch_of, drawn
from bench.teaching.head import Head, new_head
from bench.teaching.lessons import Course
from bench.teaching.losses import answering
from bench.teaching.padding import means

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_BATCH, _QUESTIONS = 512, 128
_RATE, _WARM_UP, _LEAST, _DECAY, _LONGEST = 1.5e-3, 200, 0.02, 0.01, 1.0
_ROUNDED, _SETTLED = 0.8, 0.95
"""From this share of the time on rows are rounded; from the second one on by scales that stay."""

_ALIKE, _RANKED, _SHARP = 20.0, 0.25, 0.05
_LESSON_EVERY, _LESSON, _LESSONS_FROM = 24, 0.2, 0.1
"""Lessons are few: nine rounds of them were learnt by heart, and cost the vectors two points."""

_WATCH_EVERY, _SAY_EVERY = 20, 500
_FEEDERS, _AHEAD = 12, 32
_MIDDLE = 8


@dataclass(frozen=True, slots=True)
class Taught:
    """The student, its head, and the middle of what the teacher says of passages and questions."""

    student: Student
    head: Head
    passages: torch.Tensor
    questions: torch.Tensor


@dataclass(frozen=True, slots=True)
class Asks:
    """The teacher's vectors, turned to their middle, so that cosines spread."""

    teacher: Teacher
    instruction: Sequence[int]
    passage_middle: torch.Tensor
    question_middle: torch.Tensor

    def of_passages(self, ids: torch.Tensor, known: torch.Tensor | None = None) -> torch.Tensor:
        """Return what passages are about."""
        return functional.normalize(self.teacher.vectors(ids, known) - self.passage_middle, dim=-1)

    def of_questions(self, ids: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        """Return what questions ask for; the instruction stands before them."""
        return functional.normalize(self.teacher.vectors(ids, known) - self.question_middle, dim=-1)


def fit(
    teacher: Teacher, texts: Texts, courses: Sequence[Course], layers: int, seconds: float
) -> tuple[Taught, Asks]:
    """Teach a student, and print how far it is."""
    torch.manual_seed(0)
    dice = Dice(texts, seed=0)
    asks = Asks(
        teacher,
        texts.instruction.tolist(),
        torch.cat([teacher.vectors(_on(dice.passages(_BATCH))) for _ in range(_MIDDLE)]).mean(0),
        torch.cat([_asked(teacher, dice.questions(_BATCH)) for _ in range(_MIDDLE)]).mean(0),
    )
    taught = Taught(
        new_student(teacher, layers), new_head(DEVICE), asks.passage_middle, asks.question_middle
    )
    lessons = _Lessons(taught, asks, courses) if courses else None
    steps, began = _Steps(taught), time.monotonic()
    with _Feed(texts) as batches:
        for number, (passages, questions) in enumerate(batches):
            share = (time.monotonic() - began) / seconds
            if share >= 1:
                break
            student = taught.student
            student.is_rounded = share > _ROUNDED
            student.is_watching = share < _SETTLED and number % _WATCH_EVERY == 0
            losses = _losses(student, asks, _on(passages), _on(questions))
            if lessons and share > _LESSONS_FROM and number % _LESSON_EVERY == 0:
                losses["lesson"] = _LESSON * lessons.loss()
            steps.take(torch.stack(list(losses.values())).sum(), number, share)
            if number % _SAY_EVERY == 0:
                _say(number, share, losses)
    taught.student.is_watching = False
    return taught, asks


def _losses(
    student: Student, asks: Asks, passages: torch.Tensor, questions: torch.Tensor
) -> dict[str, torch.Tensor]:
    theirs = asks.of_passages(passages)
    asked = asks.of_questions(questions, questions > 0)
    own = student.vectors(passages)
    ranked = functional.kl_div(
        functional.log_softmax(asked @ own.T / _SHARP, 1),
        functional.softmax(asked @ theirs.T / _SHARP, 1),
        reduction="batchmean",
    )
    return {
        "cosine": (1 - (own * theirs).sum(1)).mean(),
        "alike": _ALIKE * (own @ own.T - theirs @ theirs.T).square().mean(),
        "ranked": _RANKED * ranked,
    }


class _Lessons:
    """Rounds of lessons about what answers a question, as the teacher asks it."""

    def __init__(self, taught: Taught, asks: Asks, courses: Sequence[Course]) -> None:
        self._taught, self._asked = taught, asked_in(asks, courses)
        self._batches = self._rounds(courses)

    def loss(self) -> torch.Tensor:
        """Return how badly the next lessons are known."""
        batch = next(self._batches)
        vectors = vectors_of(self._taught.student, batch, self._asked)
        told: Mapping[str, torch.Tensor] = answering(self._taught.head, vectors, batch)
        return told["looked at"] + told["at all"] + 2 * told["whether"]

    def _rounds(self, courses: Sequence[Course]) -> Iterator[Batch]:
        dice = random.Random(0)
        while True:
            for items in drawn(courses, dice):
                yield batch_of(items, DEVICE)


def asked_in(asks: Asks, courses: Sequence[Course]) -> dict[str, torch.Tensor]:
    """Return the vectors of the questions of each course's lessons."""
    return {
        course.name: all_vectors(
            asks.of_questions,
            [[CLS, *asks.instruction, *lesson.ids[1:]] for lesson in course.lessons],
            DEVICE,
        )
        for course in courses
    }


def vectors_of(student: Student, batch: Batch, asked: Mapping[str, torch.Tensor]) -> Vectors:
    """Return what is asked, and what the student says of passages and pieces."""
    rows = student.rows(batch.passages.ids, batch.passages.known).float()
    questions = torch.stack([asked[course.name][at] for course, at in batch.items])
    return Vectors(questions, rows[:, 0], means(rows, batch.spans))


class _Steps:
    """Takes steps that grow at first, and then shrink with the time that is left."""

    def __init__(self, taught: Taught) -> None:
        self._bounded = list(taught.student.learnt.values())
        learnt = [*self._bounded, *(own.requires_grad_() for own in taught.head.learnt.values())]
        self._optimizer = torch.optim.AdamW(
            learnt, lr=_RATE, weight_decay=_DECAY, betas=(0.9, 0.98)
        )

    def take(self, loss: torch.Tensor, number: int, share: float) -> None:
        """Make a loss smaller by one step."""
        falling = 0.5 * (1 + math.cos(math.pi * share)) * (1 - _LEAST) + _LEAST
        for group in self._optimizer.param_groups:
            group["lr"] = _RATE * falling * min(1.0, (number + 1) / _WARM_UP)
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self._bounded, _LONGEST)
        self._optimizer.step()


def _say(number: int, share: float, losses: Mapping[str, torch.Tensor]) -> None:
    told = ", ".join(f"{name} {loss.item():.4f}" for name, loss in losses.items())
    print(f"step {number}, {share:.0%} of the time: {told}", flush=True)


def _asked(teacher: Teacher, ids: NDArray[np.int64]) -> torch.Tensor:
    questions = _on(ids)
    return teacher.vectors(questions, questions > 0)


def _on(ids: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(ids.astype(np.int64)).to(DEVICE)


class _Feed:
    """Batches that processes draw ahead."""

    def __init__(self, texts: Texts) -> None:
        context = multiprocessing.get_context("fork")
        self._queue: Any = context.Queue(_AHEAD)
        put: Callable[[Any], None] = self._queue.put
        self._feeders = [
            context.Process(target=_feed, args=(texts, seed, put), daemon=True)
            for seed in range(1, _FEEDERS + 1)
        ]

    def __enter__(self) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        for one in self._feeders:
            one.start()
        return iter(self._queue.get, None)

    def __exit__(self, *_: object) -> None:
        for one in self._feeders:
            one.kill()


def _feed(texts: Texts, seed: int, put: Callable[[Any], None]) -> None:
    dice = Dice(texts, seed)
    while True:
        passages, questions = dice.passages(_BATCH), dice.questions(_QUESTIONS)
        put((passages.astype(np.uint16), questions.astype(np.uint16)))
