"""The line, in order: from a question to ranked knowledge, and on to a cited answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sextant.ask import model_steps as modelled
from sextant.ask.cite import Cited
from sextant.ask.evidence import Evidence, weigh
from sextant.ask.passages import QueryResult, find, find_named, find_part, merge_hits
from sextant.ask.plan import PartQuery, Plan, plan
from sextant.ask.question import Means, Question
from sextant.ask.rephrase import phrasings
from sextant.ask.resolve import resolve
from sextant.ask.route import Route, route
from sextant.ask.run import Run, begin
from sextant.ask.write import write
from sextant.retrieval.events import Emit, Text, ignore
from sextant.retrieval.feedback.folding import Folded
from sextant.retrieval.scoring.turning import with_turning
from sextant.text.orders import marks_of
from sextant.types import Answer, Hit, Ranked, Scope, Verdict

_NOTHING_ASKED = Verdict(True, 1.0)
_NOT_FROM_KNOWLEDGE = Verdict(False, 0.0)
_NO_MODEL = "Without the model: none is set, so the order is that of the four values."


async def search(
    means: Means, scope: Scope, question: Question, folded: Folded, emit: Emit = ignore
) -> Ranked:
    """Rank knowledge for a question: the line, stopped before an answer is written."""
    return await ranked(await begin(means, scope, question, folded, emit))


async def ranked(run: Run) -> Ranked:
    """Rank knowledge for a question that has begun."""
    parts = (await _plan(run, _resolve(run))).queries
    found = await _find(run, parts, is_asked=False)
    hits = merge_hits([*found, *await _in_other_words(run, found[0])])
    hits = with_turning(hits[: run.question.candidates or None])
    if run.question.rerank:
        hits = await _reordered(run, parts[0].text, hits)
    marked = tuple(replace(hit, marks=marks_of(hit.passage)) for hit in hits[: run.question.k])
    return Ranked(marked, run.trace(_commits(found)))


async def ask(
    means: Means, scope: Scope, question: Question, folded: Folded, emit: Emit = ignore
) -> Answer:
    """Answer a question from the knowledge that the scope sees, or say what is missing."""
    run = await begin(means, scope, question, folded, emit)
    text = _resolve(run)
    way = await _route(run, text)
    if not way.knowledge:
        return _emit_answer(run, _reply(run, way, ()))
    ways = await _plan(run, text, run.talk)
    found = await _search(run, ways)
    if any(one.retrieved.is_empty for one in found):
        return _emit_answer(run, _nothing_held(run, found))
    found += await _in_other_words(run, found[0])
    rounds = [found]
    evidence = await weigh(run, rounds)
    for _ in range(run.talk.chat.workflow.max_retries if run.talk else 0):
        if not evidence.verdict.follow_ups or not run.recorder.affords("follow-up"):
            break
        rounds.append(await _again(run, evidence.verdict, ways.queries[0]))
        evidence = await weigh(run, rounds)
    everything = [one for own in rounds for one in own]
    if way.reply and not evidence.verdict.sufficient:
        return _emit_answer(run, _reply(run, way, everything))
    prose = await write(run, evidence)
    answer = _answer(run, prose.cited, evidence, everything)
    return _emit_answer(run, answer, told=prose.cited.text if prose.is_told else "")


def _resolve(run: Run) -> str:
    with run.recorder.step("resolve") as notes:
        resolved = resolve(run.question.text, run.question.history)
        notes.facts |= {"question": resolved.text, "replaced": resolved.note}
    return resolved.text


async def _route(run: Run, text: str) -> Route:
    with run.recorder.step("route") as notes:
        way = route(text, run.phrases)
        cautious = run.means.settings.ask.no_rag == "search"
        if run.talk and (way.knowledge or not cautious):
            way = await modelled.routed(
                run.talk, text, run.now, way, notes, run.phrases, is_cautious=cautious
            )
        notes.facts |= {"knowledge": way.knowledge, "why": way.why}
        if way.is_unsourced:
            notes.facts["from_knowledge"] = False
    return way


async def _plan(run: Run, text: str, talk: modelled.Talk | None = None) -> Plan:
    with run.recorder.step("plan") as notes:
        ways = plan(text, run.question.filter)
        if talk:
            given, store = ways.queries[0].filter, run.means.store
            known = await store.index.facets(run.scope)
            asking = modelled.Asking(text, run.now, given, known, store, run.scope)
            ways = await modelled.planned(talk, asking, ways, notes)
        queries = [{"query": one.text, "goal": one.goal} for one in ways.searched]
        notes.facts |= {"queries": queries, "notes": list(ways.notes)}
    return ways


async def _search(run: Run, ways: Plan) -> list[QueryResult]:
    """Find passages by the planner's queries, if there are some, else for what is asked itself.

    What is asked comes first in either case.
    """
    if not ways.planned:
        return await _find(run, ways.queries)
    whole, vector = ways.queries[0], run.question.vector
    planned: list[QueryResult] = []
    for part in ways.planned:
        if not planned or run.recorder.affords("queries"):
            is_whole = part.text == whole.text
            planned.append(await find(run, part, vector if is_whole else None, is_asked=is_whole))
    itself = next((one for one in planned if one.part.text == whole.text), None)
    first = itself or await find_named(run, whole, planned[0], vector)
    asked = [first, *[await find_named(run, part, first) for part in ways.queries[1:]]]
    return [*asked, *(replace(one, is_besides=True) for one in planned if one is not itself)]


async def _find(
    run: Run, parts: Sequence[PartQuery], *, is_asked: bool = True
) -> list[QueryResult]:
    """Find passages for each query; the first one always, the others if there is time."""
    whole, vector = parts[0], run.question.vector
    found = [await find(run, whole, vector, is_asked=is_asked and len(parts) == 1)]
    for part in parts[1:]:
        if run.recorder.affords("queries"):
            found.append(await find_part(run, part, found[0], is_asked=is_asked))
    return found


async def _in_other_words(run: Run, whole: QueryResult) -> list[QueryResult]:
    """Find passages for the question in other words, where that is asked for: a leg for each."""
    if not run.question.rephrase or not run.recorder.affords("queries"):
        return []
    with run.recorder.step("rephrase") as notes:
        text = whole.part.text
        ids = [one.entity_id for one in whole.linked]
        known = await run.means.store.graph.entities(run.scope, ids)
        texts = phrasings(text, whole.linked, known)
        if run.orchestrator:
            said = await run.orchestrator.rephrase(text, texts, run.seconds_left)
            texts = said.texts
            notes.modelled(said)
        notes.facts["phrasings"] = list(texts)
    return await _besides(run, [replace(whole.part, text=one) for one in texts])


async def _besides(run: Run, parts: Sequence[PartQuery]) -> list[QueryResult]:
    """Find more passages by queries that are not what is asked."""
    found = [await find(run, part, is_asked=False) for part in parts]
    return [replace(one, is_besides=True) for one in found]


async def _reordered(run: Run, text: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return the hits with those that the model selects in front; without a model, as they are."""
    with run.recorder.step("rerank") as notes:
        if run.orchestrator is None:
            notes.fallback = _NO_MODEL
            return hits
        said = await run.orchestrator.rerank(text, hits, run.seconds_left)
        notes.modelled(said)
        known = {hit.passage.chunk.id: hit for hit in hits}
        first = {
            one.chunk_id: replace(known[one.chunk_id], why=one.why)
            for one in (said.chosen if said.model else ())
            if one.chunk_id in known
        }
        notes.facts["selected"] = list(first)
    return (*first.values(), *(hit for hit in hits if hit.passage.chunk.id not in first))


