"""What sort of answer a clause asks for, by the words that ask. Knows English only."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from sextant.ask.reading.asking import Asking
from sextant.ask.reading.tokens import AUXILIARY, BEING, DOING, MODAL


class Kind(StrEnum):
    """The sort of answer that is asked for. A time is a day, a weekday or a time of day."""

    PERSON = "person"
    TIME = "time"
    DATE = "date"
    AMOUNT = "amount"
    COUNT = "count"
    DURATION = "duration"
    PLACE = "place"
    REASON = "reason"
    YES_NO = "yes-no"
    NAME = "name"
    DEFINITION = "definition"
    COMPARISON = "comparison"
    LIST = "list"
    PROCEDURE = "procedure"
    ANYTHING = "anything"


def _table(said: dict[Kind, str]) -> dict[str, Kind]:
    return {word: kind for kind, words in said.items() for word in words.split()}


_BY_HOW = _table(
    {
        Kind.DURATION: "long soon quickly fast often frequently quick",
        Kind.AMOUNT: (
            "much big large small high low far heavy tall deep wide expensive old full strict "
            "severe likely fresh hot cold"
        ),
        Kind.COUNT: "many",
        Kind.REASON: "come",
        Kind.PROCEDURE: "to",
        Kind.COMPARISON: "different similar",
    }
)
_BY_WORD = _table(
    {
        Kind.PERSON: "who whom whose",
        Kind.TIME: "when",
        Kind.PLACE: "where",
        Kind.REASON: "why",
    }
)
_BY_NOUN = _table(
    {
        Kind.DURATION: (
            "duration delay timeout time-out interval retention lifetime validity ttl sla rto rpo "
            "frequency age grace"
        ),
        Kind.DATE: "date day weekday year month quarter week deadline birthday era",
        Kind.TIME: "time hour hours schedule moment slot window times",
        Kind.COUNT: "number count quantity",
        Kind.AMOUNT: (
            "amount price cost limit threshold score size percentage percent rate quota budget fee "
            "maximum minimum capacity ratio share sum total length width weight height distance "
            "speed temperature population revenue value level salary turnover profit"
        ),
        Kind.PERSON: (
            "team person people group department owner lead leader manager contact engineer "
            "approver employee colleague company vendor supplier customer squad director author "
            "teams owners contacts persons groups founder president singer actor actress player "
            "politician composer writer father mother husband wife maintainer maintainers "
            "successor-in-office organisation organization"
        ),
        Kind.PLACE: (
            "place region city country location site office building room datacenter datacentre "
            "zone town state continent address folder url link directory birthplace village "
            "county river cluster"
        ),
        Kind.REASON: (
            "reason cause rationale motivation justification purpose trigger reasons causes "
            "explanation"
        ),
        Kind.PROCEDURE: "steps procedure workaround fix instructions remedy step way",
        Kind.DEFINITION: "meaning definition kind sort type",
        Kind.COMPARISON: "difference differences similarity similarities",
    }
)
_BY_ORDER = _table(
    {
        Kind.LIST: "list enumerate show name give find",
        Kind.DEFINITION: "explain describe define summarise summarize outline",
        Kind.COMPARISON: "compare contrast",
    }
)
_BY_VERB = _table({Kind.REASON: "caused causes cause led made triggered explains explain prompted"})
_UNITS = frozenset(
    {"milliseconds", "seconds", "minutes", "hours", "days", "weeks", "months", "years", "time"}
)
_MEANING = frozenset({"mean", "stand", "do", "refer", "abbreviate"})
_ACTORS = frozenset({"i", "we", "you", "one", "somebody", "someone", "people"})
_SINGULAR = ("ss", "us", "is")
_PLURALS = frozenset({"people", "criteria", "data", "children", "those"})


def kind_of(asking: Asking) -> Kind:
    """Return the sort of answer."""
    if not asking.word:
        return _without_question_word(asking)
    if asking.word in ("what", "which"):
        return _what(asking)
    if asking.word == "how":
        return _how(asking)
    if asking.word == "when" and asking.before in ("since", "until", "till", "by", "from"):
        return Kind.DATE
    return _BY_WORD.get(asking.word, Kind.ANYTHING)


def _without_question_word(asking: Asking) -> Kind:
    first = asking.words[0] if asking.words else ""
    if first in AUXILIARY:
        return Kind.YES_NO
    return _BY_ORDER.get(first, Kind.ANYTHING)


def _how(asking: Asking) -> Kind:
    first, second = (*asking.words, "", "")[:2]
    if first == "long" and second == "ago":
        return Kind.DATE
    if first in ("many", "much") and asking.head in _UNITS:
        return Kind.DURATION
    if first in DOING | MODAL and second in _ACTORS:
        return Kind.PROCEDURE
    if asking.words[-1:] in (("work",), ("works",)):
        return Kind.DEFINITION
    return _BY_HOW.get(first, Kind.ANYTHING)


def _what(asking: Asking) -> Kind:
    first, second = (*asking.words, "", "")[:2]
    if asking.head and second != "meant":
        return _by_noun(asking, first)
    if first in _BY_VERB:
        return _BY_VERB[first]
    if first in BEING and second == "meant":
        return Kind.DEFINITION
    if first == "to" or asking.words[:4] == ("is", "there", "to", "do"):
        return Kind.PROCEDURE
    if first in DOING | MODAL:
        return _what_does(asking.words, second)
    if first in BEING:
        return Kind.DEFINITION if asking.is_all_name else Kind.ANYTHING
    return Kind.LIST if first.endswith(("s", "ed")) or first == "else" else Kind.ANYTHING


def _by_noun(asking: Asking, first: str) -> Kind:
    known = _BY_NOUN.get(asking.head)
    owner = _BY_NOUN.get(asking.noun.partition(" ")[0])
    if known or (owner is Kind.PERSON and asking.head.endswith("s")):
        return known or Kind.PERSON
    if asking.word == "what" and first in BEING and asking.is_all_name:
        return Kind.DEFINITION
    return Kind.LIST if _is_plural(asking.head) else Kind.NAME


def _what_does(words: Sequence[str], second: str) -> Kind:
    last = next((word for word in reversed(words) if word not in ("for", "to", "?")), "")
    if second in _ACTORS and "do" in words[2:4]:
        return Kind.PROCEDURE
    if last in _MEANING and words[0] in DOING:
        return Kind.DEFINITION
    return Kind.ANYTHING


def _is_plural(word: str) -> bool:
    return word in _PLURALS or (word.endswith("s") and not word.endswith(_SINGULAR))
