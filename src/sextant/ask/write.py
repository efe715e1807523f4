"""From weighed evidence to an answer with its sources: in a model's words, or in theirs alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant.ask import model_steps as modelled
from sextant.ask.cite import Cited, Piece, cite, listed, with_contradictions
from sextant.ask.evidence import Evidence, PartAnswer
from sextant.ask.grounding.sources import Source, sources_of
from sextant.ask.relation_sentences import relation_sentence
from sextant.ask.run import Run
from sextant.ask.silence import name_nobody_bears, unanswered
from sextant.ports import ChatModel
from sextant.retrieval.events import SourcesChosen, Text
from sextant.retrieval.expand import is_sure
from sextant.retrieval.recorder import Notes
from sextant.text.markdown import inert
from sextant.text.orders import without_orders

_PATHS = 12
_SOONER = 0.95
"""An answer stops itself, to keep what it has said, before the step is stopped."""


@dataclass(frozen=True, slots=True)
class Prose:
    """An answer, and whether whoever listens has heard its text already."""

    cited: Cited
    is_told: bool = False


async def write(run: Run, evidence: Evidence) -> Prose:
    """Write the answer to a question, every part of it with its source."""
    with run.recorder.step("answer") as notes:
        own = await _by_model(run, run.talk, evidence, notes) if run.talk else None
        pieces = [] if own else list(_pieces(run, evidence))
        count = len(own.statements) if own else sum(not isinstance(one, str) for one in pieces)
        notes.facts["statements"] = count
    with run.recorder.step("cite") as notes:
        cited = own or cite(pieces, run.phrases)
        notes.facts["sources"] = [one.chunk_id for one in cited.citations]
    return Prose(cited, own is not None)


def _pieces(run: Run, evidence: Evidence) -> Iterator[Piece]:
    """Yield the paragraphs of an answer, part by part, then what is missing if it is not known."""
    verdict, phrases = evidence.verdict, run.phrases
    for part in evidence.parts:
        edges = part.found.edges
        yield from edges.answers
        yield from name_nobody_bears(edges.unknown, edges.near, phrases)
        yield from map(inert, edges.silences)
        yield from edges.beside
        if part.is_open and not edges.unknown and not edges.silences:
            yield _opening(run, evidence, part)
        yield from () if part.edges else part.blocks
    yield from (block for part in evidence.parts if part.edges for block in part.blocks)
    if not (verdict.sufficient or len(evidence.parts) > 1 or _is_restated(run, evidence)):
        yield from [listed(phrases.missing, verdict.missing)] if verdict.missing else ()


def _is_restated(run: Run, evidence: Evidence) -> bool:
    """Whether the answer names already what it is that nobody here knows."""
    if any(part.found.edges.unknown for part in evidence.parts):
        return True
    opening = unanswered(run.question.text, run.phrases)
    return opening != run.phrases.unknown and not evidence.blocks


def _opening(run: Run, evidence: Evidence, part: PartAnswer) -> str:
    """Return that a part is not answered, or that what follows only comes nearest."""
    if len(evidence.parts) > 1:
        return run.phrases.open_part.format(part=inert(part.found.part.text))
    return run.phrases.nearest if part.blocks else unanswered(run.question.text, run.phrases)


async def _by_model(
    run: Run, talk: modelled.Talk, evidence: Evidence, notes: Notes
) -> Cited | None:
    """Return what a model wrote and its sources say, or nothing."""
    agent = talk.agent("answer")
    wanted = _writing(run, evidence, _SOONER * talk.seconds_for(agent))
    if not wanted.sources:
        return None
    addresses = {one.label: one.passage.url for one in wanted.sources}
    run.recorder.emit(SourcesChosen(addresses))

    async def work(model: ChatModel) -> modelled.Written:
        return await modelled.written(model, agent, wanted)

    done = await talk.attempt(agent, notes, work)
    if done is None:
        run.recorder.emit(SourcesChosen({}))  # the offline answer has labels of its own
        return None
    talk.tell(notes, done.model, done.usage, done.retries, done.repairs)
    notes.facts |= dict(done.facts)
    notes.fallback = done.note
    if done.is_cut:
        run.recorder.leave_out("statements")
    return _with_contradictions(run, done.cited, evidence)


def _with_contradictions(run: Run, cited: Cited, evidence: Evidence) -> Cited:
    """Return a written answer, and let whoever heard it hear what another source says."""
    whole = with_contradictions(cited, evidence.edges, run.phrases)
    if whole is not cited:
        run.recorder.emit(Text(whole.text.removeprefix(cited.text)))
    return whole


def _writing(run: Run, evidence: Evidence, seconds: float) -> modelled.Writing:
    sources = sources_of(evidence.hits)
    return modelled.Writing(
        evidence.question,
        sources,
        evidence.verdict,
        run.means.words,
        run.means.embedder,
        tuple(_paths(evidence, sources))[:_PATHS],
        run.recorder.emit,
        run.means.settings.ask.unsupported == "mark",
        seconds,
        run.question.budget.tokens,
        run.phrases,
    )


def _paths(evidence: Evidence, sources: Sequence[Source]) -> Iterator[str]:
    """Yield the edges that the chosen passages say, in words, each with a label behind it."""
    labels = {one.passage.chunk.id: one.label for one in sources}
    seen: set[tuple[str, str, str]] = set()
    for expansion in (part.found.expansion for part in evidence.parts):
        for relation in (edge for path in expansion.paths for edge in path.relations):
            key = (relation.source, relation.kind, relation.target)
            label = next((labels[one] for one in relation.evidence if one in labels), "")
            if label and key not in seen and is_sure(relation):
                seen.add(key)
                sentence = relation_sentence([relation], expansion.entities)
                yield f"{without_orders(sentence)} [{label}]"
