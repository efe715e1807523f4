"""Models behind a real LlmOrchestration server do for a search what models of its own do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np
import pytest

from sextant.ask.model_steps.chat import Chat
from sextant.ask.question import Means, Question
from sextant.ask.workflow.load import load
from sextant.core import Sextant
from sextant.core.orchestration import Orchestration
from sextant.core.pipeline import Pipeline
from sextant.errors import EmbedderError, PeerError, TooLarge
from sextant.links.mcp_caller import McpCaller
from sextant.links.mcp_knowledge import McpKnowledge
from sextant.links.mcp_orchestration import McpEmbedder, McpOrchestrator
from sextant.links.tokens import open_tokens
from sextant.serve.app import App
from sextant.serve.http.health import Readiness
from sextant.serve.http.server import bound
from sextant.serve.mcp.door import mcp_door
from sextant.serve.mcp.server import mcp_server
from sextant.serve.mcp.tools.orchestration import tools
from sextant.serve.mcp.transports.http import McpOverHttp, visit_of
from sextant.serve.mcp.transports.roles import Needs
from sextant.serve.running import answering, open_porch
from sextant.settings import TOKEN_VARIABLE, RemoteSettings, Settings
from sextant.testing.scripted import Scripted
from sextant.text.words import Words
from sextant.types import EmbedderIdentity, Scope
from tests.ask.model_steps.playing import NOW, asked, in_place, playing, with_model
from tests.serve.running import TOKEN

ASKED = Question("Who owns Harbor Queue?", now=NOW, rephrase=True, rerank=True)
SETTINGS = Settings(store="memory:", embedder="tiny:", remote=RemoteSettings(retries=0))


def nobody() -> McpCaller:
    """Return a way to where nobody listens."""
    return McpCaller("LlmOrchestration", "http://127.0.0.1:9/mcp", SETTINGS)


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lets us in."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)


@asynccontextmanager
async def served(sextant: Sextant, model: Scripted | None) -> AsyncIterator[McpCaller]:
    """Serve the embedder of a Sextant and a model, and call them."""
    chat = Chat(model, load()) if model else None
    models = Orchestration(sextant.embedder, chat, sextant.settings)
    settings = replace(SETTINGS, serve=replace(SETTINGS.serve, port=0, audit=False))
    with bound(settings.serve) as listener:
        async with open_porch(settings, TOKEN) as porch:
            own = tools(models)
            server = mcp_server(own, porch.enter, visit_of)
            door = mcp_door(porch, McpOverHttp(server, Needs(own, porch.enter)))
            app = App(porch, [door], Readiness({}))
            async with answering(app, settings.serve, listener) as url:
                tokens = open_tokens(settings)
                caller = McpCaller("LlmOrchestration", f"{url}/mcp", settings, tokens)
                try:
                    yield caller
                finally:
                    await caller.close()


def pipeline_of(sextant: Sextant, caller: McpCaller) -> Pipeline:
    means = Means(
        sextant.store,
        McpEmbedder(caller),
        sextant.settings,
        Words(sextant.settings.keyword.language),
        orchestrator=McpOrchestrator(caller),
    )
    return Pipeline(means, caller.close)


def test_a_model_far_away_reads_and_ranks_the_same_as_one_here() -> None:
    here, there = playing(), playing()

    async def task(sextant: Sextant) -> None:
        expected = await with_model(sextant, here).search(Scope(), ASKED)
        async with served(sextant, there) as caller:
            found = await pipeline_of(sextant, caller).search(Scope(), ASKED)
        assert found.hits == expected.hits
        assert found.hits[0].why == "names the owner"
        for name in ("rephrase", "rerank"):
            assert found.trace.step(name) == expected.trace.step(name)
            assert asked(there, name) == asked(here, name) != []

    in_place(task)


def test_without_a_model_far_away_nothing_is_different() -> None:
    async def task(sextant: Sextant) -> None:
        expected = await sextant.search(Scope(), ASKED)
        async with served(sextant, None) as caller:
            found = await pipeline_of(sextant, caller).search(Scope(), ASKED)
        assert found.hits == expected.hits
        assert found.trace.step("rephrase") == expected.trace.step("rephrase")

    in_place(task)


def test_vectors_come_through_to_the_last_bit_with_who_made_them() -> None:
    texts = [f"text {number}" for number in range(70)]

    async def task(sextant: Sextant) -> None:
        async with served(sextant, None) as caller:
            embedder = McpEmbedder(caller)
            assert embedder.identity == EmbedderIdentity("", 0)
            found = await embedder.embed(texts, "document")
            assert embedder.identity == sextant.embedder.identity
            expected = await sextant.embedder.embed(texts, "document")
            assert found.dtype == np.float32
            assert found.tobytes() == np.ascontiguousarray(expected).tobytes()
            assert len(await embedder.embed([], "query")) == 0
            with pytest.raises(TooLarge):
                await embedder.embed(["x" * 190_000] * 6, "query")

    in_place(task)


def test_a_server_of_another_kind_is_told_by_the_tool_that_it_lacks() -> None:
    async def task(sextant: Sextant) -> None:
        async with served(sextant, None) as caller:
            with pytest.raises(PeerError, match=r"has no tool KnowledgeStore\.GetFacets"):
                await McpKnowledge(caller).index.facets(Scope())

    in_place(task)


def test_who_is_not_there_leaves_a_search_to_words_and_says_so() -> None:
    async def task(sextant: Sextant) -> None:
        found = await pipeline_of(sextant, nobody()).search(Scope(), ASKED)
        assert found.hits
        said = [step.fallback for step in found.trace.steps if step.fallback]
        assert "By words alone: LlmOrchestration cannot be reached." in said
        assert "Without the model: LlmOrchestration cannot be reached." in said

    in_place(task)


def test_without_time_nobody_is_asked() -> None:
    async def run() -> None:
        far = McpOrchestrator(nobody())
        told = await far.rephrase("Who?", ["What?"], 0.0)
        assert (told.texts, told.fallback) == (
            ("What?",),
            "Without the model: there is no time for it.",
        )
        with pytest.raises(EmbedderError, match="cannot be reached"):
            await McpEmbedder(nobody()).embed(["a"], "query")

    asyncio.run(run())
