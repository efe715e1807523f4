"""Whether a sentence surely says a relation. Knows English clauses, and no entity but by its id.

A phrase between two names is true in about every second sentence of documentation. It is nearly
always where the first name opens the clause, nothing but the phrase stands between them, the second
one stands by itself, and both are written as names or are stated by a source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from sextant.ingest.extract.capitals import NAME_ENDS, is_capitalised, is_word_in
from sextant.ingest.extract.mentions import Mention, Wording
from sextant.ingest.extract.phrases import Saying

_OPENS = re.compile(
    r"(?:^|[;:] |, (?:and|but|so|while) )\W*(?:\d{1,3}[.)] )?"
    r"(?:(?:The|the|An?|an?|Our|our|Each|Every|(?:[Ee]scalations? (?:for|of)(?: the| our)?)) )?\W*$"
)
"""What stands before a name that opens a clause."""

_HAPPENS = re.compile(
    r"(?:^|[;:] )\W*(?:The |All |Any )?(?:Incidents|Outages|Problems|Alerts|Failures) "
    r"(?:of|in|with|on) (?:the )?\W*$",
    re.IGNORECASE,
)
"""What stands before a name whose incidents escalate to somebody."""

_WHEN = re.compile(r"(?:^|[;:] )\W*(?:If|When|Whenever|Once) (?:the )?$")
_FAILS = re.compile(r" (?:is down|goes down|fails),? escalation goes to (?:the )?")
"""Escalation is always on the condition that something fails."""

_ESCALATES = Saying("escalates_to")
_DOUBT = re.compile(
    r"\b(?:assum\w+|could|example|if|let|may|might|not?|once|should|suppos\w+|unless|when|whether|"
    r"without|would)\b",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\([^)\s]*\)|\(\)|[*_`\[\]\"“”]")
_ASIDE = re.compile(r"^ \([^()]*\)")
_WORDS = re.compile(r"[A-Za-z ]+")
_RESTRICTED = frozenset({"that", "which", "who"})
"""Private repositories that are hosted there are not all private repositories."""

_SMALL = re.compile(r"(?<=\w) (?:at|in|on|to|with) (?=[A-Z])")
"""Small words inside of a name: Order to Cash."""

_IS = frozenset({"are", "is", "was", "were"})
_KINDS = (
    "api command database function job library module package process project queue service "
    "system team tool"
)
_END = (
    rf"(?: (?:{_KINDS.replace(' ', '|')}))?"
    rf"(?:\s*\Z|[.,;:!?)](?=\s|\Z)|\s[—–-]\s|\s(?:{NAME_ENDS.replace(' ', '|')})\b|\s*[|\n])"  # noqa: RUF001 - dashes as they are printed
)
_ENDS = re.compile(rf"(?!\s(?:and|or)\s(?:the )?[A-Z]){_END}")
_GOES_ON = re.compile(rf"\s(?:and|or)\s(?:the )?[A-Z][\w-]*+(?: (?:of )?[A-Z][\w-]*+)*{_END}")
"""What follows a name that stands by itself: GSA and Department of State approvals are neither."""

_JOINT = re.compile(r"(?:,|,? (?:and|or)|, as well as) (?:the )?")
_LABEL = re.compile(r"[:|]\W*$")
_AMBIGUOUS = frozenset(
    "blocks breaks feeds follows leads manages owner pages provides runs served serves sits stops "  # noqa: SIM905 - words read best as words
    "triggers works".split()
)
"""Verbs that say something else of most things: npm runs a script, and does not own it."""

_LABELLED = frozenset({"escalates_to", "led_by", "member_of", "owned_by", "part_of", "reports_to"})
"""Kinds that a line of a page says of it in so many words: ``Owner: Team A``."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, and where each of its words stands in it; ``first`` is the place of the first."""

    text: str
    spans: Sequence[tuple[int, int]]
    first: int

    def span(self, mention: Mention) -> tuple[int, int]:
        return (
            self.spans[mention.first - self.first][0],
            self.spans[mention.last - self.first][1],
        )


