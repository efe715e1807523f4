"""What the words between two names say of them. Knows English phrases and kinds of relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sextant.ingest.extract.vocabulary import RelationVocabulary, installed_vocabularies
from sextant.text.relation_kinds import relation_kinds as named_kinds
from sextant.text.words import fold, words_in

_OWN = RelationVocabulary(
    {name: kind.forwards for name, kind in named_kinds().items()},
    {name: kind.backwards for name, kind in named_kinds().items()},
)
_FILLERS = frozenset(
    "is are was were be been being which that who also currently directly now still then "  # noqa: SIM905 - words read best as words
    "the a an our its their all both has have had in turn mainly only primarily heavily on call "
    "team service process system api database queue job called named".split()
)
_JOINTS = frozenset({(), ("and",), ("or",), ("the",), ("and", "the"), ("as", "well", "as")})
_STAND_INS = frozenset({"it", "this", "they"})
_ESCALATION = frozenset({("escalation", "for"), ("escalation", "of"), ("escalations", "for")})
_FURTHEST = 9
STOP = "."
"""The word that stands between two sentences."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A kind of relation; backwards when the second name is its source."""

    kind: str
    backwards: bool = False


@cache
def _table() -> dict[tuple[str, ...], Saying]:
    """Return what each phrase says; the words of other packages never change what ours say."""
    table: dict[tuple[str, ...], Saying] = {}
    for vocabulary in (*reversed(installed_vocabularies()), _OWN):
        for phrases_by_kind, backwards in (
            (vocabulary.backward, True),
            (vocabulary.forward, False),
        ):
            for kind, phrases in phrases_by_kind.items():
                for phrase in phrases:
                    table[tuple(words_in(fold(phrase)))] = Saying(kind, backwards)
    return table


@cache
def relation_kinds() -> frozenset[str]:
    """Return the kinds of relation that a phrase can say."""
    return frozenset(saying.kind for saying in _table().values())


def saying_of(phrase: str) -> Saying | None:
    """Return what a phrase or the name of a kind says, such as ``is owned by`` or ``owned_by``."""
    plain = "_".join(words_in(fold(phrase)))
    return Saying(plain) if plain in relation_kinds() else _look_up(plain.split("_"))


def phrases_of(kind: str) -> dict[tuple[str, ...], bool]:
    """Return the phrases that say a kind, and whether each says it backwards."""
    return {phrase: said.backwards for phrase, said in _table().items() if said.kind == kind}


def saying_between(words: Sequence[str], first: int, second: int) -> Saying | None:
    """Return what the words from one place to another say, if they say something known."""
    between = words[first:second]
    if not between or len(between) > _FURTHEST:
        return None
    return _look_up(between)


def saying_before(words: Sequence[str], first: int) -> Saying | None:
    """Return what a line says whose own subject is left out: ``Owner: …``, ``It depends on …``."""
    start = first
    while start and words[start - 1] != STOP:
        start -= 1
        if first - start > _FURTHEST:
            return None
    before = words[start:first]
    if before and before[0] in _STAND_INS:
        before = before[1:]
    return _look_up(before)


def goes_on(words: Sequence[str], first: int, second: int) -> bool:
    """Whether nothing but a comma or ``and`` stands between two names."""
    return tuple(words[first:second]) in _JOINTS


def is_about_escalation(words: Sequence[str], first: int) -> bool:
    """Whether a name is preceded by ``escalation for``."""
    return tuple(words[max(0, first - 2) : first]) in _ESCALATION


def _look_up(words: Sequence[str]) -> Saying | None:
    """Find a phrase with nothing but fillers around it; whatever denies it is none of them."""
    table, start, end = _table(), 0, len(words)
    while start < end:
        found = table.get(tuple(words[start:end]))
        if found:
            return found
        if words[start] in _FILLERS:
            start += 1
        elif words[end - 1] in _FILLERS:
            end -= 1
        else:
            return None
    return None
