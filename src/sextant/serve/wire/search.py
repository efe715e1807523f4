"""A search as REST writes it: the fields of SearchAndRank, and short names for the usual ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from sextant.ask.finding.find import is_empty
from sextant.ask.question import Question
from sextant.limits import Limits
from sextant.query import AllOf
from sextant.serve.caller import Wanted
from sextant.serve.wire.common.models import WHOLE, Unit, Wire, Words, four_of
from sextant.serve.wire.common.whom import AskContext, AskedBy, locale_of, within
from sextant.serve.wire.knowledge import moment_of
from sextant.serve.wire.pipeline import (
    MOST_CANDIDATES,
    MOST_RESULTS,
    SearchAndRankRequest,
    question_of,
    response_of,
    snippet_of,
)
from sextant.text.odata.filters import LONGEST, parse
from sextant.types import Document, Hit, Ranked


class SearchRequest(SearchAndRankRequest):
    """What to search for, where, and how to rank it."""

    user_query_text: Words = Field(
        validation_alias=AliasChoices("query", "UserQueryText", "userQueryText"),
        examples=["Who owns escalation for Service A?"],
    )
    top_k_initial_retrieve: Annotated[int, Field(ge=1, le=MOST_CANDIDATES), WHOLE] = Field(
        50, description="How many candidates each way of finding brings."
    )
    top_k_final_rank: Annotated[int, Field(ge=1, le=MOST_RESULTS), WHOLE] = Field(
        10,
        validation_alias=AliasChoices("topK", "TopKFinalRank", "topKFinalRank"),
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

    def question(self, limits: Limits) -> Question:
        """Return the question that is meant."""
        question = replace(question_of(self, limits), locale=locale_of(self.context))
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
    start: int
    end: int
    version: str
    entity_ids: list[str]
    persona_knowledge_entry_id: str
    overall_rank_score: float
    individual_scores: ScoresShape
    associated_artifact: ArtifactShape


class SearchReply(Wire):
    """What was found, best first, and how."""

    results: list[ResultShape]
    state: Literal["found", "nothing", "empty"] = Field(
        description="Something was found, nothing was, or there is no knowledge at all."
    )
    debug_information: str | None
    error_message: str | None


def results_of(ranked: Ranked) -> dict[str, Any]:
    """Return what was found as plain values."""
    whole = response_of(replace(ranked, hits=()))
    return {
        "results": [_result(hit) for hit in ranked.hits],
        "state": _state(ranked),
        "debugInformation": whole.debug_information,
        "errorMessage": whole.error_message,
    }


def _state(ranked: Ranked) -> str:
    if is_empty(ranked.trace):
        return "empty"
    return "found" if ranked.hits else "nothing"


def _result(hit: Hit) -> dict[str, Any]:
    document, chunk, scores = hit.passage.document, hit.passage.chunk, four_of(hit.scores)
    return {
        "documentId": document.id,
        "chunkId": chunk.id,
        "score": hit.scores.total,
        "scores": scores,
        "title": document.title,
        "url": document.url,
        "sourceType": document.source_type,
        "snippet": snippet_of(chunk.text),
        "start": chunk.start,
        "end": chunk.end,
        "version": hit.passage.version,
        "entityIds": list(chunk.entity_ids),
        "personaKnowledgeEntryId": chunk.id,
        "overallRankScore": hit.scores.total,
        "individualScores": scores,
        "associatedArtifact": _artifact(document),
    }


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
