"""Questions whose answer stands in two places: which two pieces the line could join for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from bench.asking.sets import SCOPE
from bench.asking.unseen import filled, lines_of, plain
from bench.teaching.looking import found_for, goals_of
from sextant.ask.evidence.asked import asked
from sextant.ask.evidence.joined import Joint, joints
from sextant.ask.evidence.meant import likely, odds_for
from sextant.ask.evidence.read import Read, Reader
from sextant.ask.finding.find import merged
from sextant.ask.question import Means, Question
from sextant.ask.rerank import rerank
from sextant.ask.run import begin
from sextant.core import Sextant
from sextant.retrieval.events import ignore
from sextant.retrieval.feedback.folding import Folded
from sextant.text.words import Words

Quotes = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Joinable:
    """What tells of each two pieces that they belong together, and whether they are the answer."""

    organisation: str
    signs: Sequence[Sequence[float]]
    right: Sequence[bool]


async def joinables(name: str, folder: Path, like: Question) -> list[Joinable]:
    """Look at all that is asked of an organisation and has its answer in two places."""
    lines = lines_of(name)
    two = [one for one in lines if "question" in one and len(one["quotes"]) == 2]
    async with await filled(name, lines, folder / name) as sextant:
        return [await _joinable(sextant, name, one, like) for one in two]


async def _joinable(
    sextant: Sextant, name: str, asked_for: Mapping[str, Any], like: Question
) -> Joinable:
    question = replace(like, text=asked_for["question"])
    found = await _joints(sextant, question)
    return Joinable(
        name,
        [astuple(one.signs) for one in found],
        [_is_right(one, asked_for["quotes"]) for one in found],
    )


async def _joints(sextant: Sextant, question: Question) -> list[Joint]:
    words = Words(sextant.settings.keyword.language)
    means = Means(sextant.store, sextant.embedder, sextant.settings, words)
    run = await begin(means, SCOPE, question, Folded(), ignore)
    found = await found_for(run, await goals_of(run))
    hits, parts = merged(found), [one.part for one in found]
    meant = await odds_for(means, SCOPE, hits, parts)
    goals, chances = [one.goal for one in found], likely(meant.odds, parts)
    kept = rerank(hits, goals, words, phrases=run.phrases, likely=chances).hits
    reads = Reader(words).read(kept, question.text)
    wanted = asked(parts[0], reads, words, run.now.date())
    return joints(replace(wanted, odds=meant.odds(parts[0])), reads)


def _is_right(joint: Joint, quotes: Quotes) -> bool:
    one, other = quotes
    return (_has(joint.first, one) and _has(joint.second, other)) or (
        _has(joint.first, other) and _has(joint.second, one)
    )


def _has(piece: Read, quote: Mapping[str, str]) -> bool:
    if not piece.unit.passage.document.id.endswith(quote["document"]):
        return False
    told = plain(piece.unit.text)
    cells = [cell for cell in map(plain, quote["text"].split("|")) if cell]
    return all(cell in told for cell in cells) or bool(told and told in plain(quote["text"]))
