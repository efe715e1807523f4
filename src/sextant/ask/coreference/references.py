"""Words of a question that mean something said before it: it, its, that team, the latter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from sextant.text.tokens import (
    AUXILIARY,
    BEING,
    DETERMINERS,
    PREPOSITIONS,
    STOP_WORDS,
    Token,
    tokens_of,
    word_set,
)
from sextant.text.written_names import TYPES, names_in


class Means(StrEnum):
    """What sort of thing a reference means."""

    THING = "thing"
    GROUP = "group"
    PERSON = "person"
    PLACE = "place"
    TYPE = "type"
    FORMER = "former"
    LATTER = "latter"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference and where it stands; ``noun`` is the ``team`` of ``that team``."""

    text: str
    means: Means
    start: int
    end: int
    noun: str = ""
    owns: bool = False

    @property
    def points(self) -> bool:
        """Whether it is ``that team``, which something before must explain."""
        return self.means is Means.TYPE and not self.text.lower().startswith("the ")


_WORDS = {
    "it": Means.THING,
    "its": Means.THING,
    "itself": Means.THING,
    "they": Means.GROUP,
    "them": Means.GROUP,
    "their": Means.GROUP,
    "theirs": Means.GROUP,
    "he": Means.PERSON,
    "she": Means.PERSON,
    "him": Means.PERSON,
    "her": Means.PERSON,
    "his": Means.PERSON,
    "hers": Means.PERSON,
}
_OWNING = frozenset({"its", "their", "theirs", "his", "hers"})
_PEOPLE = frozenset({"person", "people", "guy", "colleague", "owner", "lead", "leader", "manager"})
_POINTING = frozenset({"this", "that", "these", "those"})
_BREAKS = frozenset(
    {",", ";", ":", ".", "?", "and", "or", "but", "if", "when", "while", "because", "although"}
)
_OPINIONS = word_set(
    "possible true necessary known ok okay safe allowed likely worth normal clear correct right "
    "time that important required permitted common best better wise easy hard too still raining "
    "matter mean take takes make"
)
_FIRST, _SECOND = frozenset({"former", "first"}), frozenset({"latter", "second"})
_MOST = 4
"""References that are looked at in one question."""


def references_in(text: str) -> tuple[Reference, ...]:
    """Return the references that the question itself does not explain."""
    tokens = tokens_of(text)
    named = min((name.end for name in names_in(text)), default=len(text) + 1)
    found: list[Reference] = []
    for reference in _candidates(tokens):
        explained = reference.start >= named or _is_explained(tokens, reference)
        if not explained and len(found) < _MOST:
            found.append(reference)
    return tuple(found)


def _candidates(tokens: Sequence[Token]) -> Iterator[Reference]:
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.low in _WORDS:
            if not (token.low == "it" and _is_empty_it(tokens, at)):
                yield _reference(tokens, at, at + 1, _WORDS[token.low])
        elif token.low in _POINTING:
            yield from _pointing(tokens, at)
        elif token.low == "there" and _ends(after) and before and before.low not in BEING:
            yield _reference(tokens, at, at + 1, Means.PLACE)
        elif token.low == "the":
            yield from _definite(tokens, at)


def _reference(
    tokens: Sequence[Token], first: int, last: int, means: Means, noun: str = ""
) -> Reference:
    start, end = tokens[first].start, tokens[last - 1].end
    said = " ".join(token.text for token in tokens[first:last])
    low = tokens[last - 1].low
    after = tokens[last] if last < len(tokens) else None
    of_hers = low == "her" and after is not None and after.is_word and after.low not in STOP_WORDS
    owns = low in _OWNING or of_hers or low.endswith("'s")
    return Reference(said, means, start, end, noun, owns)


def _ends(after: Token | None) -> bool:
    return after is None or not after.is_word


def _is_empty_it(tokens: Sequence[Token], at: int) -> bool:
    """Whether ``it`` means nothing, as in ``is it possible to`` or ``how long does it take to``."""
    after = [token.low for token in tokens[at + 1 : at + 6]]
    if not after or after[0] not in _OPINIONS:
        return after[:1] == ["?"] and tokens[at - 1].low == "is" and tokens[at - 2].low == "time"
    return bool({"to", "that", "if", "when", "for"} & set(after))


def _pointing(tokens: Sequence[Token], at: int) -> Iterator[Reference]:
    """Read ``that team``, and a bare ``that`` which joins nothing."""
    before = tokens[at - 1].low if at else ""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    noun = after.low.removesuffix("'s") if after is not None else ""
    joined = before in PREPOSITIONS and bool(noun) and noun not in STOP_WORDS
    if noun in _PEOPLE:
        yield _reference(tokens, at, at + 2, Means.PERSON, noun)
    elif _is_type(noun) and (before or tokens[at].low != "that"):
        yield _reference(tokens, at, at + 2, Means.TYPE, noun)
    elif _ends(after) or joined or (noun not in STOP_WORDS and _points(before, tokens[at].low)):
        yield _reference(tokens, at, at + 1, Means.TOPIC)


def _points(before: str, word: str) -> bool:
    """Whether this is no ``that`` which joins two clauses."""
    return word != "that" or before in AUXILIARY


def _is_type(noun: str) -> bool:
    return bool({noun, noun.removesuffix("s"), noun.removesuffix("es")} & TYPES)


def _definite(tokens: Sequence[Token], at: int) -> Iterator[Reference]:
    """Read ``the latter``, and ``the team`` where nothing says which."""
    word = tokens[at + 1].low if at + 1 < len(tokens) else ""
    one = at + 2 < len(tokens) and tokens[at + 2].low == "one"
    if word in ("former", "latter") or (word in _FIRST | _SECOND and one):
        means = Means.FORMER if word in _FIRST else Means.LATTER
        yield _reference(tokens, at, at + 2 + one, means)
    elif word in TYPES and _ends(tokens[at + 2] if at + 2 < len(tokens) else None):
        yield _reference(tokens, at, at + 2, Means.TYPE, word)


def _is_explained(tokens: Sequence[Token], reference: Reference) -> bool:
    """Whether a noun in an earlier clause of the question is what is meant."""
    noun = broken = False
    for before, token in pairwise(tokens):
        if token.start >= reference.start:
            break
        broken = broken or (noun and token.low in _BREAKS)
        opens = before.low in (DETERMINERS - _POINTING) | {"which", "what", "whose"}
        content = token.is_word and token.low not in STOP_WORDS | PREPOSITIONS
        several = reference.means is Means.GROUP and token.low.endswith("s")
        noun = noun or (content and (opens or several))
    return noun and broken
