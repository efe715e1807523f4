"""Which pieces of the knowledge are looked at for a question, by the line's own steps in order.

What was taught before has no say in how pieces rank here, so that a fit does not rest on the last
one; the passages are still found by the encoder that ships.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.passages import QueryResult, find, find_part, merge_hits
from sextant.ask.plan import PartQuery, plan
from sextant.ask.question import Means, Question
from sextant.ask.resolve import resolve
from sextant.ask.run import Run, begin
from sextant.ask.score import Readings, Scored, score_passages, share_of, weigh_words
from sextant.core import Sextant
from sextant.retrieval.events import ignore
from sextant.retrieval.feedback.folding import Folded
from sextant.text.content_words import asked_terms
from sextant.text.prose.units import Unit, units_of
from sextant.text.words import Words
from sextant.types import Scope

_PASSAGES, _MOST = 24, 24
"""Passages that are scored, and pieces that are looked at for a part."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A part of a question in words that stand alone, and the pieces that rank best for it."""

    text: str
    pieces: Sequence[Unit]


async def looked_at(sextant: Sextant, scope: Scope, question: Question) -> list[Looked]:
    """Return what is looked at for each part of a question; one that has none is its own part."""
    words = Words(sextant.settings.keyword.language)
    means = Means(sextant.store, sextant.embedder, sextant.settings, words)
    run = await begin(means, scope, question, Folded(), ignore)
    text = resolve(question.text, question.history).text
    found = await _found_for(run, plan(text, question.filter).queries)
    hits, readings = merge_hits(found)[:_PASSAGES], Readings(words)
    looked = []
    for one in found[1:] or found:
        scored = score_passages(one.part.text, hits, {}, readings, run.now.date())
        looked.append(_looked(one.part.text, scored, readings))
    return looked


async def _found_for(run: Run, parts: Sequence[PartQuery]) -> list[QueryResult]:
    """Return what is found for the whole question and for its parts."""
    whole = await find(run, parts[0], is_asked=False)
    return [whole, *[await find_part(run, part, whole, is_asked=False) for part in parts[1:]]]


def _looked(text: str, scored: Sequence[Scored], readings: Readings) -> Looked:
    """Return the pieces that have most of what is asked, those of likelier passages first."""
    passages = [one.hit.passage for one in scored]
    terms = asked_terms(readings.words, text)
    weights = weigh_words(terms, [readings.read(one).every for one in passages])
    units = [unit for one in passages for unit in units_of(one)]
    units.sort(key=lambda unit: -share_of(weights, readings.words.terms(unit.text)))
    return Looked(text, units[:_MOST])
