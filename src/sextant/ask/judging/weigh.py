"""What was found, weighed: the few passages that count, what they say, and whether it is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from sextant.ask import model_steps as modelled
from sextant.ask.answer import claims_of, further
from sextant.ask.blocks import compose
from sextant.ask.blocks.compose import blocks_of
from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.lacking import questions_elsewhere
from sextant.ask.evidence.meant import Meant, likely, odds_for, of_these
from sextant.ask.evidence.read import Reader
from sextant.ask.finding.find import Found, merged, narrowed
from sextant.ask.finding.reach import reach
from sextant.ask.judge import doubt_about, in_doubt, judge, with_open_parts
from sextant.ask.judging.signs import Case, over, signs_of
from sextant.ask.reading.wants import Kind
from sextant.ask.rerank import Reranked, rerank
from sextant.ask.run import Run
from sextant.retrieval.recorder import estimated_tokens
from sextant.types import Hit, Verdict

_TOLD_FROM, _OF_EACH = 24, 8
"""Passages that are looked at for blocks: of all, and at least of each query."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The chosen passages, what they say to each part, if it is enough, and the blocks to tell."""

    parts: tuple[Part, ...]
    hits: tuple[Hit, ...]
    claims: tuple[Claim, ...]
    verdict: Verdict
    blocks: tuple[Claim, ...] = ()


async def weigh(
    run: Run, rounds: Sequence[Sequence[Found]], parts: Sequence[Part], *, is_last: bool = False
) -> Weighed:
    """Choose among what was found round by round, see what it says to each part, and judge that."""
    found = [one for own in rounds for one in own]
    everything = merged(found)
    first = [hit.passage for hit in everything[:_TOLD_FROM]]
    await run.late.read(one for one in first if run.late.is_met(one))
    meant = await _meant(run, rounds, everything, parts)
    hits, missing = await _rerank(run, rounds, everything, meant)
    with run.recorder.step("judge") as notes:
        parts = await _reached(run, hits, parts)
        reader = Reader(run.means.words)
        odds = of_these(meant.odds, hits)
        claims = claims_of(parts, hits, run.now, reader, odds)
        case = Case(parts, hits, claims, found[0].retrieved, run.means.words, odds)
        signs = signs_of(case)
        verdict = judge(case, signs, missing, () if is_last else further(parts, claims))
        if not verdict.sufficient and not verdict.missing:
            verdict = replace(verdict, missing=_said_elsewhere(run, case))
        sources = _told_from(everything, [hits, *(one.hits for one in found)])
        blocks = blocks_of(
            parts,
            compose.Found(sources, claims, of_these(meant.odds, sources)),
            run.now,
            reader,
        )
        if run.talk is None and not _is_joined(parts, claims):
            verdict = with_open_parts(verdict, blocks.open_parts)
        if run.talk:
            seen = modelled.Evidence(parts[0].goal.text, hits, verdict, doubt_about(case))
            verdict = await modelled.judged(run.talk, seen, run.means.words, notes)
        if disputed := [claim.text for claim in claims if claim.otherwise]:
            verdict = in_doubt(verdict, claims)
            notes.facts["disputed"] = disputed
        notes.facts |= {
            "read": case.is_read,
            "sufficient": verdict.sufficient,
            "confidence": verdict.confidence,
            "signs": {name: round(value, 4) for name, value in asdict(signs).items()},
            "follow_ups": [one.query for one in verdict.follow_ups],
        }
        told = _told_within(run, blocks.told)
        notes.facts["blocks"] = [one.quotes[0].passage.chunk.id for one in told]
    seen_by_model = _with_told(hits, sources, told)
    return Weighed(tuple(parts), seen_by_model, _told_within(run, claims), verdict, told)


def _is_joined(parts: Sequence[Part], claims: Sequence[Claim]) -> bool:
    """Whether parts are answered together: by the graph, or as the sides of a comparison."""
    is_comparison = parts[0].goal.wants.kind == Kind.COMPARISON
    return is_comparison or any(claim.relations for claim in claims)