async def _again(run: Run, verdict: Verdict, whole: PartQuery) -> list[QueryResult]:
    """Search once more, in the same sources, by what a model asks."""
    parts = [replace(whole, text=one.query, goal=one.goal) for one in verdict.follow_ups]
    return await _besides(run, parts)


def _reply(run: Run, way: Route, found: Sequence[QueryResult]) -> Answer:
    trace = run.trace(_commits(found))
    if not way.is_unsourced:
        return Answer(run.question.text, way.reply, _NOTHING_ASKED, trace=trace)
    text = f"{way.reply}\n\n{run.phrases.unsourced}"
    return Answer(run.question.text, text, _NOT_FROM_KNOWLEDGE, trace=trace)


def _nothing_held(run: Run, found: Sequence[QueryResult]) -> Answer:
    """Say that there is no knowledge at all, which no other words would find either."""
    trace = run.trace(_commits(found))
    return Answer(run.question.text, run.phrases.empty, _NOT_FROM_KNOWLEDGE, trace=trace)


def _answer(run: Run, cited: Cited, evidence: Evidence, found: Sequence[QueryResult]) -> Answer:
    verdict = evidence.verdict
    if verdict.sufficient and not cited.statements:  # a judge's yes that nothing could be made of
        verdict = replace(verdict, sufficient=False, confidence=0.0)
    failed = run.talk is not None and run.talk.unanswered
    text = f"{cited.text}\n\n{run.phrases.unanswered}" if failed else cited.text
    return Answer(
        run.question.text,
        text,
        verdict,
        cited.statements,
        cited.citations,
        run.trace(_commits(found)),
    )


def _emit_answer(run: Run, answer: Answer, *, told: str = "") -> Answer:
    """Tell whoever listens the answer, in pieces and then whole; some of it may be told already."""
    for line in answer.text.removeprefix(told).splitlines(keepends=True):
        run.recorder.emit(Text(line))
    for citation in answer.citations:
        run.recorder.emit(citation)
    run.recorder.emit(answer)
    return answer


def _commits(found: Sequence[QueryResult]) -> list[int]:
    return [one.retrieved.commit for one in found]
