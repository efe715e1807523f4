"""What is taught, as numbers in one file that can be read without Sextant and without PyTorch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

_APART = 10
"""Of so many general texts one is kept apart, to see how far the encoder strays on new ones."""

Ids = Sequence[int]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Tokenised:
    """A passage as the encoder reads it, and from which of its ids to which each piece goes."""

    ids: Ids
    pieces: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A part of a question, the pieces that are looked at for it, and which of them answer it.

    A piece is the number of a passage and its own number there. What a question asks can be a near
    miss, of which nothing that is looked at is the answer.
    """

    question: str
    is_answerable: bool
    ids: Ids
    looked_at: Sequence[Sequence[int]]
    answers: Sequence[bool]

    @property
    def is_telling(self) -> bool:
        """Whether something can be learnt: a piece answers it, or it is known that none does."""
        return any(self.answers) or not self.is_answerable


@dataclass(frozen=True, slots=True)
class Course:
    """All lessons about one organisation's knowledge."""

    name: str
    passages: Sequence[Tokenised]
    lessons: Sequence[Lesson]

    def some(self, limit: int | None) -> Course:
        """Return a course of so many lessons at most."""
        return replace(self, lessons=spread(self.lessons, limit))


@dataclass(frozen=True, slots=True)
class General:
    """Texts and questions of any kind, of which the encoder is to say what it always said."""

    texts: Sequence[Ids]
    questions: Sequence[Ids]

    @property
    def kept_apart(self) -> General:
        """The ones that nothing is learnt from."""
        return General(self.texts[::_APART], self.questions[::_APART])

    @property
    def learnt_from(self) -> General:
        """All the others."""
        return General(_but_apart(self.texts), _but_apart(self.questions))


@dataclass(frozen=True, slots=True)
class Lessons:
    """What there is to learn, and what is not to be forgotten meanwhile."""

    courses: Sequence[Course]
    general: General


def spread(items: Sequence[Item], limit: int | None) -> Sequence[Item]:
    """Return so many at most, from beginning to end: questions of a kind stand together."""
    return items[:: ceil(len(items) / limit)] if limit and items else items


def write_lessons(path: Path, lessons: Lessons) -> None:
    """Keep lessons in a file."""
    path.write_text(json.dumps(asdict(lessons), separators=(",", ":")), encoding="utf-8")


def read_lessons(path: Path) -> Lessons:
    """Read lessons that were kept."""
    known = json.loads(path.read_text(encoding="utf-8"))
    return Lessons([_course(one) for one in known["courses"]], General(**known["general"]))


def _course(known: Mapping[str, Any]) -> Course:
    passages = [Tokenised(**one) for one in known["passages"]]
    return Course(known["name"], passages, [Lesson(**one) for one in known["lessons"]])


def _but_apart(texts: Sequence[Ids]) -> list[Ids]:
    return [own for at, own in enumerate(texts) if at % _APART]
