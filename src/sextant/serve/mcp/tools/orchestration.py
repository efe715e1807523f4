"""Tools for what needs a model and no store: vectors, other words, another order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field

from sextant.core.orchestration import candidate
from sextant.errors import InvalidInput, TooLarge
from sextant.limits import DEFAULT
from sextant.ports import Purpose
from sextant.retrieval.events import Emit
from sextant.serve.caller import Role
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.common.pascal import Asked, Name, Number, Pascal, PascalReply, Text
from sextant.types import Chunk, Document, EmbedderIdentity, Hit, Reordered, Rephrased, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_TEXTS = 256
_MOST_CHARACTERS = 1_000_000
_MOST_CANDIDATES = 200
_MOST_PHRASINGS = 10
_MOST_HEADINGS = 20

Query = Annotated[str, Field(min_length=1, max_length=DEFAULT.query)]
Seconds = Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)]
Known = Callable[[Scope, str], Awaitable[Sequence[str]]]
"""Returns a question in words that a store knows; where there is none, nobody is asked."""


class Orchestration(Protocol):
    """What these tools ask of the core."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors."""

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Return one vector for each text."""

    async def rephrase(
        self, text: str, known: Sequence[str] = (), seconds: float = 0.0
    ) -> Rephrased:
        """Say a question in other words."""

    async def rerank(self, text: str, hits: Sequence[Hit], seconds: float = 0.0) -> Reordered:
        """Choose the passages that belong in front."""


class GenerateEmbeddingsRequest(Asked):
    """Texts, and whether they are to be found or to find."""

    texts: Annotated[list[Text], Field(min_length=1, max_length=_MOST_TEXTS)]
    purpose: Literal["document", "query"] = Field(
        "document", description="query for questions, document for what is searched."
    )


class GenerateEmbeddingsResponse(PascalReply):
    """One vector of length 1 for each text, in order, and who made them."""

    embeddings: list[list[float]]
    model: str
    dimensions: int


class ExpandOrRephraseQueryRequest(Asked):
    """A question, and phrasings of it that are known already."""

    query: Query
    known_phrasings: Annotated[list[Query], Field(max_length=_MOST_PHRASINGS)] = Field(
        [], description="Left out, those with other names of what it names."
    )
    seconds: Seconds = Field(0.0, description="How long a model may take; 0 is as usual.")

    @property
    def subject(self) -> str:
        """What is asked."""
        return self.query


class ByModel(PascalReply):
    """Whether a model did it: what is known of the call, or why it was done without."""

    model: dict[str, object] = Field(description="Empty where no model did it.")
    fallback: str = Field(description="Why the model did not, where it should have.")


class ExpandOrRephraseQueryResponse(ByModel):
    """The question in other words."""

    phrasings: list[str]


class RerankCandidate(Pascal):
    """A passage that was found, with the score that ordered it."""

    candidate_id: Name
    text: Text
    artifact_id: Annotated[str, Field(max_length=DEFAULT.id)] = ""
    title: Annotated[str, Field(max_length=DEFAULT.name)] = ""
    url: Annotated[str, Field(max_length=DEFAULT.url)] = ""
    source_type: Annotated[str, Field(max_length=DEFAULT.id)] = ""
    headings: Annotated[
        list[Annotated[str, Field(max_length=DEFAULT.name)]], Field(max_length=_MOST_HEADINGS)
    ] = Field([])
    score: Number = 0.0


class RerankCandidatesRequest(Asked):
    """A question, and passages in the order in which they were found."""

    query: Query
    candidates: Annotated[list[RerankCandidate], Field(max_length=_MOST_CANDIDATES)]
    seconds: Seconds = Field(0.0, description="How long a model may take; 0 is as usual.")

    @property
    def subject(self) -> str:
        """What is asked."""
        return self.query


class RerankedCandidate(PascalReply):
    """A candidate in its new place; one that was not chosen keeps its place behind those."""

    candidate_id: str
    chosen: bool
    why: str


class RerankCandidatesResponse(ByModel):
    """All candidates in their new order."""

    results: list[RerankedCandidate]


def tools(orchestration: Orchestration, known: Known | None = None) -> Sequence[Tool]:
    """Return the three tools."""
    return (_embedding(orchestration), _rephrasing(orchestration, known), _reranking(orchestration))


def _embedding(orchestration: Orchestration) -> Tool:
    async def embed(_: Scope, request: GenerateEmbeddingsRequest, __: Emit) -> Plain:
        if sum(map(len, request.texts)) > _MOST_CHARACTERS:
            raise TooLarge(
                f"The texts have more than {_MOST_CHARACTERS:,} characters.", "Send fewer of them."
            )
        vectors = await orchestration.embed(request.texts, request.purpose)
        identity = orchestration.identity
        return {
            "Embeddings": vectors.tolist(),
            "Model": identity.name,
            "Dimensions": identity.width,
        }

    return Tool(
        "LlmOrchestration.GenerateEmbeddings",
        "Make vectors",
        "Turns texts into vectors of length 1 by the embedder that the knowledge store uses. "
        "Use it to search by vector.",
        GenerateEmbeddingsRequest,
        GenerateEmbeddingsResponse,
        Role.MODEL,
        embed,
    )


def _rephrasing(orchestration: Orchestration, known: Known | None) -> Tool:
    async def rephrase(scope: Scope, request: ExpandOrRephraseQueryRequest, _: Emit) -> Plain:
        told = request.known_phrasings
        if known and not told:
            told = list(await known(scope, request.query))
        found = await orchestration.rephrase(request.query, told, request.seconds)
        return {
            "Phrasings": list(found.texts),
            "Model": dict(found.model),
            "Fallback": found.fallback,
        }

    return Tool(
        "LlmOrchestration.ExpandOrRephraseQuery",
        "Say a question in other words",
        "Returns other phrasings of a question: a model's where one is set, else with the "
        "other names of what it names. Use it to search more widely.",
        ExpandOrRephraseQueryRequest,
        ExpandOrRephraseQueryResponse,
        Role.MODEL,
        rephrase,
    )


def _reranking(orchestration: Orchestration) -> Tool:
    async def rerank(_: Scope, request: RerankCandidatesRequest, __: Emit) -> Plain:
        hits = [_hit(one) for one in request.candidates]
        if len({hit.passage.chunk.id for hit in hits}) < len(hits):
            raise InvalidInput("Two candidates have one id.", "Give each its own.")
        found = await orchestration.rerank(request.query, hits, request.seconds)
        return _ordered(hits, found)

    return Tool(
        "LlmOrchestration.RerankCandidates",
        "Put passages in order",
        "Puts those passages in front that answer a question best, none of them twice: by a "
        "model where one is set, else by what of the question each speaks of.",
        RerankCandidatesRequest,
        RerankCandidatesResponse,
        Role.MODEL,
        rerank,
    )


def _hit(given: RerankCandidate) -> Hit:
    chunk = Chunk(given.candidate_id, given.text, headings=tuple(given.headings))
    artifact = given.artifact_id or given.candidate_id
    document = Document(artifact, given.title, given.url, given.source_type)
    return candidate(chunk, document, given.score)


def _ordered(hits: Sequence[Hit], found: Reordered) -> Plain:
    why = {one.chunk_id: one.why for one in found.chosen}
    rest = [hit.passage.chunk.id for hit in hits if hit.passage.chunk.id not in why]
    return {
        "Results": [
            {"CandidateId": name, "Chosen": name in why, "Why": why.get(name, "")}
            for name in (*why, *rest)
        ],
        "Model": dict(found.model),
        "Fallback": found.fallback,
    }
