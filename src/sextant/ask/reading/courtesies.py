"""Polite words around a question, which ask for nothing themselves. Knows English only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.reading.tokens import Token


@dataclass(frozen=True, slots=True)
class _Slot:
    words: frozenset[str]
    optional: bool
    stays: bool


_PEOPLE = "you|someone|somebody|anyone|anybody"
_SAID = (
    f"can|could|would|will {_PEOPLE} please|kindly? tell|show|give|remind me|us",
    f"can|could|would {_PEOPLE} please|kindly? explain|say|check|find|look out|up?",
    f"can|could|would {_PEOPLE} please|kindly? =list|describe|compare|name|summarise|summarize",
    "do|does you|we|anyone|anybody|someone|somebody here? happen? to? know",
    "i|we would? like|love|want|need|have to know|understand|find|see|ask|learn out?",
    "i'd like|love to know|understand|find|see|ask out?",
    "i|we am|was|were? wonder|wondering|unsure",
    "i'm not? sure|wondering|unsure|curious",
    "i'm trying to find out?",
    "i'm looking for",
    "please? let me|us know",
    "please? tell|show|remind me|us",
    "is it known|clear",
    "may|can i ask",
    "quick|one|another? question",
    "any idea",
    "excuse me",
    "thank you",
    "hi|hello|hey there|all|everyone?",
    "good morning|afternoon|evening",
    "please|kindly|ok|okay|so|well|now|and|but|also|then|thanks|exactly|about|whether|just|sorry",
)
_SIGNS = frozenset({",", ":", "-", "–", "—", "!", "."})  # noqa: RUF001 - dashes as they are printed
_MOST = 6


def _slots(said: str) -> tuple[_Slot, ...]:
    """Read a pattern: ``a|b`` are choices, ``?`` marks what may be missing, ``=`` what stays."""
    return tuple(
        _Slot(frozenset(words.strip("=?").split("|")), words.endswith("?"), words.startswith("="))
        for words in said.split()
    )


_PATTERNS = tuple(_slots(said) for said in _SAID)
_FIRST = frozenset(
    word
    for pattern in _PATTERNS
    for slot in pattern[: 2 if pattern[0].optional else 1]
    for word in slot.words
)


def after_courtesies(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return a clause without ``could you please tell me`` and the like in front."""
    at = 0
    for _ in range(_MOST):
        start = at
        while start < len(tokens) and tokens[start].text in _SIGNS:
            start += 1
        taken = _taken(tokens, start)
        if start + taken >= len(tokens) or not taken:
            break
        at = start + taken
    while 0 < at < len(tokens) - 1 and tokens[at].text in _SIGNS:
        at += 1
    return tokens[at:]


def opens_politely(word: str) -> bool:
    """Whether a courtesy may begin with a word."""
    return word in _FIRST


def _taken(tokens: Sequence[Token], at: int) -> int:
    """Return how many tokens the first courtesy that fits takes."""
    if at >= len(tokens) or tokens[at].low not in _FIRST:
        return 0
    return next((taken for slots in _PATTERNS if (taken := _fits(tokens, at, slots))), 0)


def _fits(tokens: Sequence[Token], start: int, slots: Sequence[_Slot]) -> int:
    at = start
    for slot in slots:
        there = at < len(tokens) and tokens[at].low in slot.words
        if not there and not slot.optional:
            return 0
        at += there and not slot.stays
    return at - start