def _with_told(
    hits: tuple[Hit, ...], sources: Sequence[Hit], blocks: Sequence[Claim]
) -> tuple[Hit, ...]:
    """Return the chosen hits, and those that only a block is taken from: a model sees them, too."""
    told = {one.quotes[0].passage.chunk.id for one in blocks}
    known = {hit.passage.chunk.id for hit in hits}
    return (*hits, *(hit for hit in sources if hit.passage.chunk.id in told - known))


def _told_from(everything: Sequence[Hit], found: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """Return the passages that blocks are taken from, best first: the best of all and of each."""
    each = (hit for own in found for hit in own[:_OF_EACH])
    kept = {hit.passage.chunk.id for hit in (*everything[:_TOLD_FROM], *each)}
    return tuple(hit for hit in everything if hit.passage.chunk.id in kept)


def _said_elsewhere(run: Run, case: Case) -> tuple[str, ...]:
    """Return what to ask back where all is spoken of somewhere, but not by what answers best."""
    told = " ".join(one for claim in case.claims for one in (claim.text, *over(claim)))
    texts, words = [part.goal.text for part in case.parts], run.means.words
    return questions_elsewhere(texts, frozenset(words.terms(told)), words, run.phrases)


async def _reached(run: Run, hits: Sequence[Hit], parts: Sequence[Part]) -> list[Part]:
    reached = await reach(run.means.store, run.scope, hits, [part.goal for part in parts])
    return [
        replace(part, reached=narrowed(own, part.goal.filter))
        for part, own in zip(parts, reached, strict=True)
    ]


def _told_within(run: Run, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Leave out the last claims where the answer would have more tokens than the budget."""
    allowed = run.question.budget.tokens
    while allowed and len(claims) > 1 and _tokens(claims) > allowed:
        run.recorder.leave_out("statements")
        claims = claims[:-1]
    return claims


def _tokens(claims: Sequence[Claim]) -> int:
    return estimated_tokens(claim.text for claim in claims)


async def _meant(
    run: Run, rounds: Sequence[Sequence[Found]], hits: Sequence[Hit], parts: Sequence[Part]
) -> Meant:
    """Return how likely each piece is what was asked in any round, while there is time."""
    asked = [*parts, *(one.part for one in _asked(rounds))]
    return await odds_for(run.means, run.scope, hits, asked, run.late, run.embedder_seconds)


def _asked(rounds: Sequence[Sequence[Found]]) -> list[Found]:
    """Return what was found by queries that ask, not by those that only bring passages."""
    return [one for own in rounds for one in own if not one.is_besides]


async def _rerank(
    run: Run, rounds: Sequence[Sequence[Found]], hits: Sequence[Hit], meant: Meant
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    with run.recorder.step("rerank") as notes:
        asked = _asked(rounds)
        goals = [one.goal for one in asked]
        chances = likely(meant.odds, [one.part for one in asked])
        chosen = rerank(hits, goals, run.means.words, phrases=run.phrases, likely=chances)
        if run.talk:
            batches = [
                [modelled.Batch(one.goal.text, one.goal.goal, one.hits) for one in own]
                for own in rounds
            ]
            chosen = await modelled.reranked(run.talk, goals[0].text, batches, chosen, notes)
        chosen = _affordable(run, chosen)
        notes.facts |= {
            "kept": [{"chunk": hit.passage.chunk.id, "why": hit.why} for hit in chosen.hits],
            "duplicates": chosen.duplicates,
        }
        run.late.note(notes, [hit.passage for hit in chosen.hits])
        if meant.failure:
            told = f"Pieces are judged by words alone: {meant.failure}"
            notes.fallback = f"{notes.fallback} {told}".strip()
    return chosen.hits, chosen.missing


def _affordable(run: Run, chosen: Reranked) -> Reranked:
    """Leave out what is more than the budget of tokens, but never the best passage."""
    allowed, kept = run.question.budget.tokens, list[Hit]()
    for hit in chosen.hits:
        if allowed and kept and _size([*kept, hit]) > allowed:
            run.recorder.leave_out("passages")
            break
        kept.append(hit)
    return replace(chosen, hits=tuple(kept))


def _size(hits: Sequence[Hit]) -> int:
    return estimated_tokens(hit.passage.chunk.text for hit in hits)
