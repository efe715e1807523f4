"""Teaching the encoder and its head, batch by batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import torch

from bench.teaching.batches import Item, batch_of, vectors_of
from bench.teaching.encoder import Encoder, as_released
from bench.teaching.head import Head, untaught
from bench.teaching.lessons import Course, General
from bench.teaching.losses import WEIGHTS, answering, strayed
from bench.teaching.padding import padded

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_BATCH = 32
_GENERAL_TEXTS, _GENERAL_QUESTIONS = 48, 32
_RATE, _DECAY, _WARM_UP = 1e-3, 0.01, 0.1
_LONGEST = 1.0
"""A step of the encoder is cut to this length."""

_SEED = 0


@dataclass(frozen=True, slots=True)
class Taught:
    """The encoder as it was, as it is now, and the head that goes with it."""

    original: Encoder
    encoder: Encoder
    head: Head


def fit(courses: Sequence[Course], general: General, epochs: int) -> Taught:
    """Teach the released encoder all courses, and print what is still to be learnt."""
    torch.manual_seed(_SEED)
    dice = random.Random(_SEED)
    taught = Taught(as_released(DEVICE), as_released(DEVICE), untaught(DEVICE))
    items = [
        (course, lesson) for course in courses for lesson in course.lessons if lesson.is_telling
    ]
    batches = ceil(len(items) / _BATCH)
    steps = _Steps(taught, epochs * batches)
    for epoch in range(1, epochs + 1):
        dice.shuffle(items)
        told = dict.fromkeys(WEIGHTS, 0.0)
        for at in range(0, len(items), _BATCH):
            losses = _losses(taught, items[at : at + _BATCH], general, dice)
            steps.take(torch.stack([WEIGHTS[name] * losses[name] for name in WEIGHTS]).sum())
            told = {name: told[name] + loss.item() / batches for name, loss in losses.items()}
        print(f"epoch {epoch}:", ", ".join(f"{name} {own:.4f}" for name, own in told.items()))
    return taught


def _losses(
    taught: Taught, items: Sequence[Item], general: General, dice: random.Random
) -> dict[str, torch.Tensor]:
    batch = batch_of(items, DEVICE)
    with quickly():
        vectors = vectors_of(taught.encoder, batch)
        with torch.no_grad():
            before = vectors_of(taught.original, batch)
        drawn = [
            _strayed_on(taught, dice.sample(texts, min(count, len(texts))))
            for texts, count in (
                (general.texts, _GENERAL_TEXTS),
                (general.questions, _GENERAL_QUESTIONS),
            )
        ]
    return answering(taught.head, vectors, batch) | {
        "near": strayed(vectors.passages, before.passages)
        + strayed(vectors.questions, before.questions),
        "general": torch.stack(drawn).sum(),
    }


def _strayed_on(taught: Taught, texts: Sequence[Sequence[int]]) -> torch.Tensor:
    read = padded(texts, DEVICE)
    with torch.no_grad():
        before = taught.original.vectors(read)
    return strayed(taught.encoder.vectors(read), before)


def quickly() -> torch.autocast:
    """Multiply with fewer digits, where that is faster."""
    return torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda")


class _Steps:
    """Takes steps that grow at first and then shrink to nothing."""

    def __init__(self, taught: Taught, count: int) -> None:
        self._bounded = list(taught.encoder.learnt.values())
        learnt = [*self._bounded, *taught.head.learnt.values()]
        for tensor in learnt:
            tensor.requires_grad_()
        self._optimizer = torch.optim.AdamW(learnt, lr=_RATE, weight_decay=_DECAY)
        self._rates = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda at: min(1.0, (at + 1) / (_WARM_UP * count)) * max(0.0, 1 - at / count),
        )

    def take(self, loss: torch.Tensor) -> None:
        """Make a loss smaller by one step."""
        self._optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self._bounded, _LONGEST)
        self._optimizer.step()
        self._rates.step()
