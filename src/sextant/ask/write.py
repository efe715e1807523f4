"""From weighed evidence to an answer with its sources: in a model's words, or in theirs alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant.ask import model_steps as modelled
from sextant.ask.answer import drafted
from sextant.ask.cite import Cited, cite, with_others
from sextant.ask.evidence.asked import Part
from sextant.ask.evidence.verbal import said
from sextant.ask.grounding.sources import Source, sources_of
from sextant.ask.judging.weigh import Weighed
from sextant.ask.run import Run
from sextant.ports import ChatModel
from sextant.retrieval.events import SourcesChosen, Text
from sextant.retrieval.expand import is_sure
from sextant.retrieval.recorder import Notes
from sextant.text.orders import without_orders

_PATHS = 12
_SOONER = 0.95
"""An answer stops itself, to keep what it has said, before the step is stopped."""


@dataclass(frozen=True, slots=True)
class Prose:
    """An answer, and whether whoever listens has heard its text already."""

    cited: Cited
    is_told: bool = False


async def write(run: Run, weighed: Weighed) -> Prose:
    """Write the answer to a question, every part of it with its source."""
    with run.recorder.step("answer") as notes:
        own = await _by_model(run, run.talk, weighed, notes) if run.talk else None
        draft = drafted(weighed.claims, weighed.blocks, weighed.verdict, run.phrases)
        notes.facts["statements"] = len(own.statements if own else draft.claims)
    with run.recorder.step("cite") as notes:
        cited = own or cite(draft, run.phrases)
        notes.facts["sources"] = [one.chunk_id for one in cited.citations]
    return Prose(cited, own is not None)


async def _by_model(run: Run, talk: modelled.Talk, weighed: Weighed, notes: Notes) -> Cited | None:
    """Return what a model wrote and its sources say, or nothing."""
    agent = talk.agent("answer")
    wanted = _writing(run, weighed, _SOONER * talk.seconds_for(agent))
    if not wanted.sources:
        return None
    addresses = {one.label: one.passage.document.url for one in wanted.sources}
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
    return _with_others(run, done.cited, weighed)


def _with_others(run: Run, cited: Cited, weighed: Weighed) -> Cited:
    """Return a written answer, and let whoever heard it hear what another source says."""
    whole = with_others(cited, weighed.claims, run.phrases)
    if whole is not cited:
        run.recorder.emit(Text(whole.text.removeprefix(cited.text)))
    return whole


def _writing(run: Run, weighed: Weighed, seconds: float) -> modelled.Writing:
    sources = sources_of(weighed.hits)
    return modelled.Writing(
        weighed.parts[0].goal.text,
        sources,
        weighed.verdict,
        run.means.words,
        run.means.embedder,
        tuple(_paths(weighed.parts, sources))[:_PATHS],
        run.recorder.emit,
        run.means.settings.ask.unsupported == "mark",
        seconds,
        run.question.budget.tokens,
        run.phrases,
    )


def _paths(parts: Sequence[Part], sources: Sequence[Source]) -> Iterator[str]:
    """Yield the edges that the chosen passages say, in words, each with a label behind it."""
    labels = {one.passage.chunk.id: one.label for one in sources}
    seen: set[tuple[str, str, str]] = set()
    for part in parts:
        for expansion in (part.expansion, part.reached):
            for relation in (edge for path in expansion.paths for edge in path.relations):
                key = (relation.source, relation.kind, relation.target)
                label = next((labels[one] for one in relation.evidence if one in labels), "")
                if label and key not in seen and is_sure(relation):
                    seen.add(key)
                    yield f"{without_orders(said([relation], expansion.entities))} [{label}]"