class Certainty:
    """Judges what the sentences of one text say; ``stated`` are entities that a source states."""

    def __init__(self, wording: Wording, stated: Set[str]) -> None:
        self._wording, self._stated = wording, stated
        self._sentences: list[_Sentence] | None = None

    def is_said(self, one: Mention, other: Mention, saying: Saying) -> bool:
        """Whether a clause says a relation of the first name and the second."""
        sentence = self._sentence(one)
        if sentence is None:
            return False
        (start, end), (at, _) = sentence.span(one), sentence.span(other)
        before, between = sentence.text[:start], _stripped(sentence.text[end:at])
        stated = self._stated & {one.entity, other.entity}
        if saying == _ESCALATES and _WHEN.search(before) and _FAILS.fullmatch(between):
            return self._is_subject(sentence, one) and self._is_object(sentence, other)
        happens = _HAPPENS.search(before)
        if happens and saying != _ESCALATES:
            return False
        opens = not _DOUBT.search(before) if len(stated) > 1 else _OPENS.search(before)
        return (
            bool(happens or opens)
            and _is_predicate(between, anything=bool(stated), several=bool(happens))
            and self._is_subject(sentence, one)
            and self._is_object(sentence, other)
        )

    def is_listed(self, one: Mention, other: Mention) -> bool:
        """Whether a list goes on from the first name to the second."""
        sentence = self._sentence(one)
        if sentence is None:
            return False
        between = sentence.text[sentence.span(one)[1] : sentence.span(other)[0]]
        is_joined = _JOINT.fullmatch(_stripped(between)) is not None
        return is_joined and self._is_object(sentence, other)

    def is_implied(self, subject: str, other: Mention, saying: Saying) -> bool:
        """Whether a line says a relation of what it stands under: ``Owner: Team A``."""
        sentence = self._sentence(other)
        if sentence is None or not self._is_object(sentence, other):
            return False
        before = sentence.text[: sentence.span(other)[0]]
        if _DOUBT.search(before):
            return False
        if subject in self._stated:
            return True
        is_stated = other.entity in self._stated or _LABEL.search(before) is not None
        return is_stated and saying.kind in _LABELLED

    def _is_subject(self, sentence: _Sentence, one: Mention) -> bool:
        if one.entity in self._stated:
            return True
        start, end = sentence.span(one)
        name = sentence.text[start:end]
        return _is_written(sentence.text, start, name) and not (
            one.first == one.last and is_word_in(self._wording.text, name)
        )

    def _is_object(self, sentence: _Sentence, other: Mention) -> bool:
        start, end = sentence.span(other)
        rest = _TARGET.sub("", sentence.text[end:])
        if not (_ENDS.match(rest) or _GOES_ON.match(rest)):
            return False
        name = sentence.text[start:end]
        return other.entity in self._stated or _is_written(sentence.text, start, name)

    def _sentence(self, one: Mention) -> _Sentence | None:
        """Return the sentence that a name stands in; they are made when first asked for."""
        if self._sentences is None:
            self._sentences = [
                _Sentence(text, spans, first) for text, spans, first in self._wording.sentences()
            ]
        for sentence in self._sentences:
            if sentence.first <= one.first < sentence.first + len(sentence.spans):
                return sentence
        return None


def _stripped(text: str) -> str:
    """Return what stands between two names, without marks, links and an aside."""
    return _ASIDE.sub("", _TARGET.sub("", text))


def _is_predicate(between: str, *, anything: bool, several: bool = False) -> bool:
    """Whether only a verb stands between two names, and one that says what it seems to."""
    words = between.lower().split()
    if not _WORDS.fullmatch(between) or not _RESTRICTED.isdisjoint(words):
        return False
    if not anything and not _AMBIGUOUS.isdisjoint(words):
        return False
    return several or not _IS.isdisjoint(words) or any(word.endswith("s") for word in words)


def _is_written(text: str, start: int, name: str) -> bool:
    """Whether a name is written as one, and neither as code nor as an acronym.

    One acronym stands for several names, and a page need not say which.
    """
    is_code = start > 0 and text[start - 1] == "`"
    return is_capitalised(_SMALL.sub(" ", name)) and not is_code and not name.isupper()
