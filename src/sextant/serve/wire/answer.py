"""A question and its answer on the wire, as copilots send and read them. Knows no protocol.

A reply tells all of an answer, so that whoever got one can send it back, and whether somebody
changed it meanwhile can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, StringConstraints

from sextant.ask.passages import is_empty
from sextant.ask.question import Question
from sextant.ask.record.compact import compact_digest, compacted
from sextant.ask.record.fields import digest_of
from sextant.limits import DEFAULT
from sextant.retrieval.recorder import Budget
from sextant.serve.wire.common.models import (
    WHOLE,
    FourWeights,
    Id,
    Request,
    Unit,
    Whole,
    Wire,
    Words,
    weights_of,
)
from sextant.serve.wire.common.pascal import Moment
from sextant.serve.wire.common.whom import Whom, locale_of
from sextant.serve.wire.knowledge import relation_of
from sextant.text.odata.filters import LONGEST, parse
from sextant.types import Answer, Citation, Statement, Step, Trace

MOST_WANTED = 1_000
_MOST_PARTS = 10_000
_LONGEST_BUDGET = 600_000

ProfileName = Annotated[str, StringConstraints(min_length=1, max_length=DEFAULT.id)]
T = TypeVar("T")
Parts = Annotated[list[T], Field(max_length=_MOST_PARTS)]
"""What an answer has several of; it has an end, as a reply may come back."""


TraceForm = Literal["compact", "full"]


class Spending(Request):
    """How much an answer may cost; 0 is no bound. What does not fit is left out, openly."""

    milliseconds: Annotated[int, Field(ge=0, le=_LONGEST_BUDGET), WHOLE] = Field(
        default=0, description="The time."
    )
    tokens: Annotated[int, Field(ge=0, le=1_000_000), WHOLE] = Field(
        default=0, description="What a model may read and write."
    )


class AskRequest(Whom):
    """A question, who asks it and where, and how it is to be answered."""

    query: Words = Field(
        description="The question, in whole sentences.",
        examples=["If Service A fails, what breaks and who owns escalation?"],
    )
    conversation_id: Id | None = Field(
        None, description="Earlier questions under this id, by the same user, are remembered."
    )
    filter: Annotated[str, Field(max_length=LONGEST)] | None = Field(
        None,
        description="Only what fits counts, as bounded OData on tags, entityIds, sourceType, "
        "documentId, chunkId, created and modified.",
        examples=["tags/any(t: t eq 'on-call')"],
    )
    ranking_prefs: FourWeights | ProfileName | None = Field(
        None,
        description="What each R counts for, the rest as it is set; or a saved profile's name.",
    )
    now: Moment | None = Field(None, description="The time it is; else the server's day.")
    top_k: Annotated[int, Field(ge=1, le=MOST_WANTED), WHOLE] | None = Field(
        None, description="How many passages to answer from; 10 if left out."
    )
    budget: Spending | None = None
    rephrase: bool | None = Field(None, description="Look for it in other words as well.")
    trace: TraceForm | None = Field(None, description="`full` tells every step.")
    tools: bool = Field(False, description="End with the tools that carry it out.")


class CitationShape(Wire):
    """A source: ``document[start:end] == quote`` in this version of it."""

    title: str
    url: str
    chunk_id: str = Field(examples=["doc1#c12"])
    document_id: str
    label: str
    quote: str
    start: Whole
    end: Whole
    version: str


class StepShape(Wire):
    """What one step did, how long it took, and why it did less than it should, if so."""

    name: str
    facts: dict[str, Any]
    fallback: str
    milliseconds: float


class TraceShape(Wire):
    """Whom the names mean, whom the graph adds, and steps; the digest is of a compact reply."""

    linked_entities: Parts[str] = Field(examples=[["service-a"]])
    expanded_entity_ids: Parts[str] = Field(examples=[["process-x", "team-y"]])
    search_filter: str = Field(examples=["entityIds/any(e: e eq 'service-a' or e eq 'process-x')"])
    now: str
    commit: Whole
    locale: str = Field(description="As it was asked in, if at all.")
    form: TraceForm = "full"
    digest: str = ""
    steps: Parts[StepShape]


class SaidRelation(Wire):
    """An edge that a statement was read off."""

    id: str
    source_entity_id: str = ""
    target_entity_id: str = ""
    relation_type: str = ""
    source: str
    target: str
    kind: str
    confidence: float
    weight: float
    support: Whole
    evidence_chunk_ids: Parts[str]


class StatementShape(Wire):
    """A block or a sentence of the answer, and the labels of what it rests on."""

    text: str
    labels: Parts[str]
    relations: Parts[SaidRelation]
    written: bool = Field(description="Whether a model chose the words.")
    otherwise: bool = Field(False, description="Whether it contradicts what was said.")
    block: bool = Field(False, description="Whether it is a run of a page, in Markdown.")
    headings: Parts[str] = Field([], description="What a block stands under on its page.")
    goes_on: bool = Field(False, description="Whether it stands under those of the block before.")
    marked: Parts[Whole] = Field([], description="Where in `text` the point begins and ends.")


class KeyPointShape(Wire):
    """Something that the evidence says, and the chunk that says it."""

    text: str
    chunk_id: str


class FollowUpShape(Wire):
    """A query that would help, and what for."""

    query: str
    goal: str


State = Literal["known", "nearest", "nothing", "empty"]


class AskReply(Wire):
    """An answer in Markdown with everything that it rests on."""

    answer: str
    citations: Parts[CitationShape]
    trace: TraceShape
    state: State = Field(
        "nothing",
        description="`known`; `nearest`: what comes closest, and may not be what was asked; "
        "`nothing`: nothing comes near; `empty`: the tenant holds nothing yet.",
    )
    sufficient: bool
    confidence: Unit
    missing: Parts[str] = Field(description="What the knowledge lacks, as questions back.")
    follow_ups: Parts[FollowUpShape]
    key_points: Parts[KeyPointShape]
    statements: Parts[StatementShape]
    question: str
    conversation_id: str
    answer_id: str = Field(description="The digest of the answer, for feedback on it.")


def question_of(request: AskRequest) -> Question:
    """Return the question that a request asks."""
    prefs = request.ranking_prefs
    budget = request.budget or Spending()
    return Question(
        request.query,
        filter=parse(request.filter) if request.filter and request.filter.strip() else None,
        weights=weights_of(prefs.preferences) if isinstance(prefs, FourWeights) else None,
        profile=prefs if isinstance(prefs, str) else "",
        k=request.top_k or 10,
        now=request.now,
        budget=Budget(budget.milliseconds, budget.tokens),
        rephrase=bool(request.rephrase),
        conversation=request.conversation_id or "",
        locale=locale_of(request.context),
    )


def reply_of(
    answer: Answer, conversation_id: str = "", form: TraceForm | None = None
) -> dict[str, Any]:
    """Return an answer as plain values, with the digest that names it."""
    verdict, name = answer.verdict, digest_of(answer)
    return {
        "answer": answer.text,
        "citations": [citation_of(one) for one in answer.citations],
        "trace": _trace(answer, name, form or "compact"),
        "state": _state(answer),
        "sufficient": verdict.sufficient,
        "confidence": verdict.confidence,
        "missing": list(verdict.missing),
        "followUps": [{"query": one.query, "goal": one.goal} for one in verdict.follow_ups],
        "keyPoints": [{"text": one.text, "chunkId": one.chunk_id} for one in verdict.key_points],
        "statements": [_statement(one) for one in answer.statements],
        "question": answer.question,
        "conversationId": conversation_id,
        "answerId": name,
    }


def _trace(answer: Answer, name: str, form: TraceForm) -> dict[str, Any]:
    """Return the trace of an answer, whole or compact, with what it tells of entities in front."""
    if form == "full":
        return {**_summary(answer.trace), "form": form, "digest": "", "steps": _steps(answer.trace)}
    compact = compacted(answer)
    digest, steps = compact_digest(compact, name), _steps(compact.trace)
    return {**_summary(answer.trace), "form": form, "digest": digest, "steps": steps}


def _steps(trace: Trace) -> list[dict[str, Any]]:
    return [step_of(step) for step in trace.steps]


def _state(answer: Answer) -> State:
    if is_empty(answer.trace):
        return "empty"
    return answer.state.value


def citation_of(citation: Citation) -> dict[str, Any]:
    """Return a citation as plain values."""
    return {
        "title": citation.title,
        "url": citation.url,
        "chunkId": citation.chunk_id,
        "documentId": citation.document_id,
        "label": citation.label,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "version": citation.version,
    }


def step_of(step: Step) -> dict[str, Any]:
    """Return a step as plain values."""
    return {
        "name": step.name,
        "facts": step.facts,
        "fallback": step.fallback,
        "milliseconds": step.milliseconds,
    }


def _summary(trace: Trace) -> dict[str, Any]:
    """Return what was linked, reached and searched, on which day and at which commit."""
    linked = dict.fromkeys(one["id"] for one in _facts(trace, "link", "entities"))
    expanded = dict.fromkeys(_facts(trace, "expand", "entity_ids"))
    filters = (step.facts.get("filter") for step in trace.steps if step.name == "retrieve")
    return {
        "linkedEntities": list(linked),
        "expandedEntityIds": [name for name in expanded if name not in linked],
        "searchFilter": next((str(one) for one in filters if one), ""),
        "now": trace.now,
        "commit": trace.commit,
        "locale": trace.locale,
    }


def _facts(trace: Trace, step_name: str, fact: str) -> Iterator[Any]:
    """Yield what all steps of a name list under a fact."""
    for step in trace.steps:
        if step.name == step_name:
            yield from step.facts.get(fact) or ()  # type: ignore[misc]


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "text": statement.text,
        "labels": list(statement.labels),
        "relations": [relation_of(one) for one in statement.relations],
        "written": statement.written,
        "otherwise": statement.otherwise,
        "block": statement.block,
        "headings": list(statement.headings),
        "goesOn": statement.goes_on,
        "marked": list(statement.marked),
    }
