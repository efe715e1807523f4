"""Whether a sentence bears out what a model reads in it. Knows English, and no model.

It must name both ends, or one and lean on what its page or section is about, say the kind in words
of its own, and the right way round; and nothing in it may say that this is not so, or not now.
"""

from __future__ import annotations

import re

from sextant.ingest.extract.findings import FoundRelation
from sextant.ingest.model_extraction.wordings import told_in
from sextant.text.prose.negation import denies
from sextant.text.words import fold, words_in

UNSUPPORTED, DENIED = "not said in that sentence", "denied"
NOT_NOW, REVERSED = "past, planned or conditional", "said the other way round"
"""Why a sentence does not bear something out."""

_SOURCE, _TARGET = "<", ">"
"""What stands for the two ends: signs that no word has."""

_EVENTS = frozenset({"replaces", "causes"})
_RULES = frozenset({"escalates_to", "fails_over_to"})
"""Kinds that hold once they happened, and kinds that say what happens if something does."""

_NEEDS = re.compile(r"\b(?:cannot|can not|can['’]t) \w+ without\b", re.IGNORECASE)  # noqa: RUF001 - as it is printed
_ALSO_DENIED = re.compile(
    r" (?:without|hardly|rarely|unlike|lacks|instead of|rather than|(?:fail|refuse)(?:s|d|ed)? to|"
    r"(?:stop|stops|stopped|ceases?|ceased|quit) \w+ing) "
)
_PAST = re.compile(
    r" (?:formerly|former|previously|historically|originally|initially|ago|back then|"
    r"in the past|retired|decommissioned|abandoned|(?<! is )(?<! are )(?<! be )used to) "
)
_WAS = re.compile(r" (?:was|were|had|did)(?: \S+){0,2} $")
_PLANNED = re.compile(
    r" (?:would|might|plan|plans|planned|planning|propose[sd]?|proposal|intend(?:s|ed)?|"
    r"going to|about to|wants? to|aims? to|perhaps|maybe|possibly|probably|supposedly|"
    r"allegedly|eventually|soon) "
)
_CONDITIONAL = re.compile(
    r" (?:if|unless|once|until|in case|provided that|assuming|will|shall|should|could|can|may|"
    r"must) "
)
_LEANING = re.compile(
    r"(?:(?<=^ )|(?<=^ and ))(?:its|their|they|these|we|our|the (?:service|system|team|database|"
    r"queue|job|process|policy|product|tool|organisation))(?= )|(?<= )(?:it|this|them|us)(?= )"
)
_OPENING = frozenset(
    "a also an are current currently directly is main mainly only primary the".split()  # noqa: SIM905 - words read best as words
)
"""What may stand before what a line says whose subject is left out."""


def spoken(text: str) -> str:
    """Return a text as folded words, each with a blank before and behind it."""
    return f" {' '.join(words_in(fold(text)))} "


def unsupported(told: FoundRelation, sentence: str, above: str) -> str:
    """Return why a sentence under these headings does not say this, or nothing if it does."""
    sentence = _NEEDS.sub("needs", sentence)
    words = spoken(sentence)
    if denies(sentence) or _ALSO_DENIED.search(words):
        return DENIED
    if _is_open(words, told.kind):
        return NOT_NOW
    marked = "" if sentence.endswith("?") else _marked(words, told, above)
    return _misread(marked, told.kind) if marked else UNSUPPORTED


def _is_open(words: str, kind: str) -> bool:
    return bool(
        _PLANNED.search(words)
        or (kind not in _EVENTS and _PAST.search(words))
        or (kind not in _RULES and _CONDITIONAL.search(words))
    )


def _marked(words: str, told: FoundRelation, above: str) -> str:
    """Return a sentence with signs for its two ends; nothing if it does not speak of both."""
    ends = {_SOURCE: spoken(told.source), _TARGET: spoken(told.target)}
    for sign in sorted(ends, key=lambda one: -len(ends[one])):
        words = re.sub(rf"(?<= ){re.escape(ends[sign].strip())}(?= )", sign, words)
    missing = [sign for sign in ends if f" {sign} " not in words]
    if not missing:
        return words
    if len(missing) > 1 or not _is_subject(ends[missing[0]], above):
        return ""
    leaning = _LEANING.sub(missing[0], words, count=1)
    if leaning != words:
        return leaning
    return f" {missing[0]}{words}" if _has_no_subject(words, told.kind) else ""


def _is_subject(name: str, above: str) -> bool:
    """Whether a title or heading begins with a name."""
    return any(spoken(part).startswith(name) for part in above.split(" > "))


def _has_no_subject(words: str, kind: str) -> bool:
    """Whether a line begins with what it says, as in ``Owner: …``."""
    first = next((found.start() for found, _ in told_in(words, kind)), len(words))
    return _OPENING.issuperset(words[:first].split())


def _misread(words: str, kind: str) -> str:
    """Return why no words of a sentence say a kind of its ends."""
    reason = UNSUPPORTED
    for found, backwards in told_in(words, kind):
        if kind not in _EVENTS and _WAS.search(words[: found.start()]):
            reason = NOT_NOW
            continue
        before = max(_SOURCE, _TARGET, key=words[: found.start()].rfind)
        behind = re.search(f"[{_SOURCE}{_TARGET}]", words[found.start() :])
        is_between = before in words[: found.start()] and behind and behind[0] != before
        if not is_between or (before == _TARGET) == backwards:
            return ""
        reason = REVERSED
    return reason
