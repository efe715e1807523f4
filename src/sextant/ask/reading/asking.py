"""Where a clause asks, and for what: the question word, what follows it, the noun it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.reading.courtesies import after_courtesies, opens_politely
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
    word_set,
)
from sextant.ask.reading.verbs import VERB_FORMS, VERBS

_CONDITIONS = frozenset({"if", "when", "while", "once", "after", "before", "unless", "suppose"})
_ORDERS = frozenset({"list", "name", "show", "give", "explain", "describe", "compare"})
_BETWEEN = frozenset({",", ":", ";", ".", "!", "?", "-", "–", "—", "("})  # noqa: RUF001 - dashes as they are printed
_BEFORE_ASKING = PREPOSITIONS | JOINING | AUXILIARY | _BETWEEN
_SHORT = {f"{word}'s": word for word in ("who", "what", "where", "when", "how")}
_SHORT |= {"whos": "who", "whats": "what"}
_VERBS_AFTER_WHAT = VERB_FORMS | word_set(
    "break stop happen keeps keep holds hold says say sends send starts start changed changes "
    "writes supports explains explain prompted else remains gets talks stands works work counts "
    "falls fall made makes got watches watch got goes sits"
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
    return word in ASKING | AUXILIARY or opens_politely(word) or word in _ORDERS


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


def noun_at(tokens: Sequence[Token]) -> str:
    """Return the noun that begins here, up to a verb or a small word."""
    return _phrase(tokens)[0]


def _question_word(tokens: Sequence[Token]) -> int | None:
    """Return where the question word stands: in front, else where no noun is before it."""
    if not tokens or tokens[0].low in AUXILIARY:
        return None
    fallback: int | None = None
    for at, token in enumerate(tokens):
        if token.low not in ASKING:
            continue
        before = tokens[at - 1].low if at else ""
        if not before or before in _BEFORE_ASKING:
            return at
        if token.low in ("what", "how", "when") or fallback is None:
            fallback = at
    return fallback


def _noun(word: str, being: str, rest: Sequence[Token]) -> tuple[str, bool]:
    """Return the noun that is asked for, and whether it is bare: ``What is Service A?``"""
    if word == "how" and rest and rest[0].low in ("many", "much"):
        return _phrase(rest[1:])[0], False
    if word not in ("what", "which", "whose"):
        return "", False
    if being or (rest and rest[0].low in BEING):
        return _noun_after_being(rest if being else rest[1:])
    if rest and rest[0].low == "of":
        rest = rest[2:]
    return ("", False) if rest and rest[0].low in _VERBS_AFTER_WHAT else (_phrase(rest)[0], False)


def _noun_after_being(rest: Sequence[Token]) -> tuple[str, bool]:
    at = 0
    while at < len(rest) and rest[at].low in _BEFORE_NOUN:
        at += 1
    noun, taken = _phrase(rest[at:], frozenset())
    bare = bool(noun) and not _goes_on(rest[at + taken :])
    named = taken > 0 and rest[at].text[:1].isupper()
    done = at == 0 and noun.partition(" ")[0].endswith("ed")
    return ("" if named or done else noun), bare and not done


_LONGEST_NOUN = 6
_SMALL = AUXILIARY | PREPOSITIONS | JOINING | ASKING | PERSONAL | DETERMINERS | ADVERBS | {"there"}
_BEFORE_NOUN = DETERMINERS | ADVERBS


def _phrase(tokens: Sequence[Token], verbs: frozenset[str] = _VERBS_AFTER_WHAT) -> tuple[str, int]:
    """Return the words up to a verb, a small word, a sign or a name, and how many they are."""
    words: list[str] = []
    for before, token in zip((None, *tokens), tokens[:_LONGEST_NOUN], strict=False):
        letter = token.text == "A" and bool(words)
        if not token.is_word or (token.low in _SMALL and not letter):
            break
        if before and (token.low in verbs or _ends_noun(before, token)):
            break
        words.append(token.low)
    return " ".join(words), len(words)


def _ends_noun(before: Token, token: Token) -> bool:
    """Whether a verb or a name follows a noun: ``services use``, ``runbook Harbor Queue``."""
    named = before.text.islower() and token.text[:1].isupper() and len(token.text) > 1
    acts = before.low.endswith("s") and token.low in VERBS
    return named or acts or token.low.endswith("ed")


def _goes_on(tokens: Sequence[Token]) -> bool:
    return any(token.is_word for token in tokens)
