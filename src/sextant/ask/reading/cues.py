"""The relations that a clause asks for, and which way to follow them from the entity it names.

Who acts and who is acted on is read from the order of words. Knows no entity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sextant.ask.reading.frames import Asked, Frame, frame_of
from sextant.ask.reading.names import MONTHS_AND_DAYS
from sextant.ask.reading.tokens import ADVERBS, ASKING, AUXILIARY, PREPOSITIONS, Token, word_set
from sextant.ask.reading.verbs import CONTACT, IMPACT, Role, Said, phrases_in
from sextant.types import Cue, Direction

_DEPENDS = frozenset({"depends_on", "uses", "calls"})
_LATER = frozenset({"causes", "precedes"})
_CALLING = frozenset({"calls", "escalates_to"})
_TO_CALL = frozenset({"escalates_to"})
_TO_TURN_TO = frozenset({"escalates_to", "owned_by"})
_PEOPLE = word_set(
    "who whom whose who's team teams person people squad group department owner engineer "
    "extension number phone channel mailbox"
)
_CONDITIONS = word_set(
    "if when once while without unless during after outage outages down fails failing failure "
    "unavailable offline unreachable silent dies because"
)
_FAILING = word_set(
    "fail failed fails break broke breaks stop stopped stops crash crashed down die died late "
    "delayed stuck unavailable slow broken blocked hang hung"
)
_BEFORE_NAMES = frozenset({"people in", "people on", "head of"})
_RUNNING = frozenset({"run", "runs", "running", "live", "lives", "sit", "sits"})
_NEEDS_OBJECT = frozenset({"run", "runs", "ran", "running", "after"})


def cues_of(tokens: Sequence[Token]) -> tuple[Cue, ...]:
    """Return what relations a clause asks for, in the order of its words, each once."""
    words = frozenset(token.low for token in tokens)
    cues = dict.fromkeys(cue for said in phrases_in(tokens) for cue in _read(tokens, said, words))
    if "why" in words and words & _FAILING:
        cues |= dict.fromkeys(_causes("why"))
    if "where" in words and words & _RUNNING:
        cues[Cue(frozenset({"located_in"}), Direction.OUT, "where")] = None
    return tuple(cues)


def _read(tokens: Sequence[Token], said: Said, words: frozenset[str]) -> Iterator[Cue]:
    phrase = said.phrase
    if not phrase.kinds or (phrase.of_people and not words & _PEOPLE):
        return
    if phrase.role is Role.NOUN:
        if not _goes_on(tokens, said.last) or said.text in _BEFORE_NAMES:
            yield from _noun(said)
        return
    frame = frame_of(tokens, said.first)
    passive = _is_passive(tokens, said, frame)
    if CONTACT in phrase.kinds:
        if (frame.asker or passive) and words & _PEOPLE:
            yield Cue(_TO_TURN_TO, Direction.OUT, said.text)
    elif IMPACT in phrase.kinds:
        if frame.asker and not passive:
            return
        yield from _impact(tokens, said, frame, passive, bool(words & _CONDITIONS))
    elif frame.asker and not passive:
        if phrase.kinds <= _CALLING:
            yield Cue(_TO_CALL, Direction.OUT, said.text)
    else:
        yield from _relation(tokens, said, frame, passive, words)


def _noun(said: Said) -> Iterator[Cue]:
    if IMPACT in said.phrase.kinds:
        yield from _effects(said.text)
    elif said.phrase.kinds == {"causes"}:
        yield from _causes(said.text)
    else:
        direction = Direction.IN if said.phrase.backwards else Direction.OUT
        yield Cue(said.phrase.kinds, direction, said.text)


def _relation(
    tokens: Sequence[Token], said: Said, frame: Frame, passive: bool, words: frozenset[str]
) -> Iterator[Cue]:
    kinds, acted_on = said.phrase.kinds, _goes_on(tokens, said.last)
    by_somebody = passive and _by(tokens, said)
    if passive and not by_somebody and kinds <= _CALLING:
        if words & (_PEOPLE | _CONDITIONS) and not acted_on:
            yield Cue(_TO_CALL, Direction.OUT, said.text)
        return
    if (said.text in _NEEDS_OBJECT and not acted_on) or _is_time(tokens, said.last):
        return
    if frame.asked is Asked.NEITHER and (acted_on or by_somebody):
        yield Cue(kinds, Direction.BOTH, said.text)
        return
    entity_acts = (frame.asked is Asked.SUBJECT) == passive
    forwards = entity_acts != said.phrase.backwards
    yield Cue(kinds, Direction.OUT if forwards else Direction.IN, said.text)


def _impact(
    tokens: Sequence[Token], said: Said, frame: Frame, passive: bool, condition: bool
) -> Iterator[Cue]:
    """Yield what an outage does. ``What breaks X?`` asks for what X needs instead."""
    transitive = _goes_on(tokens, said.last) and not passive
    if frame.asked is Asked.SUBJECT and transitive:
        yield from _causes(said.text)
    elif frame.asked is Asked.SUBJECT:
        if condition or _by(tokens, said):
            yield from _effects(said.text)
    elif transitive or (frame.asked is Asked.OBJECT and not passive) or (passive and condition):
        yield from _effects(said.text)


def _is_time(tokens: Sequence[Token], at: int) -> bool:
    """Whether a day or a month follows: ``runs on Sundays`` says nothing of a place."""
    return at < len(tokens) and tokens[at].low.removesuffix("s") in MONTHS_AND_DAYS


def _effects(word: str) -> Iterator[Cue]:
    yield Cue(_DEPENDS, Direction.IN, word)
    yield Cue(_LATER, Direction.OUT, word)


def _causes(word: str) -> Iterator[Cue]:
    yield Cue(frozenset({"causes"}), Direction.IN, word)
    yield Cue(_DEPENDS, Direction.OUT, word)


def _is_passive(tokens: Sequence[Token], said: Said, frame: Frame) -> bool:
    if said.phrase.role is not Role.VERB or not said.phrase.participle:
        return False
    return frame.being or _by(tokens, said)


def _by(tokens: Sequence[Token], said: Said) -> bool:
    return said.last < len(tokens) and tokens[said.last].low in ("by", "with")


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether something that is acted on follows a verb."""
    while at < len(tokens) and tokens[at].low in ADVERBS:
        at += 1
    if at >= len(tokens) or not tokens[at].is_word:
        return False
    small = PREPOSITIONS | AUXILIARY | ASKING | {"and", "or", "if", "because", "then"}
    return tokens[at].low not in small
