"""Questions with what a right answer to each has: one line of JSON each. Knows no answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime, time
from typing import Any

from sextant.ask.question import Question
from sextant.errors import InvalidInput, TooLarge
from sextant.text.codec.decode import loads, shaped
from sextant.types import Turn

UNANSWERABLE = "unanswerable"
MOST = 50_000_000
"""Characters that a set has at most."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question and how to tell a right answer: what it says, does not say, and rests on."""

    question: str
    id: str = ""
    kind: str = ""
    split: str = ""
    answer: str = ""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    quotes: Mapping[str, Any] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    persona: str = ""
    today: str = ""
    history: tuple[Turn, ...] = ()

    @property
    def personas(self) -> frozenset[str]:
        """As whom it is asked; none is nobody in particular."""
        return frozenset({self.persona} if self.persona else ())

    @property
    def is_answerable(self) -> bool:
        """Whether the right answer is not that the knowledge does not say."""
        return self.kind != UNANSWERABLE and bool(self.must or self.documents)


def question_of(case: Case, like: Question) -> Question:
    """Return what to ask: in all that the case leaves open, like another question."""
    now = like.now
    if case.today:
        now = datetime.combine(date.fromisoformat(case.today), time(), UTC)
    return replace(like, text=case.question, history=case.history, now=now)


def read_cases(text: str) -> tuple[Case, ...]:
    """Read a set of questions; what is wrong with it is said of a line."""
    if len(text) > MOST:
        raise TooLarge(f"A set of questions has at most {MOST:,} characters.", "Split it.")
    cases: dict[str, Case] = {}
    for number, line in _lines(text):
        case = _case(number, line)
        if case.id in cases:
            raise _bad(number, f"the id {case.id[:80]!r} comes twice")
        cases[case.id] = case
    if not cases:
        raise InvalidInput("The set has no question.", _HINT)
    return tuple(cases.values())


def chosen(
    cases: Sequence[Case], splits: Sequence[str] = (), kinds: Sequence[str] = (), limit: int = 0
) -> tuple[Case, ...]:
    """Return the questions of these splits and kinds, up to a limit; nothing named is any."""
    kept = [
        case
        for case in cases
        if (not splits or case.split in splits) and (not kinds or case.kind in kinds)
    ]
    if not kept:
        known = sorted({name for case in cases for name in (case.kind, case.split) if name})
        raise InvalidInput(
            "The set has no such question.", f"Its kinds and splits: {', '.join(known) or 'none'}."
        )
    return tuple(kept[: limit or None])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield what stands on lines; only a line feed ends one, whatever else a question holds."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            yield number, line


def _case(number: int, line: str) -> Case:
    try:
        given = loads(line)
        if isinstance(given, Mapping):
            given = {**_DEFAULTS, "id": f"line-{number}", **given}
        case = shaped(Case, given)
    except InvalidInput as error:
        raise _bad(number, error.message) from None
    if not case.question.strip():
        raise _bad(number, "the question is empty")
    if case.today and not _is_date(case.today):
        raise _bad(number, f"today is {case.today[:40]!r}, which is not a date like 2026-10-31")
    return case


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _bad(number: int, what: str) -> InvalidInput:
    return InvalidInput(f"Line {number} is no question: {what}.", _HINT)


_DEFAULTS = {
    name: [] if value == () else value
    for name, value in asdict(Case("")).items()
    if name != "question"
}
_HINT = f"A line is one JSON object with {', '.join(item.name for item in fields(Case))}."
