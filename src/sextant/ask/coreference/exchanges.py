"""What a conversation is about: who a reference may mean. Knows names by their shape only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.coreference.references import Means, Reference
from sextant.text.names import normal_name
from sextant.text.prose.sentences import sentence_spans
from sextant.text.tokens import ASKING, AUXILIARY, STOP_WORDS, content_words, tokens_of, word_set
from sextant.text.written_names import TYPES, names_in

_LABEL = re.compile(r"\[[^\[\]\n]{1,120}\](?:\([^()\n]{0,300}\))?")
_MARKS = re.compile(r"[*_`#>|]+")
_GROUPS = frozenset({"team", "teams", "group", "department", "squad", "desk", "company"})
_WHO = frozenset({"who", "whom", "whose", "who's", "whos"})
_PEOPLE = word_set(
    "team teams person people group owner owners lead leader manager contact engineer company "
    "director author department vendor supplier customer"
)
_LONGEST, _MOST_LISTED, _MOST_WORDS = 240, 3, 8
"""Characters of an answer that can be repeated in a question, names of it, words of a topic."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question that stands alone, and the answer to it; either may be empty."""

    question: str
    answer: str = ""

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the names in the question."""
        found = names_in(self.question)
        sure = dict.fromkeys(name.text for name in found if name.sure)
        return tuple(sure or dict.fromkeys(name.text for name in found))

    @property
    def added_names(self) -> tuple[str, ...]:
        """Return the names that the answer added."""
        known = {normal_name(name) for name in self.asked}
        names = dict.fromkeys(name.text for name in names_in(self.answer) if name.sure)
        return tuple(name for name in names if normal_name(name) not in known)

    @property
    def asks_for_people(self) -> bool:
        """Return whether the question asked who."""
        words = {token.low for token in tokens_of(self.question)}
        return not words.isdisjoint(_WHO) or self.noun in _PEOPLE

    @property
    def noun(self) -> str:
        """Return the ``runbook`` of ``which runbook do I follow``."""
        tokens = [token for token in tokens_of(self.question) if token.is_word]
        asking = next((at for at, token in enumerate(tokens) if token.low in ASKING), None)
        head = ""
        for token in tokens[asking + 1 :] if asking is not None else ():
            if not token.text.islower() or token.low in AUXILIARY | STOP_WORDS:
                break
            if head and token.low.endswith(("s", "ed")):
                break
            head = token.low
            if head.endswith("s"):
                break
        return head

    @property
    def summary(self) -> str:
        """Return the first sentence of the answer, if it is short, else the question."""
        spans = sentence_spans(self.answer)
        first = self.answer[spans[0][0] : spans[0][1]] if spans else ""
        return first if 0 < len(first) <= _LONGEST else self.question


def strip_labels(answer: str) -> str:
    """Return an answer without its marks and without the labels of its citations."""
    return _MARKS.sub("", _LABEL.sub("", answer)).strip()


def meant_by(reference: Reference, exchanges: Sequence[Exchange]) -> str:
    """Return the name that a reference means, from the latest exchange on; or an empty text."""
    latest_first = exchanges[::-1]
    for exchange in latest_first:
        found = _meant_in(reference, exchange)
        if found:
            return found
    return ""


def _meant_in(reference: Reference, exchange: Exchange) -> str:
    match reference.means:
        case Means.THING | Means.TOPIC:
            return _thing(exchange)
        case Means.GROUP:
            return _group(exchange)
        case Means.PERSON:
            people = [name for name in (*exchange.added_names, *exchange.asked) if _is_person(name)]
            return next(iter(people), "")
        case Means.PLACE:
            return next(iter((*exchange.added_names[-1:], *exchange.asked)), "")
        case Means.FORMER | Means.LATTER:
            return _of_two(exchange, reference.means)
        case _:
            return _of_type(reference.noun, exchange)


def subject_of(exchanges: Sequence[Exchange]) -> str:
    """Return what the conversation is about: the last subject with a name, else in words."""
    named = next((found for each in exchanges[::-1] if (found := _thing(each))), "")
    words = content_words(tokens_of(exchanges[-1].question)) if exchanges else ()
    return named or (" ".join(words[:_MOST_WORDS]) if len(words) > 1 else "")


def _thing(exchange: Exchange) -> str:
    """Return the subject of the question, or what it asked for if only people are named in it."""
    things = [name for name in exchange.asked if not _is_group(name)]
    told = [name for name in exchange.added_names if not _is_group(name)]
    if not things and told and not exchange.asks_for_people:
        return told[0]
    return next(iter((*things[:1], *exchange.asked, *exchange.added_names)), "")


def _group(exchange: Exchange) -> str:
    told = exchange.added_names
    if len(told) > 1 and not exchange.asks_for_people:
        return _listed(told)
    groups = [name for name in (*told, *exchange.asked) if _is_group(name)]
    if not told and len(exchange.asked) > 1:
        return _listed(exchange.asked)
    people = told[:1] if exchange.asks_for_people else ()
    return next(iter((*groups, *people, *exchange.asked, *told)), "")


def _listed(names: Sequence[str]) -> str:
    *first, last = names[:_MOST_LISTED]
    return f"{', '.join(first)} and {last}"


def _of_type(noun: str, exchange: Exchange) -> str:
    """Return the name that bears the noun, or what was asked for by it."""
    forms = {noun, noun.removesuffix("s"), noun.removesuffix("es"), f"{noun}s"}
    if noun.endswith("s") and len(exchange.added_names) > 1:
        return _listed(exchange.added_names)
    names = (*exchange.added_names, *exchange.asked)
    bearing = [name for name in names if forms & set(normal_name(name).split())]
    if bearing:
        return bearing[0]
    wanted = exchange.noun in forms or (noun in _GROUPS and exchange.asks_for_people)
    return next(iter(exchange.added_names), "") if wanted else ""


def _of_two(exchange: Exchange, which: Means) -> str:
    names = exchange.asked if len(exchange.asked) > 1 else (*exchange.asked, *exchange.added_names)
    if len(names) < 2:
        return ""
    return names[0] if which is Means.FORMER else names[1]


def _is_group(name: str) -> bool:
    return bool(_GROUPS & set(normal_name(name).split()))


def _is_person(name: str) -> bool:
    """Whether a name may be a person's: two words or three, none of them a type or a code."""
    words = normal_name(name).split()
    plain_words = all(word.isalpha() and len(word) > 1 for word in words)
    return 2 <= len(words) <= 3 and plain_words and not (TYPES | _GROUPS) & set(words)
