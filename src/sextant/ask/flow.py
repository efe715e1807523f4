"""The line, in order: from a question to ranked knowledge, and on to a cited answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from sextant.ask.answer import claims_of, drafted, further, with_further
from sextant.ask.cite import Cited, cite
from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.claim import Claim
from sextant.ask.expand import reach
from sextant.ask.find import Found, find, find_part, merged, narrowed
from sextant.ask.judge import judge
from sextant.ask.judging.signs import Case, signs_of
from sextant.ask.plan import Goal, Plan, Vocabulary, plan
from sextant.ask.question import Emit, Means, Question, Text, ignore
from sextant.ask.reading.wants import wants_of
from sextant.ask.rerank import Reranked, rerank
from sextant.ask.resolve import resolve
from sextant.ask.route import Route, route
from sextant.ask.run import Run, begin
from sextant.ask.standing.folding import Folded
from sextant.ask.trace import estimated_tokens
from sextant.types import Answer, Hit, Ranked, Scope, Verdict

_NOTHING_ASKED = Verdict(True, 1.0)


async def search(
    means: Means, scope: Scope, question: Question, folded: Folded, emit: Emit = ignore
) -> Ranked:
    """Rank knowledge for a question: the line, stopped before an answer is written."""
    run = await begin(means, scope, question, folded, emit)
    goals = (await _plan(run, _resolve(run))).queries
    found = await _find(run, goals)
    return Ranked(merged(found)[: question.k], run.trace(_commits(found)))


async def ask(
    means: Means, scope: Scope, question: Question, folded: Folded, emit: Emit = ignore
) -> Answer:
    """Answer a question from the knowledge that the scope sees, or say what is missing."""
    run = await begin(means, scope, question, folded, emit)
    text = _resolve(run)
    routed = _route(run, text)
    if not routed.knowledge:
        return _told(run, Answer(question.text, routed.reply, _NOTHING_ASKED, trace=run.trace(())))
    goals = (await _plan(run, text)).queries
    found = await _find(run, goals)
    parts = tuple(Part(one.goal, one.linked, one.expansion) for one in found)
    weighed = await _weigh(run, found, parts)
    if weighed.verdict.follow_ups and run.recorder.affords("follow-up"):
        again = [await find(run, goal) for goal in _again(run, weighed.verdict, goals[0])]
        found += again
        more = [Part(one.goal, one.linked, one.expansion) for one in again]
        weighed = await _weigh(run, found, with_further(parts, more), is_last=True)
    cited = _write(run, weighed)
    return _told(run, _answer(run, cited, weighed.verdict, found))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What the chosen evidence says, and whether it is enough."""

    claims: tuple[Claim, ...]
    verdict: Verdict


def _resolve(run: Run) -> str:
    with run.recorder.step("resolve") as notes:
        resolved = resolve(run.question.text, run.question.history)
        notes.facts |= {"question": resolved.text, "replaced": resolved.note}
    return resolved.text


def _route(run: Run, text: str) -> Route:
    with run.recorder.step("route") as notes:
        routed = route(text)
        notes.facts |= {"knowledge": routed.knowledge, "why": routed.why}
    return routed


async def _plan(run: Run, text: str) -> Plan:
    with run.recorder.step("plan") as notes:
        known = await run.means.store.facets(run.scope)
        vocabulary = Vocabulary(frozenset(known.tags), frozenset(known.source_types))
        planned = plan(text, run.now, run.question.filter, vocabulary)
        queries = [{"query": one.text, "goal": one.goal} for one in planned.queries]
        notes.facts |= {"queries": queries, "notes": list(planned.notes)}
    return planned


async def _find(run: Run, goals: Sequence[Goal]) -> list[Found]:
    """Find passages for each query; the first one always, the others if there is time."""
    found: list[Found] = []
    for goal in goals:
        if not found:
            found.append(await find(run, goal))
        elif run.recorder.affords("queries"):
            found.append(await find_part(run, goal, found[0]))
    return found


async def _weigh(
    run: Run, found: Sequence[Found], parts: Sequence[Part], *, is_last: bool = False
) -> _Weighed:
    """Choose among what was found, see what it says to each part, and judge that."""
    hits, missing = _rerank(run, found)
    with run.recorder.step("judge") as notes:
        goals = [part.goal for part in parts]
        reached = await reach(run.means.store, run.scope, hits, goals)
        parts = [
            replace(part, reached=narrowed(own, part.goal.filter))
            for part, own in zip(parts, reached, strict=True)
        ]
        claims = claims_of(parts, hits, run.now, run.means.words)
        first = found[0].retrieved
        case = Case(parts, hits, claims, first, run.means.words)
        signs = signs_of(case)
        verdict = judge(case, signs, missing, () if is_last else further(parts, claims))
        notes.facts |= {
            "sufficient": verdict.sufficient,
            "confidence": verdict.confidence,
            "signs": {name: round(value, 4) for name, value in asdict(signs).items()},
            "follow_ups": [one.query for one in verdict.follow_ups],
        }
    return _Weighed(_told_within(run, claims), verdict)


def _told_within(run: Run, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Leave out the last claims where the answer would have more tokens than the budget."""
    allowed = run.question.budget.tokens
    while allowed and len(claims) > 1 and _tokens(claims) > allowed:
        run.recorder.leave_out("statements")
        claims = claims[:-1]
    return claims


def _tokens(claims: Sequence[Claim]) -> int:
    return estimated_tokens(claim.text for claim in claims)


def _rerank(run: Run, found: Sequence[Found]) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    with run.recorder.step("rerank") as notes:
        goals = [one.goal for one in found]
        chosen = _affordable(run, rerank(merged(found), goals, run.means.words))
        notes.facts |= {
            "kept": [{"chunk": hit.passage.chunk.id, "why": hit.why} for hit in chosen.hits],
            "duplicates": chosen.duplicates,
        }
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


def _again(run: Run, verdict: Verdict, whole: Goal) -> list[Goal]:
    """Return what to ask once more, of the same sources as the whole question."""
    today = run.now.date()
    return [
        Goal(one.query, one.goal, whole.filter, wants_of(one.query, today))
        for one in verdict.follow_ups
    ]


def _write(run: Run, weighed: _Weighed) -> Cited:
    with run.recorder.step("answer") as notes:
        draft = drafted(weighed.claims, weighed.verdict)
        notes.facts["statements"] = len(draft.claims)
    with run.recorder.step("cite") as notes:
        cited = cite(draft)
        notes.facts["sources"] = [one.chunk_id for one in cited.citations]
    return cited


def _answer(run: Run, cited: Cited, verdict: Verdict, found: Sequence[Found]) -> Answer:
    return Answer(
        run.question.text,
        cited.text,
        verdict,
        cited.statements,
        cited.citations,
        run.trace(_commits(found)),
    )


def _told(run: Run, answer: Answer) -> Answer:
    """Tell whoever listens the answer, in pieces and then whole."""
    for line in answer.text.splitlines(keepends=True):
        run.recorder.emit(Text(line))
    for citation in answer.citations:
        run.recorder.emit(citation)
    run.recorder.emit(answer)
    return answer


def _commits(found: Sequence[Found]) -> list[int]:
    return [one.retrieved.commit for one in found]
