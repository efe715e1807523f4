"""Teaching the encoder and its head, batch by batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch.nn import functional

from bench.teaching.batches import Batch, Vectors, batch_of, drawn, vectors_of
from bench.teaching.encoder import Encoder, Pupil, untaught
from bench.teaching.head import Head, new_head
from bench.teaching.lessons import Course, General, Ids
from bench.teaching.losses import WEIGHTS, answering, strayed
from bench.teaching.original import Original, original
from bench.teaching.padding import padded

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_GENERAL = 32
_RATE, _DECAY, _WARM_UP = 1e-3, 0.01, 0.1
_UNSEEN = 0.1
"""Of the numbers in a vector so many are hidden from the head, another draw at each step."""

_LONGEST = 1.0
"""A step of the encoder is cut to this length."""

_SEED = 0


@dataclass(frozen=True, slots=True)
class Taught:
    """The encoder as it was, with what it learnt, and the head that goes with it."""

    pupil: Pupil
    head: Head

    @property
    def released(self) -> Encoder:
        """The encoder as it was."""
        return self.pupil.released

    def encoder(self) -> Encoder:
        """Return the encoder as it is now."""
        with torch.no_grad():
            return self.pupil.encoder()


def fit(courses: Sequence[Course], general: General, epochs: int) -> Taught:
    """Teach the released encoder all courses, and print what is still to be learnt."""
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(_SEED)
    dice = random.Random(_SEED)
    taught = Taught(untaught(DEVICE), new_head(DEVICE))
    teacher = _Teacher(taught, general, original(taught.released, courses, general), dice)
    steps = _Steps(taught, epochs * len(drawn(courses, random.Random(_SEED))))
    for epoch in range(1, epochs + 1):
        batches = drawn(courses, dice)
        told = dict.fromkeys(WEIGHTS, 0.0)
        for items in batches:
            losses = teacher.losses(batch_of(items, DEVICE))
            steps.take(torch.stack([WEIGHTS[name] * losses[name] for name in WEIGHTS]).sum())
            told = {name: told[name] + loss.item() / len(batches) for name, loss in losses.items()}
        print(f"epoch {epoch}:", ", ".join(f"{name} {own:.4f}" for name, own in told.items()))
    return taught


class _Teacher:
    """Tells how far the encoder and its head are from what they should say of a batch."""

    def __init__(
        self, taught: Taught, general: General, before: Original, dice: random.Random
    ) -> None:
        self._taught, self._before, self._dice = taught, before, dice
        self._general = (
            (general.texts, before.general_texts),
            (general.questions, before.general_questions),
        )

    def losses(self, batch: Batch) -> dict[str, torch.Tensor]:
        """Return what each sort of mistake comes to."""
        encoder = self._taught.pupil.encoder()
        vectors = vectors_of(encoder, batch)
        drawn = [self._strayed(encoder, texts, before) for texts, before in self._general]
        return answering(self._taught.head, _partly_hidden(vectors), batch) | {
            "near": strayed(vectors.passages, self._before.passages_of(batch))
            + strayed(vectors.questions, self._before.questions_of(batch)),
            "general": torch.stack(drawn).sum(),
        }

    def _strayed(
        self, encoder: Encoder, texts: Sequence[Ids], before: torch.Tensor
    ) -> torch.Tensor:
        some = self._dice.sample(range(len(texts)), min(_GENERAL, len(texts)))
        return strayed(encoder.vectors(padded([texts[at] for at in some], DEVICE)), before[some])


def _partly_hidden(vectors: Vectors) -> Vectors:
    questions, pieces = (
        functional.dropout(own, _UNSEEN) for own in (vectors.questions, vectors.pieces)
    )
    return replace(vectors, questions=questions, pieces=pieces)


class _Steps:
    """Takes steps that grow at first and then shrink to nothing."""

    def __init__(self, taught: Taught, count: int) -> None:
        self._bounded = list(taught.pupil.learnt.values())
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
