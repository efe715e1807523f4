"""Who stands before a verb: what is asked for, or what the question is about. Knows no verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sextant.ask.reading.tokens import (
    ADVERBS,
    ASKING,
    AUXILIARY,
    BEING,
    DETERMINERS,
    PERSONAL,
    PREPOSITIONS,
    Token,
)


class Asked(StrEnum):
    """What of a verb is asked for: its subject, its object, or neither."""

    SUBJECT = "subject"
    OBJECT = "object"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before a verb: ``being`` is a verb of being, ``asker`` whoever asks."""

    asked: Asked
    being: bool = False
    asker: bool = False


ADJUNCTS = frozenset({"why", "when", "where", "how"})
_ASKERS = frozenset({"i", "we", "you", "one", "somebody", "someone", "anybody", "people"})
_GETTING = frozenset({"get", "gets", "got", "getting"})
_CLAUSE_STARTS = frozenset({"if", "because", "while", "although", "whether", "unless", "once"})
_STOPS = frozenset(",;:.!?()")
_FURTHEST, _NOUN = 24, 8
"""How many words a verb stands from its question word, and an auxiliary from it, at most."""


def frame_of(tokens: Sequence[Token], verb: int) -> Frame:
    """Read backwards from a verb who its subject is."""
    asker = named = being = False
    for at in range(verb - 1, max(-1, verb - _FURTHEST), -1):
        token = tokens[at]
        if token.text in _STOPS or token.low in _CLAUSE_STARTS:
            return Frame(Asked.NEITHER, being, asker)
        if token.low in ASKING or token.low == "that":
            return Frame(_after_question_word(token.low, named), being, asker)
        if token.low in AUXILIARY | _GETTING:
            being = being or token.low in BEING | _GETTING
            if _has_subject(tokens, at + 1, verb):
                return Frame(_before_auxiliary(tokens, at), being, asker)
        elif token.low not in ADVERBS:
            asker = asker or token.low in _ASKERS
            named = named or _is_subject(tokens, at)
    return Frame(_without_question(tokens, verb), being, asker)


def _after_question_word(word: str, named: bool) -> Asked:
    if word in ADJUNCTS:
        return Asked.NEITHER
    return Asked.OBJECT if named else Asked.SUBJECT


def _before_auxiliary(tokens: Sequence[Token], auxiliary: int) -> Asked:
    """Return what is asked for before ``does X``: a thing, or with ``why`` and the like none."""
    for at in range(auxiliary - 1, max(-1, auxiliary - _NOUN), -1):
        if tokens[at].low in ASKING:
            return Asked.NEITHER if tokens[at].low in ADJUNCTS else Asked.OBJECT
        if tokens[at].text in _STOPS:
            break
    return Asked.NEITHER


def _without_question(tokens: Sequence[Token], verb: int) -> Asked:
    """Read ``services owned by`` and ``services using``; else nothing is asked for."""
    before = tokens[verb - 1] if verb else None
    noun = before is not None and before.is_word and before.text.islower()
    follows = any(token.low in ("by", "with") for token in tokens[verb + 1 : verb + 3])
    if noun and (follows or tokens[verb].low.endswith("ing")):
        return Asked.SUBJECT
    return Asked.NEITHER


def _has_subject(tokens: Sequence[Token], first: int, last: int) -> bool:
    return any(
        token.is_word and token.low not in ADVERBS | AUXILIARY | PREPOSITIONS | {"going"}
        for token in tokens[first:last]
    )


def _is_subject(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    capital = token.text[:1].isupper() and at > 0
    return capital or token.low in DETERMINERS | PERSONAL
