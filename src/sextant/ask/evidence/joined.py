"""Two pieces that answer a question together, by a name or a rare word that joins them.

``Who leads the team that runs Heron?`` has its answer in two places, and the team that joins them
is not in the question. What the first does not speak of, the second has to.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files
from math import log1p

from sextant.ask.evidence.asked import Asked
from sextant.ask.evidence.marking.coverage import held, share_of
from sextant.ask.evidence.marking.fit import new_names
from sextant.ask.evidence.read import Read
from sextant.text.names import normal_name

_FIRST = 5
"""Among so many of the likeliest pieces one of the two is looked for."""

_NEARLY_ALL, _SOMETHING = 0.8, 0.05
"""Where a piece speaks of so much of what is asked, the other has to bring more than so little."""

_RARE = 1.5
"""A word joins two pieces if no more than one in five has it; a name does in any case."""

_ODDS = 8.0
_SHORTEST, _LONGEST = 3, 60


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells that two pieces belong together: how likely each is, what each speaks of of all
    that is asked, how rare the name and the word are that join them, and whether they stand
    together."""

    first_likely: float
    second_likely: float
    covered: float
    brought: float
    brought_above: float
    name: float
    word: float
    same_document: float
    same_passage: float


@dataclass(frozen=True, slots=True)
class Joint:
    """Two pieces that something joins."""

    first: Read
    second: Read
    signs: Signs

    @property
    def score(self) -> float:
        """How surely they answer the question together; fitted, without bounds."""
        weights = _fitted()
        own = zip(_NAMES, astuple(self.signs), strict=True)
        return weights["bias"] + sum(weights[name] * float(value) for name, value in own)


_NAMES = tuple(item.name for item in fields(Signs))


@cache
def _fitted() -> Mapping[str, float]:
    """Return what each sign weighs, as ``bench/fit_joined.py`` wrote it."""
    text = files(__package__).joinpath("joined.json").read_text(encoding="utf-8")
    weights: dict[str, float] = json.loads(text)
    return weights


def joined(wanted: Asked, reads: Sequence[Read]) -> list[Read]:
    """Return the two pieces that surest answer a question together, if any do."""
    best = max(joints(wanted, reads), key=lambda one: one.score, default=None)
    if best is None or best.score < _fitted()["enough"]:
        return []
    return sorted([best.first, best.second], key=lambda one: -(wanted.odds_of(one.unit) or 0.0))


def _is_enough(covered: float, brought: float) -> bool:
    """Whether a piece that speaks of so much needs no other that brings so much."""
    return covered >= _NEARLY_ALL and brought <= _SOMETHING


def joints(wanted: Asked, reads: Sequence[Read]) -> list[Joint]:
    """Return what is joined to one of the likeliest pieces, and has what the question names."""
    known = [(odds, one) for one in reads if (odds := wanted.odds_of(one.unit)) is not None]
    known.sort(key=lambda own: -own[0])
    rarity = _Rarity([one for _, one in known])
    names = [name for name in wanted.names if any(name.is_in(one) for _, one in known)]
    is_sure = bool(known) and share_of(wanted, _spoken_of(wanted, known[0][1])) >= _NEARLY_ALL
    return [
        joint
        for odds, first in known[: 1 if is_sure else _FIRST]
        for joint in _joints(wanted, first, odds, known, rarity)
        if all(name.is_in(joint.first) or name.is_in(joint.second) for name in names)
    ]


def _joints(
    wanted: Asked,
    first: Read,
    odds: float,
    known: Sequence[tuple[float, Read]],
    rarity: _Rarity,
) -> Iterator[Joint]:
    asked = frozenset(wanted.terms)
    own = _spoken_of(wanted, first)
    covered = share_of(wanted, own)
    names = [(name, rarity.of_name(name)) for name in _bridges(wanted, first)]
    words = {term: rarity.of_word(term) for term in first.terms - asked.union(wanted.stems)}
    for other_odds, second in known:
        spelt = second.name + second.heading
        name = max((rare for name, rare in names if name in spelt), default=0.0)
        word = max((words[term] for term in words.keys() & second.terms), default=0.0)
        same = first.unit.passage.document.id == second.unit.passage.document.id
        if second is first or not (name or word >= _RARE):
            continue
        others = _spoken_of(wanted, second)
        if _is_enough(share_of(wanted, others), share_of(wanted, own - others)):
            continue
        brought = (second.terms & asked) - own
        above = others - own - brought
        if _is_enough(covered, share_of(wanted, brought | above)):
            continue
        yield Joint(
            first,
            second,
            Signs(
                odds / _ODDS,
                other_odds / _ODDS,
                covered,
                share_of(wanted, brought),
                share_of(wanted, above),
                name,
                word,
                float(same),
                float(first.unit.passage.chunk.id == second.unit.passage.chunk.id),
            ),
        )


def _spoken_of(wanted: Asked, one: Read) -> frozenset[str]:
    """Return what a piece speaks of, of all that is asked, with what it stands under."""
    return held(wanted, one) | one.around.intersection(wanted.terms)


def _bridges(wanted: Asked, one: Read) -> set[str]:
    """Return the names in a piece that lead on to others, spelt as they are looked for."""
    names = {normal_name(name) for name in new_names(wanted, one.unit.text)}
    return {f" {name} " for name in names if _SHORTEST <= len(name) <= _LONGEST}


class _Rarity:
    """How few of the pieces have a name or a word."""

    def __init__(self, reads: Sequence[Read]) -> None:
        self._spelt = [one.name + one.heading for one in reads]
        self._counts = Counter(term for one in reads for term in one.terms)

    def of_name(self, name: str) -> float:
        return self._of(sum(name in spelt for spelt in self._spelt))

    def of_word(self, term: str) -> float:
        return self._of(self._counts[term])

    def _of(self, count: int) -> float:
        return log1p((len(self._spelt) - count + 0.5) / (count + 0.5))
