"""Which pieces of the knowledge are looked at for a question, by the line's own steps in order.

What was taught before has no say in how pieces rank here, so that a fit does not rest on the last
one; the passages are still found by the encoder that ships. Questions are not followed up: what is
looked at first is enough to learn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sextant.ask.evidence.asked import Part, asked
from sextant.ask.evidence.marking.score import marked
from sextant.ask.evidence.read import Read, Reader
from sextant.ask.finding.find import Found, find, find_part, merged
from sextant.ask.plan import Goal, Vocabulary, plan
from sextant.ask.question import Means, Question
from sextant.ask.rerank import rerank
from sextant.ask.resolve import resolve
from sextant.ask.run import Run, begin
from sextant.core import Sextant
from sextant.retrieval.events import ignore
from sextant.retrieval.feedback.folding import Folded
from sextant.text.prose.units import Unit
from sextant.text.words import Words
from sextant.types import Scope

_MOST = 24
"""Pieces that are looked at for a part; the answer is rarely farther down."""


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
    found = await found_for(run, await goals_of(run))
    kept = rerank(merged(found), [one.goal for one in found], words, phrases=run.phrases)
    reads = Reader(words).read(kept.hits)
    return [_looked(run, one.part, reads) for one in found[1:] or found]


async def goals_of(run: Run) -> Sequence[Goal]:
    """Return what is to be found out for a question, all of it first."""
    known = await run.means.store.index.facets(run.scope)
    vocabulary = Vocabulary(frozenset(known.tags), frozenset(known.source_types))
    text = resolve(run.question.text, run.question.history).text
    return plan(text, run.now, run.question.filter, vocabulary).queries


async def found_for(run: Run, goals: Sequence[Goal]) -> list[Found]:
    """Return what is found for the whole question and for its parts."""
    whole = await find(run, goals[0])
    return [whole, *[await find_part(run, goal, whole) for goal in goals[1:]]]


def _looked(run: Run, part: Part, reads: Sequence[Read]) -> Looked:
    marks = marked(asked(part, reads, run.means.words, run.now.date()), reads)
    return Looked(part.goal.text, [mark.read.unit for mark in marks[:_MOST]])
