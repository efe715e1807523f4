"""The tool that ranks knowledge for an agent which answers itself. It writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sextant.ask.question import Question
from sextant.retrieval.events import Emit, ignore
from sextant.serve.caller import Role
from sextant.serve.errors import Shown
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.pipeline import (
    SearchAndRankRequest,
    SearchAndRankResponse,
    defaults_of,
    question_of,
    response_of,
)
from sextant.settings import Settings
from sextant.types import Ranked, Scope


class Search(Protocol):
    """What this tool asks of the core."""

    async def search(self, scope: Scope, question: str | Question, emit: Emit = ignore) -> Ranked:
        """Rank the passages that a question needs."""


def tools(pipeline: Search, settings: Settings) -> Sequence[Tool]:
    """Return the one tool."""

    async def search(scope: Scope, request: SearchAndRankRequest, emit: Emit) -> Plain:
        ranked = await pipeline.search(scope, question_of(request, settings), emit)
        found = response_of(ranked, explained=request.explain_ranking, full=request.full_text)
        return found.model_dump(mode="json", by_alias=True)

    return (
        Tool(
            "RAGPipeline.SearchAndRank",
            "Search and rank knowledge",
            "Finds passages by words, by meaning and through the knowledge graph, and ranks them "
            "by relevancy, recency, richness and reputation. Use it when you want the evidence "
            "itself, to write your own answer from; use graphrag_query for an answer that is "
            "written and cited already. It changes nothing.",
            SearchAndRankRequest,
            SearchAndRankResponse,
            Role.SEARCH,
            search,
            refused=_refused,
            defaults=defaults_of(settings),
        ),
    )


def _refused(error: Shown) -> Plain:
    message = f"{error.sentence} {error.hint}".strip()
    return SearchAndRankResponse(
        results=[], debug_information=None, error_message=message
    ).model_dump(mode="json", by_alias=True)
