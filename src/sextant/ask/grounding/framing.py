"""Lines that claim nothing and so need no source: headings, lead-ins, and what sources do not say.

Narrow on purpose: what could be a claim in disguise is none of these. Knows English.
"""

from __future__ import annotations

import re

from sextant.ask.grounding.values import values_of
from sextant.ask.grounding.wording import stems_of
from sextant.text.names import normal_name
from sextant.text.prose.negation import NEGATIONS, denies
from sextant.text.tokens import ASKING, AUXILIARY, word_set
from sextant.text.words import Words, fold, words_in

_LONGEST = 200
_ENGLISH = Words()
_FRAMING = word_set(
    "answer answers background brief cause causes comparison conclusion consequences context "
    "details difference differences effect effects example examples fact facts following follows "
    "information key list next order overview owner owners part parts point points process reason "
    "reasons related requirements result results rule rules short step steps summary team teams "
    "timeline way ways"
)
"""What a heading or a lead-in may say besides the words of the question."""

_VAGUE = (
    "anything answer contact date detail exact exactly further information lead name number owner "
    "reason time"
)
"""What a sentence about missing knowledge may say besides the words of the question."""

_ASKING_BACK = (
    "called context date describe described detail details document documented exactly example "
    "find found information kind look looking mean meant name named page period refer referring "
    "source system team time type version want wanted"
)
"""What a question back may say besides the words of the question."""

_LISTING = re.compile(r"\b(?:is|are)(?= (?:the following|these|as follows)\b)|\bas follows\b")
_CLAIMING = AUXILIARY | NEGATIONS | {"yes", "without"}
_SOURCES = (
    r"(?:the|these|provided|available|given|retrieved|any|of the|knowledge|cited)\s+"
    r"(?:(?:provided|available|given|retrieved|cited)\s+)?"
    r"(?:sources?|documents?|passages?|chunks?|evidence|knowledge|context|information|material)"
)
_TELL = (
    r"(?:say|mention|state|contain|cover|describe|specify|include|tell|explain|give|provide|name|"
    r"list|answer|indicate|show|detail|address|define|clarify)"
)
_DENIAL = re.compile(
    rf"(?:{_SOURCES} (?:do|does|did) not {_TELL}\b"
    rf"|(?:it|this|that) is not (?:stated|mentioned|known|clear|specified|said|described|given)\b"
    rf"|there is no (?:information|mention|evidence|source|statement|detail)s? (?:about|on|of|for|"
    rf"that|in)\b|no (?:source|document|passage|information)s?\b[^,;]{{0,60}}\b"
    rf"(?:says?|mentions?|states?|describes?|is given|is available|tells?)\b"
    rf"|none of {_SOURCES} (?:says?|mentions?|states?|tells?|describes?|explains?)\b)",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"[,;:\u2013\u2014()\[\]<>|`]|\b(?:but|however|please|you|your|yours|instead|so|must|should|"
    r"click|visit|call|send|contact|go|open|see|because|as|and)\b",
    re.IGNORECASE,
)
"""What would bring in a second thought."""

_INNER = re.compile(r"[.,;:!?\u2013\u2014]")
_BAIT = re.compile(
    r"[<>\[\]|`]|\b(?:passwords?|passphrase|pins?|tokens?|secrets?|credentials?|keys?|log ?in|"
    r"logins?|cards?|click|visit|send|e-?mail|pay|install|download|upload|paste|forward)\b"
)
"""What nobody has to be asked for in order to be answered."""


def is_frame(text: str, question: str, words: Words) -> bool:
    """Whether a heading or a lead-in only names a part of an answer, and claims nothing."""
    said = _LISTING.sub("", fold(text)).rstrip(": ")
    own, named = stems_of(said, words), stems_of(" ".join(values_of(text).names), words)
    framing = stems_of(" ".join(_FRAMING), words)
    if len(text) > _LONGEST or _INNER.search(said) or _denies_or_claims(said):
        return False
    leads = own <= named or not framing.isdisjoint(own - named) or said.split()[0] in ASKING
    known = own <= stems_of(question, words) | framing
    return leads and known and _names_nothing_new(text, question)


def is_denial(text: str, question: str, words: Words) -> bool:
    """Whether a sentence says that something of the question is not told, and nothing else."""
    if len(text) > _LONGEST or _MORE.search(text) or not _DENIAL.match(text):
        return False
    asked, rest = stems_of(question, words), _DENIAL.sub("", text, count=1)
    own = stems_of(rest, words)
    fits = own <= asked | stems_of(_VAGUE, words) and not own.isdisjoint(asked)
    return fits and not denies(rest) and _names_nothing_new(text, question)


def is_question_back(text: str, question: str) -> bool:
    """Whether a text asks for what is missing, in the question's words, and without any bait."""
    fits = len(text) <= _LONGEST and text.count("?") == 1 and text.rstrip().endswith("?")
    bait = set(_BAIT.findall(text.lower())) - set(_BAIT.findall(question.lower()))
    known = stems_of(f"{question} {_ASKING_BACK}", _ENGLISH)
    told = stems_of(text, _ENGLISH) <= known and not denies(text)
    return fits and told and not bait and _names_nothing_new(text, question)


def _denies_or_claims(folded: str) -> bool:
    return denies(folded) or not _CLAIMING.isdisjoint(words_in(folded))


def _names_nothing_new(text: str, question: str) -> bool:
    """Whether no number, name or address is in a text that the question does not have."""
    own, asked = values_of(text), values_of(question)
    said = f" {normal_name(question)} "
    return (
        own.numbers <= asked.numbers
        and set(own.identifiers) <= set(asked.identifiers)
        and all(f" {name} " in said for name in own.names)
    )
