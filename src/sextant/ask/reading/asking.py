"""Where a clause asks, and for what: the question word, what follows it, the noun it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.reading.tokens import (
    ADVERBS,
    ASKING,
    AUXILIARY,
    BEING,
    DETERMINERS,
    JOINING,
    PERSONAL,
    PREPOSITIONS,
    Token,
)

_CONDITIONS = frozenset({"if", "when", "while", "once", "after", "before", "unless", "suppose"})
_COURTESIES = tuple(
    tuple(said.split())
    for said in (
        "can you tell me;could you tell me;would you tell me;can you please tell me;"
        "could you please tell me;can anyone tell me;can somebody tell me;can someone tell me;"
        "could someone tell me;can you explain;could you explain;can you please explain;"
        "could you please explain;can you show me;could you show me;can you give me;"
        "can you remind me;can you list;could you list;can you say;can you find out;"
        "can you check;do you know;do we know;do you happen to know;does anyone know;"
        "does anybody know;does somebody know;does someone know;does anyone here know;"
        "i would like to know;i want to know;i need to know;we need to know;i'd like to know;"
        "i'd love to know;i would like to understand;i want to understand;i wonder;"
        "i was wondering;i am wondering;i'm wondering;we were wondering;i'm not sure;"
        "i am not sure;i'm trying to find out;i am trying to find out;i have to know;any idea;"
        "please tell me;please tell us;tell me;tell us;please show me;show me;please explain;"
        "please remind me;remind me;is it known;is it clear;may i ask;let me know;let us know;"
        "please let me know;please say;please;kindly;quick question;question;one question;"
        "hi;hello;hey;hi there;hello there;ok;okay;so;well;now;and;but;also;then;thanks;"
        "good morning;good afternoon;exactly;about;whether;just;sorry;excuse me"
    ).split(";")
)
_BY_FIRST: dict[str, tuple[tuple[str, ...], ...]] = {}
for _said in sorted(_COURTESIES, key=len, reverse=True):
    _BY_FIRST[_said[0]] = (*_BY_FIRST.get(_said[0], ()), _said)
_BETWEEN = frozenset({",", ":", ";", ".", "!", "?", "-", "–", "—", "("})  # noqa: RUF001 - dashes as they are printed
_SHORT = {"who's": "who", "what's": "what", "where's": "where", "when's": "when", "how's": "how"}
_VERBS_AFTER_WHAT = frozenset(
    "breaks break broke stops stop happens happen depends depend relies rely needs need uses use "  # noqa: SIM905 - words read best as words
    "calls call owns own replaces replaced replace runs run fails fail goes go comes come caused "
    "causes cause led leads made makes keeps keep holds hold says say sends send starts start "
    "triggers triggered changed changes change follows follow precedes provides provide backs "
    "contains contain includes include requires require consumes consume belongs belong reads "
    "writes supports handles handle explains explain prompted else remains gets reads talks "
    "feeds blocks block suffers suffer stands works work counts delays delayed falls fall".split()
)


@dataclass(frozen=True, slots=True)
class Asking:
    """How a clause asks.

    ``words`` follow the question word, or are all words if there is none; ``before`` stands in
    front of it; ``noun`` is what it asks for and ``head`` the noun's last word.
    """

    word: str
    words: tuple[str, ...]
    before: str = ""
    noun: str = ""
    is_all_name: bool = False

    @property
    def head(self) -> str:
        """Return the last word of the noun."""
        return self.noun.rpartition(" ")[2]


def after_courtesies(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return a clause without ``could you please tell me`` and the like in front."""
    at = 0
    for _ in range(6):
        while at < len(tokens) and tokens[at].text in _BETWEEN:
            at += 1
        taken = _courtesy(tokens, at)
        if not taken or at + taken >= len(tokens):
            break
        at += taken
    return tokens[at:]


def _courtesy(tokens: Sequence[Token], at: int) -> int:
    if at >= len(tokens):
        return 0
    for said in _BY_FIRST.get(tokens[at].low, ()):
        if tuple(token.low for token in tokens[at : at + len(said)]) == said:
            return len(said)
    return 0


def after_condition(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return a clause without a condition in front, as in ``If it fails, …``."""
    if not tokens or tokens[0].low not in _CONDITIONS:
        return tokens
    for at, token in enumerate(tokens):
        if token.text == "," and at + 1 < len(tokens) and _may_open(tokens, at + 1):
            return tokens[at + 1 :]
    return tokens


def _may_open(tokens: Sequence[Token], at: int) -> bool:
    """Whether a question may open here: a question word, also after a preposition, or a verb."""
    word = tokens[at].low
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    if word in PREPOSITIONS | JOINING:
        return after in ASKING
    return word in ASKING | AUXILIARY or word in _BY_FIRST or word in ("list", "name", "show")


def asking_of(tokens: Sequence[Token]) -> Asking:
    """Read how a clause asks."""
    tokens = after_courtesies(after_condition(after_courtesies(tokens)))
    at = _question_word(tokens)
    if at is None:
        return Asking("", tuple(token.low for token in tokens if token.is_word))
    low = tokens[at].low
    word, rest = _SHORT.get(low, low), tokens[at + 1 :]
    words = tuple(token.low for token in rest if token.is_word)
    if low != word:
        words = ("is", *words)
    noun, named = _noun(word, "is" if low != word else "", rest)
    return Asking(word, words, tokens[at - 1].low if at else "", noun, named)


def _question_word(tokens: Sequence[Token]) -> int | None:
    """Return where the question word stands: in front, else where no noun is before it."""
    if not tokens or tokens[0].low in AUXILIARY:
        return None
    fallback: int | None = None
    for at, token in enumerate(tokens):
        if token.low not in ASKING:
            continue
        before = tokens[at - 1].low if at else ""
        if not before or before in PREPOSITIONS | JOINING | AUXILIARY or before in _BETWEEN:
            return at
        if token.low in ("what", "how", "when") or fallback is None:
            fallback = at
    return fallback


def _noun(word: str, being: str, rest: Sequence[Token]) -> tuple[str, bool]:
    """Return the noun that is asked for, and whether it is bare: ``What is Service A?``"""
    if word == "how":
        return (_phrase(rest[1:])[0], False) if rest and rest[0].low in ("many", "much") else ("", False)
    if word not in ("what", "which", "whose"):
        return "", False
    at = 0
    if being or (rest and rest[0].low in BEING):
        at = 0 if being else 1
        while at < len(rest) and rest[at].low in DETERMINERS | ADVERBS:
            at += 1
        noun, taken = _phrase(rest[at:], frozenset())
        return noun, bool(noun) and not _goes_on(rest[at + taken :])
    if rest and rest[0].low in _VERBS_AFTER_WHAT:
        return "", False
    if rest and rest[0].low == "of":
        rest = rest[2:]
    return _phrase(rest)[0], False


_LONGEST_NOUN = 6


def _phrase(
    tokens: Sequence[Token], verbs: frozenset[str] = _VERBS_AFTER_WHAT
) -> tuple[str, int]:
    """Return the words up to a verb, a small word or a sign, and how many they are."""
    words: list[str] = []
    for token in tokens[:_LONGEST_NOUN]:
        verb = bool(words) and token.low in verbs
        small = token.low in AUXILIARY | PREPOSITIONS | JOINING | ASKING | PERSONAL | DETERMINERS
        letter = token.text == "A" and bool(words)
        if not token.is_word or verb or (small and not letter):
            break
        words.append(token.low)
    return " ".join(words), len(words)


def _goes_on(tokens: Sequence[Token]) -> bool:
    return any(token.is_word for token in tokens)
