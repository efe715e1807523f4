"""Teaching the student, for so many seconds, what bge-small says of passages, MiniLM of pieces."""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.distilling.answering import Courses
from bench.distilling.reader import Reader
from bench.distilling.student import Student
from bench.distilling.teacher import Teacher
from bench.distilling.texts import Dice, Texts
from bench.teaching.padding import Padded, mean, means

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, QUESTIONS = 512, 128
_WARM_UP, _LEAST, _DECAY, _LONGEST = 200, 0.02, 0.01, 1.0
_ROUNDED, _SETTLED = 0.75, 0.95
"""From this share of the time on rows are rounded; from the second one on by scales that stay."""

_ALIKE, _RANKED, _SHARP = 20.0, 0.25, 0.05
_PIECES, _WHOLE, _ASKED, _ODDS = 1.0, 0.5, 0.25, 0.02
_SPANS, _SHORTEST_SPAN, _LONGEST_SPAN, _DOUBTED = 4, 4, 45, 512
_UNLIKELY = -8.0
"""Lower odds are as good as none."""

_WATCH_EVERY, _SAY_EVERY = 20, 250
_FEEDERS, _AHEAD = 13, 32
_MIDDLE = 8


@dataclass(frozen=True, slots=True)
class Asks:
    """The teacher's vectors, turned to their middle, so that cosines spread."""

    teacher: Teacher
    instruction: torch.Tensor
    passage_middle: torch.Tensor
    question_middle: torch.Tensor

    def of_passages(self, ids: torch.Tensor, known: torch.Tensor | None = None) -> torch.Tensor:
        """Return what passages are about."""
        return functional.normalize(self.teacher.vectors(ids, known) - self.passage_middle, dim=-1)

    def of_questions(self, ids: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        """Return what questions ask for."""
        vectors = self.teacher.vectors(*instructed(ids, known, self.instruction))
        return functional.normalize(vectors - self.question_middle, dim=-1)


@dataclass(frozen=True, slots=True)
class Pace:
    """For how many seconds is learnt, and how far steps go at first."""

    seconds: float
    rate: float


def instructed(
    ids: torch.Tensor, known: torch.Tensor, instruction: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return questions with the teacher's instruction behind their first token."""
    lead = instruction.expand(len(ids), -1)
    whole = torch.cat([ids[:, :1], lead, ids[:, 1:]], 1)
    return whole, torch.cat([torch.ones_like(lead, dtype=torch.bool), known], 1)


def fit(
    student: Student,
    asks: Asks,
    reader: Reader,
    lots: Sequence[Texts],
    courses: Courses,
    pace: Pace,
    keep: Callable[[], None],
) -> None:
    """Teach a student, and print how far it is."""
    torch.manual_seed(0)
    steps, began = _Steps(student, pace.rate), time.monotonic()
    with _Feed(lots) as batches:
        for number, (passages, questions) in enumerate(batches):
            share = (time.monotonic() - began) / pace.seconds
            if share >= 1:
                break
            student.is_rounded = share > _ROUNDED
            student.is_watching = share < _SETTLED and number % _WATCH_EVERY == 0
            losses = _losses(student, asks, reader, _on(passages), _on(questions))
            losses |= courses.losses(student, reader, number)
            steps.take(torch.stack(list(losses.values())).sum(), number, share)
            if number % _SAY_EVERY == 0:
                _say(number, share, losses)
            if number % (20 * _SAY_EVERY) == 0:
                keep()
    student.is_watching = False


def asks_of(teacher: Teacher, lots: Sequence[Texts]) -> Asks:
    """Return what the teacher asks and says of these texts, and find their middles."""
    dice, instruction = Dice(lots, seed=0), _on(lots[0].instruction)
    nowhere = torch.zeros(1, device=DEVICE)
    asks = Asks(teacher, instruction, nowhere, nowhere)
    passages = [dice.passages(BATCH) for _ in range(_MIDDLE)]
    questions = [_on(dice.questions(own, BATCH)) for own in passages]
    return Asks(
        teacher,
        instruction,
        torch.cat([asks.of_passages(_on(own)) for own in passages]).mean(0),
        torch.cat([asks.of_questions(own, own > 0) for own in questions]).mean(0),
    )


def _losses(
    student: Student, asks: Asks, reader: Reader, passages: torch.Tensor, questions: torch.Tensor
) -> dict[str, torch.Tensor]:
    rows = student.rows(passages).float()
    theirs, own = asks.of_passages(passages), functional.normalize(rows.mean(1), dim=-1)
    asked = asks.of_questions(questions, questions > 0)
    ranked = functional.kl_div(
        functional.log_softmax(asked @ own.T / _SHARP, 1),
        functional.softmax(asked @ theirs.T / _SHARP, 1),
        reduction="batchmean",
    )
    return {
        "cosine": (1 - (own * theirs).sum(1)).mean(),
        "alike": _ALIKE * (own @ own.T - theirs @ theirs.T).square().mean(),
        "ranked": _RANKED * ranked,
        **_read(student, reader, passages, rows, questions),
    }


def _read(
    student: Student,
    reader: Reader,
    passages: torch.Tensor,
    rows: torch.Tensor,
    questions: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Return how far what is said of pieces and questions is from what the reader says."""
    read, spans = reader.rows(passages), _spans(passages)
    pieces = student.turned(means(rows, spans))
    their_pieces = means(read, spans)
    known = questions > 0
    asked = mean(student.rows(questions, known).float(), Padded(questions, known))
    their_asked = reader.vectors(questions)
    some = torch.randint(0, spans.shape[0] * spans.shape[1], (_DOUBTED,), device=rows.device)
    some[: len(questions)] = torch.arange(len(questions), device=rows.device) * spans.shape[1]
    doubts = [
        reader.odds(their_asked, whole.flatten(0, 1)[some], _UNLIKELY)
        for whole in (pieces, their_pieces)
    ]
    return {
        "pieces": _PIECES * _apart(pieces, their_pieces),
        "whole": _WHOLE * _apart(student.turned(rows.mean(1)), read.mean(1)),
        "asked": _ASKED * _apart(student.turned(asked), their_asked),
        "odds": _ODDS * functional.smooth_l1_loss(*doubts),
    }


def _spans(passages: torch.Tensor) -> torch.Tensor:
    """Return of each text some runs of tokens, as long as sentences are."""
    count, length = passages.shape
    shape, device = (count, _SPANS), passages.device
    longest = min(_LONGEST_SPAN, length - 2)
    sizes = torch.randint(_SHORTEST_SPAN, longest + 1, shape, device=device)
    starts = 1 + (torch.rand(shape, device=device) * (length - 1 - sizes)).long()
    texts = torch.arange(count, device=device)[:, None].expand(shape)
    return torch.stack([texts, starts, starts + sizes], -1)


def _apart(own: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    return (1 - functional.cosine_similarity(own, theirs, dim=-1)).mean()


class _Steps:
    """Takes steps that grow at first, and then shrink with the time that is left."""

    def __init__(self, student: Student, rate: float) -> None:
        self._rate = rate
        self._learnt = list(student.learnt.values())
        self._optimizer = torch.optim.AdamW(
            self._learnt, lr=rate, weight_decay=_DECAY, betas=(0.9, 0.98), fused=DEVICE == "cuda"
        )

    def take(self, loss: torch.Tensor, number: int, share: float) -> None:
        """Make a loss smaller by one step."""
        falling = 0.5 * (1 + math.cos(math.pi * share)) * (1 - _LEAST) + _LEAST
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * falling * min(1.0, (number + 1) / _WARM_UP)
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self._learnt, _LONGEST)
        self._optimizer.step()


def _say(number: int, share: float, losses: Mapping[str, torch.Tensor]) -> None:
    told = ", ".join(f"{name} {loss.item():.4f}" for name, loss in losses.items())
    print(f"step {number}, {share:.0%} of the time: {told}", flush=True)


def _on(ids: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(ids.astype(np.int64)).to(DEVICE)


class _Feed:
    """Batches that processes draw ahead."""

    def __init__(self, lots: Sequence[Texts]) -> None:
        context = multiprocessing.get_context("fork")
        self._queue: Any = context.Queue(_AHEAD)
        put: Callable[[Any], None] = self._queue.put
        self._feeders = [
            context.Process(target=_feed, args=(lots, seed, put), daemon=True)
            for seed in range(1, _FEEDERS + 1)
        ]

    def __enter__(self) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        for one in self._feeders:
            one.start()
        return iter(self._queue.get, None)

    def __exit__(self, *_: object) -> None:
        for one in self._feeders:
            one.kill()


def _feed(lots: Sequence[Texts], seed: int, put: Callable[[Any], None]) -> None:
    dice = Dice(lots, seed)
    while True:
        passages = dice.passages(BATCH)
        questions = dice.questions(passages, QUESTIONS)
        put((passages.astype(np.uint16), questions.astype(np.uint16)))
