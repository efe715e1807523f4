"""What MiniLM was taught by organisations: which of their pieces are what a question asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.distilling.organisations import Organisation
from bench.distilling.reader import Reader
from bench.distilling.student import Student
from bench.teaching.padding import means

_ASKED, _PIECES = 48, 256
"""So many questions about so many pieces of an organisation are asked in a step."""

_LEAST = -12.0
_TOLD, _MEANT = 2.0, 1.0
_HELD = 10
"""One in so many organisations is not learnt from, but looked at."""


@dataclass(frozen=True, slots=True)
class Course:
    """An organisation where it is learnt from."""

    passages: torch.Tensor
    pieces: torch.Tensor
    questions: torch.Tensor


def courses_of(found: Sequence[Organisation], device: str) -> tuple[list[Course], list[Course]]:
    """Return those that are learnt from, and those that are looked at."""
    every = [_course(one, device) for one in found]
    held = every[::_HELD]
    return [one for at, one in enumerate(every) if at % _HELD], held


def losses(student: Student, reader: Reader, course: Course) -> dict[str, torch.Tensor]:
    """Return how far the student's pieces are from MiniLM's, by themselves and by their odds."""
    own, theirs = _pieces(student, reader, course)
    some = torch.randint(len(course.questions), (_ASKED,), device=own.device)
    drawn = torch.randperm(len(own), device=own.device)[:_PIECES]
    asked = reader.vectors(course.questions[some])
    right = reader.odds(asked, theirs[drawn], _LEAST)
    told = functional.binary_cross_entropy_with_logits(
        reader.odds(asked, own[drawn], _LEAST), torch.sigmoid(right)
    )
    apart = (1 - functional.cosine_similarity(own, theirs, dim=-1)).mean()
    return {"told": _TOLD * told, "meant": _MEANT * apart}


def looked_at(student: Student, reader: Reader, held: Sequence[Course]) -> Mapping[str, float]:
    """Return for organisations that were not learnt from how near the student comes to MiniLM."""
    found = []
    with torch.no_grad():
        for one in held:
            own, theirs = _pieces(student, reader, one)
            asked = reader.vectors(one.questions)
            told, right = (reader.odds(asked, one, _LEAST) for one in (own, theirs))
            same = (told.argmax(1) == right.argmax(1)).float().mean()
            alike = functional.cosine_similarity(own, theirs, dim=-1).mean()
            best = (told.amax(1).mean(), right.amax(1).mean())
            found.append([float(number) for number in (alike, same, *best)])
    names = ("cosine of pieces", "the same first", "best odds", "MiniLM's best odds")
    return dict(zip(names, np.mean(found, axis=0).tolist(), strict=True))


def _course(own: Organisation, device: str) -> Course:
    return Course(*(_on(one, device) for one in (own.passages, own.pieces, own.questions)))


def _on(numbers: NDArray[np.uint16] | NDArray[np.int32], device: str) -> torch.Tensor:
    return torch.from_numpy(numbers.astype(np.int64)).to(device)


def _pieces(student: Student, reader: Reader, course: Course) -> tuple[torch.Tensor, torch.Tensor]:
    longest = int((course.passages > 0).sum(1).max())
    ids = course.passages[:, :longest]
    known = ids > 0
    own = student.turned(means(student.rows(ids, known).float(), course.pieces))
    return own, means(reader.rows(ids, known), course.pieces)
