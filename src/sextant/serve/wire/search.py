"""A search as REST writes it: the fields of SearchAndRank, and short names for the usual ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field
from pydantic.alias_generators import to_camel

from sextant.ask.passages import is_empty
from sextant.ask.question import Question
from sextant.query import AllOf
from sextant.serve.caller import Wanted
from sextant.serve.wire.common.models import Unit, Wire, Words, four_of
from sextant.serve.wire.common.whom import AskContext, AskedBy, locale_of, within
from sextant.serve.wire.knowledge import moment_of
from sextant.serve.wire.pipeline import (
    MARKS,
    Candidates,
    Results,
    SearchAndRankRequest,
    explanation_of,
    question_of,
    response_of,
    snippet_of,
)
from sextant.settings import Settings
from sextant.text.odata.filters import LONGEST, parse
from sextant.types import Document, Hit, Ranked


class SearchRequest(SearchAndRankRequest):
    """What to search for, where, and how to rank it."""

    user_query_text: Words = Field(
        validation_alias=AliasChoices("query", "UserQueryText", "userQueryText"),
        examples=["Who owns escalation for Service A?"],
    )
    top_k_initial_retrieve: Candidates | None = Field(
        None,
        description="How many candidates are found and ranked at most; else `ask.candidates`.",
    )
    top_k_final_rank: Results | None = Field(
        None,
        validation_alias=AliasChoices("topK", "TopKFinalRank", "topKFinalRank"),
        description="How many results to return; else `ask.results`.",
    )
    filter: Annotated[str, Field(max_length=LONGEST)] | None = Field(
        None, validation_alias="filter", description="Only what fits, as bounded OData."
    )
    user: AskedBy | None = Field(None, validation_alias="user")
    context: AskContext | None = Field(None, validation_alias="context")

    @property
    def places(self) -> tuple[Wanted, ...]:
        """For whom each place of the request says that it asks."""
        return (self.wanted, *within(self.user, self.context))

    def question(self, settings: Settings) -> Question:
        """Return the question that is meant."""
        question = replace(question_of(self, settings), locale=locale_of(self.context))
        if not self.filter or not self.filter.strip():
            return question
        own = parse(self.filter)
        both = AllOf((question.filter, own)) if question.filter else own
        return replace(question, filter=both)


class ScoresShape(Wire):
    """What each R scored, in 0 to 1."""

    relevancy: Unit
    recency: Unit
    richness: Unit
    reputation: Unit


class ArtifactShape(Wire):
    """The document that a passage stands in."""

    artifact_id: str
    title: str
    url: str
    source_type: str
    creation_date: str | None
    last_modified_date: str | None
    source_reputation_score: Unit


class FactorShape(Wire):
    """What one R brought: its score times its weight, which is a share of 1, are its points."""

    factor: str
    score: Unit
    weight: Unit
    points: float


class ExplanationShape(Wire):
    """Why a result ranks where it does: what brought most comes first."""

    factors: list[FactorShape]
    notes: list[str]
    turning_point: str
    model_rationale: str


class ResultShape(Wire):
    """A passage that was found, under short names and under those of SearchAndRank."""

    document_id: str
    chunk_id: str
    score: float
    scores: ScoresShape
    title: str
    url: str
    source_type: str
    snippet: str
    headings: list[str]
    start: int
    end: int
    version: str
    entity_ids: list[str]
    marks: list[str] = Field(description=MARKS)
    persona_knowledge_entry_id: str
    overall_rank_score: float
    individual_scores: ScoresShape
    associated_artifact: ArtifactShape
    explanation: ExplanationShape | None


class SearchReply(Wire):
    """What was found, best first, and how."""

    results: list[ResultShape]
    state: Literal["found", "nothing", "empty"] = Field(
        description="Something was found, nothing was, or there is no knowledge at all."
    )
    debug_information: str | None
    error_message: str | None


def results_of(ranked: Ranked, *, explained: bool = False, full: bool = False) -> dict[str, Any]:
    """Return what was found as plain values."""
    whole = response_of(replace(ranked, hits=()))
    return {
        "results": [_result(hit, explained, full) for hit in ranked.hits],
        "state": _state(ranked),
        "debugInformation": whole.debug_information,
        "errorMessage": whole.error_message,
    }


def _state(ranked: Ranked) -> str:
    if is_empty(ranked.trace):
        return "empty"
    return "found" if ranked.hits else "nothing"


def _result(hit: Hit, explained: bool, full: bool) -> dict[str, Any]:
    document, chunk, scores = hit.passage.document, hit.passage.chunk, four_of(hit.scores)
    return {
        "documentId": document.id,
        "chunkId": chunk.id,
        "score": hit.scores.total,
        "scores": scores,
        "title": hit.passage.title,
        "url": hit.passage.url,
        "sourceType": document.source_type,
        "snippet": snippet_of(chunk.text, full=full),
        "headings": list(chunk.headings),
        "start": chunk.start,
        "end": chunk.end,
        "version": hit.passage.version,
        "entityIds": list(chunk.entity_ids),
        "marks": list(hit.marks),
        "personaKnowledgeEntryId": chunk.id,
        "overallRankScore": hit.scores.total,
        "individualScores": scores,
        "associatedArtifact": _artifact(document),
        "explanation": _explanation(hit) if explained else None,
    }


def _explanation(hit: Hit) -> dict[str, Any]:
    """Return why a hit stands where it stands, under the names that REST has for it."""
    told = explanation_of(hit).model_dump(by_alias=False)
    return {to_camel(name): own for name, own in told.items()}


def _artifact(document: Document) -> dict[str, Any]:
    return {
        "artifactId": document.id,
        "title": document.title,
        "url": document.url,
        "sourceType": document.source_type,
        "creationDate": moment_of(document.created),
        "lastModifiedDate": moment_of(document.modified),
        "sourceReputationScore": document.reputation,
    }
