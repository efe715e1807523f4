"""What answers are worth: right or wrong, one by one and added up. Knows no store and no step."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from sextant.ask.evaluate.cases import Case
from sextant.errors import InvalidInput
from sextant.ports import Progress
from sextant.types import Answer


@dataclass(frozen=True, slots=True)
class Score:
    """How an answer did: what it lacks, what it should not have said, and what it cited."""

    case: Case
    is_answered: bool
    cites_main: bool
    cites_all: bool
    lacking: tuple[str, ...]
    forbidden: tuple[str, ...]
    confidence: float
    cited: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_right(self) -> bool:
        """Whether it says what it must from where it must, or owns that it does not know.

        What only comes nearest is not told as the answer, so it may say anything.
        """
        if not self.case.is_answerable:
            return not self.is_answered
        is_complete = not self.lacking and not self.forbidden
        return self.is_answered and self.cites_main and is_complete


@dataclass(frozen=True, slots=True)
class Total:
    """How many of a sort there are, and how many of them are right."""

    name: str
    count: int
    right: int

    @property
    def share(self) -> float:
        """The right ones in 0 to 1."""
        return self.right / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a set, in its order."""

    scores: tuple[Score, ...]

    @property
    def total(self) -> Total:
        """All of them."""
        return _total("all", self.scores)

    @property
    def by_kind(self) -> tuple[Total, ...]:
        """Each kind, in the order of the set."""
        return _totals(self.scores, lambda score: score.case.kind)

    @property
    def by_split(self) -> tuple[Total, ...]:
        """Each split, in the order of the set."""
        return _totals(self.scores, lambda score: score.case.split)

    @property
    def wrong(self) -> tuple[Score, ...]:
        """Those that are not right."""
        return tuple(score for score in self.scores if not score.is_right)

    def confidence(self, *, right: bool) -> float | None:
        """Return the mean confidence of the right or of the wrong ones, if there are any."""
        own = [score.confidence for score in self.scores if score.is_right == right]
        return sum(own) / len(own) if own else None


async def evaluate(
    ask: Callable[[Case], Awaitable[Answer]],
    cases: Sequence[Case],
    progress: Progress | None = None,
) -> Evaluation:
    """Ask every question, one after the other, and score what comes back."""
    scores = []
    for done, case in enumerate(cases):
        if progress:
            progress("Asking", done, len(cases))
        try:
            answer = await ask(case)
        except InvalidInput as error:
            raise InvalidInput(f"{case.id} cannot be asked: {error.message}", error.hint) from None
        scores.append(score(case, answer))
    if progress:
        progress("Asking", len(cases), len(cases))
    return Evaluation(tuple(scores))


def score(case: Case, answer: Answer) -> Score:
    """Compare an answer with what is known to be right; labels of sources are none of its words."""
    text = answer_without_labels(answer)
    cited = tuple(dict.fromkeys(one.document_id for one in answer.citations))
    found = [any(is_named(path, own) for own in cited) for path in case.documents]
    return Score(
        case,
        is_answered=answer.verdict.sufficient and bool(cited),
        cites_main=all(found[:1]),
        cites_all=all(found),
        lacking=tuple(words for words in case.must if not holds(text, words)),
        forbidden=tuple(words for words in case.must_not if holds(text, words)),
        confidence=answer.verdict.confidence,
        cited=cited,
        text=answer.text,
    )


def answer_without_labels(answer: Answer) -> str:
    """Return the text of an answer without the labels of its sources."""
    text = answer.text
    for label in sorted({one.label for one in answer.citations}, key=len, reverse=True):
        text = text.replace(f"[{label}]", "")
    return text


def holds(text: str, words: str) -> bool:
    """Whether the words stand in the text as whole words, whatever their case."""
    pattern = r"(?<!\w)" + re.escape(words.lower()) + r"(?!\w)"
    return re.search(pattern, text.lower()) is not None


def is_named(path: str, document_id: str) -> bool:
    """Whether a path of the set means this document or its file, whatever its source is called."""
    file = document_id.partition("#")[0]
    return any(own == path or own.endswith(f"/{path}") for own in (document_id, file))


def _totals(scores: Iterable[Score], name: Callable[[Score], str]) -> tuple[Total, ...]:
    groups: dict[str, list[Score]] = {}
    for one in scores:
        groups.setdefault(name(one), []).append(one)
    return tuple(_total(each or "unnamed", own) for each, own in groups.items())


def _total(name: str, scores: Sequence[Score]) -> Total:
    return Total(name, len(scores), sum(one.is_right for one in scores))
