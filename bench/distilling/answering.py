"""What MiniLM was taught by organisations: which of their pieces are what a question asks for.

There are few organisations, and they are read often: in most steps some of their names are taken
by other names, so that they are not learnt by heart. MiniLM reads what the student reads.
"""

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
from bench.distilling.texts import vocabulary
from bench.teaching.padding import means

_ASKED, _PASSAGES = 96, 96
"""So many questions about so many passages of an organisation are asked in a step."""

_LEAST = -12.0
_TOLD, _CHOSEN, _MEANT = 0.04, 0.2, 1.0
"""With these each is between a fifth and a third at first, as large as what is learnt of texts."""

_RENAMED = 0.75
"""In this share of the steps names are changed, some of them or all."""

_RARE = 6
"""A token that no more organisations have is a part of a name."""


@dataclass(frozen=True, slots=True)
class Course:
    """An organisation, or a part of one."""

    passages: torch.Tensor
    pieces: torch.Tensor
    questions: torch.Tensor

    def to(self, device: torch.device) -> Course:
        """Return it where it is read."""
        longest = int((self.passages > 0).sum(1).max())
        texts = (self.passages[:, :longest], self.pieces, self.questions)
        return Course(*(one.to(device) for one in texts))


@dataclass(frozen=True, slots=True)
class Courses:
    """All that is learnt from, and the tokens that names are made of: first and further ones.

    They lie where the GPU need not be waited for while some of them are drawn.
    """

    every: Sequence[Course]
    names: Sequence[torch.Tensor]

    def losses(self, student: Student, reader: Reader, number: int) -> dict[str, torch.Tensor]:
        """Return how far pieces of one of them are from MiniLM's, in themselves and in odds."""
        course = _drawn(self.every[number % len(self.every)])
        if torch.rand(()) < _RENAMED:
            course = _renamed(course, self.names)
        course = course.to(student.words.device)
        own, theirs = _pieces(student, reader, course)
        asked = reader.vectors(course.questions)
        told, right = (reader.odds(asked, one, _LEAST) for one in (own, theirs))
        doubts = functional.binary_cross_entropy_with_logits(
            told, torch.sigmoid(right), reduction="none"
        )
        chosen = functional.kl_div(
            functional.log_softmax(told, 1), functional.softmax(right, 1), reduction="batchmean"
        )
        apart = (1 - functional.cosine_similarity(own, theirs, dim=-1)).mean()
        return {
            "told": _TOLD * doubts.sum(1).mean(),
            "chosen": _CHOSEN * chosen,
            "meant": _MEANT * apart,
        }


def courses_of(found: Sequence[Organisation]) -> Courses:
    """Return organisations to learn from."""
    counts = np.zeros(len(vocabulary()), np.int64)
    for one in found:
        counts[np.unique(one.passages)] += 1
    rare = np.flatnonzero((counts > 0) & (counts <= _RARE))
    further = np.array([token.startswith("##") for token in vocabulary()])[rare]
    names = [torch.from_numpy(own) for own in (rare[~further], rare[further])]
    return Courses([course_of(one) for one in found], names)


def course_of(own: Organisation) -> Course:
    """Return an organisation to be read."""
    return Course(*(_numbers(one) for one in (own.passages, own.pieces, own.questions)))


def looked_at(student: Student, reader: Reader, held: Sequence[Course]) -> Mapping[str, float]:
    """Return for organisations that were not learnt from how near the student comes to MiniLM."""
    found = []
    with torch.no_grad():
        for course in held:
            whole = course.to(student.words.device)
            own, theirs = _pieces(student, reader, whole)
            asked = reader.vectors(whole.questions)
            told, right = (reader.odds(asked, one, _LEAST) for one in (own, theirs))
            same = (told.argmax(1) == right.argmax(1)).float().mean()
            alike = functional.cosine_similarity(own, theirs, dim=-1).mean()
            best = (told.amax(1).mean(), right.amax(1).mean())
            found.append([float(number) for number in (alike, same, *best)])
    names = ("cosine of pieces", "the same first", "best odds", "MiniLM's best odds")
    return dict(zip(names, np.mean(found, axis=0).tolist(), strict=True))


def _numbers(numbers: NDArray[np.uint16] | NDArray[np.int32]) -> torch.Tensor:
    return torch.from_numpy(numbers.astype(np.int64))


def _drawn(course: Course) -> Course:
    """Return some passages of a course with their pieces, and some questions."""
    some = torch.randperm(len(course.passages))[:_PASSAGES]
    places = torch.full((len(course.passages),), -1)
    places[some] = torch.arange(len(some))
    own = places[course.pieces[:, 0]]
    pieces = torch.cat([own[:, None], course.pieces[:, 1:]], 1)[own >= 0]
    asked = torch.randperm(len(course.questions))[:_ASKED]
    return Course(course.passages[some], pieces, course.questions[asked])


def _renamed(course: Course, names: Sequence[torch.Tensor]) -> Course:
    """Return a course in which some parts of names are others, the same ones wherever they are."""
    changed, share = torch.arange(len(vocabulary())), torch.rand(())
    for own in names:
        some = own[torch.rand(len(own)) < share]
        changed[some] = own[torch.randint(len(own), (len(some),))]
    return Course(changed[course.passages], course.pieces, changed[course.questions])


def _pieces(student: Student, reader: Reader, course: Course) -> tuple[torch.Tensor, torch.Tensor]:
    known = course.passages > 0
    rows = student.rows(course.passages, known).float()
    theirs = reader.rows(course.passages, known)
    return student.turned(means(rows, course.pieces)), means(theirs, course.pieces)
