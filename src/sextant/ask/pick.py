"""From scored passages to the few that a model reads: they cover the parts, none of them twice.

Knows what passages say in words, and what nothing speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.score import Readings, Scored, share_of, weigh_words
from sextant.text.content_words import content_terms, spoken_terms
from sextant.text.prose.negation import NEGATIONS
from sextant.text.words import Words
from sextant.types import Hit

MOST = 8
_ALIKE = 0.85
"""From this share of common words on two texts are one."""

_COVERING = 0.5
"""What speaking of all that is asked and new counts beside the rank, which is 0 to 1."""

_NAMED, _ASKED_BACK = 4, 3


@dataclass(frozen=True, slots=True)
class Picked:
    """At most eight hits that say different things, and what none of them speaks of."""

    hits: tuple[Hit, ...]
    missing: tuple[str, ...] = ()
    duplicates: int = 0


def pick_passages(
    parts: Sequence[str],
    scored: Sequence[Sequence[Scored]],
    readings: Readings,
    most: int = MOST,
    phrases: Phrases = ENGLISH,
) -> Picked:
    """Pick the best passage for each part, then what ranks high and speaks of something new.

    Scored are the passages for each part, the whole question first, as ``score_passages`` does it.
    """
    whole = list(scored[0]) if scored else []
    every = [readings.read(one.hit.passage).every for one in whole]
    weights = [weigh_words(content_terms(readings.words, text), every) for text in parts]
    taken, duplicates = _taken(whole, scored[1:], weights, readings, most)
    told = [spoken_terms(readings.words, text) for text in parts]
    hits = tuple(
        replace(one.hit, why=_why(readings.read(one.hit.passage).every, told, weights))
        for one in taken
    )
    seen = frozenset[str]().union(*(readings.read(one.passage).every for one in hits))
    return Picked(hits, ask_back(parts, seen, readings.words, phrases), duplicates)


def _taken(
    whole: Sequence[Scored],
    parts: Sequence[Sequence[Scored]],
    weights: Sequence[Mapping[str, float]],
    readings: Readings,
    most: int,
) -> tuple[list[Scored], int]:
    """Return the passages that are taken, the likeliest first, and how many said the same."""
    by_id = {one.hit.passage.chunk.id: one for one in whole}
    rank = {name: 1 - at / len(by_id) for at, name in enumerate(by_id)}
    first = [own[0].hit.passage.chunk.id for own in (whole, *parts) if own]
    left, kept = dict(by_id), list[Scored]()
    seen = frozenset[str]()
    wanted = iter(first)
    while left and len(kept) < most:
        name = next((own for own in wanted if own in left), "")
        name = name or max(
            left, key=lambda own: rank[own] + _COVERING * _new(left[own], weights, seen, readings)
        )
        one = left.pop(name)
        kept.append(one)
        seen |= readings.read(one.hit.passage).every
        left = {own: other for own, other in left.items() if not are_alike(one, other, readings)}
    kept.sort(key=lambda one: -rank[one.hit.passage.chunk.id])
    return kept, len(by_id) - len(left) - len(kept)


def _new(
    one: Scored, parts: Sequence[Mapping[str, float]], seen: frozenset[str], readings: Readings
) -> float:
    """Return the share of all parts that a passage speaks of and none before it."""
    terms = readings.read(one.hit.passage).every - seen
    return sum(share_of(own, terms) for own in parts)


def are_alike(one: Scored, other: Scored, readings: Readings) -> bool:
    """Whether two texts have nearly the same words; a number or a ``not`` makes them two."""
    own, theirs = (readings.read(each.hit.passage).terms for each in (one, other))
    if min(len(own), len(theirs)) < _ALIKE * max(len(own), len(theirs)):
        return False
    if len(own & theirs) < _ALIKE * len(own | theirs):
        return False
    apart = own ^ theirs
    return NEGATIONS.isdisjoint(apart) and not any(term[0].isdigit() for term in apart)


def _why(
    terms: frozenset[str],
    told: Sequence[Mapping[str, str]],
    weights: Sequence[Mapping[str, float]],
) -> str:
    """Say in a sentence what of the question a passage speaks of."""
    if not told:
        return ""
    shares = [share_of(own, terms) for own in weights]
    at = max(range(len(told)), key=lambda number: (round(shares[number], 9), -number))
    own = weights[at]
    heavy = sorted((term for term in own if term in terms), key=lambda term: -own[term])[:_NAMED]
    part = f"part {at} of the question" if at else "the question"
    if not heavy:
        return f"Near to {part} in meaning or in the graph."
    named = ", ".join(word for term, word in told[at].items() if term in heavy)
    return f"Speaks of {named} ({shares[at]:.0%} of {part})."


_WORD = re.compile(r"\w+(?:[.:/@'_-]+\w+)*")
_LEADS = frozenset(
    re.findall(
        r"\w+",
        """
        a about an any at by each every for from his her in into its many much my no of on our per
        some that the their these this those what which whose with without your
        """,
    )
)
"""What stands before the name of a thing, and seldom before what is done."""

_LONGEST = 4
"""So many words are one thing at most."""


def ask_back(
    texts: Sequence[str], seen: frozenset[str], words: Words, phrases: Phrases = ENGLISH
) -> tuple[str, ...]:
    """Return questions back about the names and things that no passage speaks of, names first."""
    runs = sorted((one for text in texts for one in _unseen(text, seen, words)), key=_is_plain)
    asked: dict[str, str] = {}
    for run, is_name in runs:
        if not any(run.lower() in known for known in asked):
            form = phrases.what_is if is_name else phrases.other_word
            asked[run.lower()] = form.format(name=run, word=run)
    return tuple(asked.values())[:_ASKED_BACK]


def _is_plain(run: tuple[str, bool]) -> bool:
    return not run[1]


def _unseen(text: str, seen: frozenset[str], words: Words) -> Iterator[tuple[str, bool]]:
    """Yield the runs of words that nothing speaks of and that name something; if it is a name."""
    run: list[re.Match[str]] = []
    lead = before = ""
    found = list(_WORD.finditer(text))
    for at, word in enumerate(found):
        own = content_terms(words, word.group())
        if own and seen.isdisjoint(own) and len(run) < _LONGEST:
            lead = lead if run else before
            run.append(word)
        goes_on = at + 1 < len(found) and text[word.end() : found[at + 1].start()] == " "
        if run and not (run[-1] is word and goes_on):
            is_name = any(not one.group().islower() and one.start() > 0 for one in run)
            if is_name or lead in _LEADS:
                first = next((one for one in run if not one.group().islower()), run[0])
                yield text[first.start() : run[-1].end()], is_name
            run = []
        before = word.group().lower()
