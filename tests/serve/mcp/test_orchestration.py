"""Vectors, other words and another order through MCP, without a model and with one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
from mcp.client import Client

from sextant.testing.fault_server.server import FaultServer
from sextant.types import OPERATOR, Scope
from tests.serve.mcp.doors import OWNER, call, checked, over_http, refusal, server, with_client
from tests.serve.running import Served

EMBED = "LlmOrchestration.GenerateEmbeddings"
REPHRASE = "LlmOrchestration.ExpandOrRephraseQuery"
RERANK = "LlmOrchestration.RerankCandidates"
CANDIDATES = [
    {"CandidateId": "cook", "Text": "The kitchen opens at noon.", "Score": 0.5},
    {"CandidateId": "queue", "Text": "Harbor Queue is owned by Team Y.", "Score": 0.4},
    {"CandidateId": "twin", "Text": "Harbor Queue is owned by Team Y.", "Score": 0.3},
]


def test_vectors_are_those_of_the_stores_own_embedder(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        given = await call(client, EMBED, Texts=["a", "b"], Purpose="query")
        embedder = one.house.sextant.embedder
        expected = await embedder.embed(["a", "b"], "query")
        assert np.allclose(given["Embeddings"], expected)
        assert (given["Model"], given["Dimensions"]) == (
            embedder.identity.name,
            embedder.identity.width,
        )
        await checked(client, EMBED, given)
        assert (await refusal(client, EMBED, Texts=[]))["code"] == "invalid_input"
        assert (await refusal(client, EMBED, Texts=["x"] * 257))["code"] == "invalid_input"
        much = await refusal(client, EMBED, Texts=["x" * 190_000] * 6)
        assert much["code"] == "too_large"

    with_client(tmp_path, work, body_kilobytes=4_096)


def test_without_a_model_a_question_is_said_with_other_names(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        given = await call(client, REPHRASE, Query="Who owns HQ?")
        assert given == {"Phrasings": ["Who owns Harbor Queue?"], "Model": {}, "Fallback": ""}
        await checked(client, REPHRASE, given)
        told = await call(client, REPHRASE, Query="Who owns HQ?", KnownPhrasings=["Whose is it?"])
        assert told["Phrasings"] == ["Whose is it?"]

    with_client(tmp_path, work)


def test_without_a_model_passages_that_speak_of_the_question_come_first(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        given = await call(client, RERANK, Query=OWNER, Candidates=CANDIDATES)
        await checked(client, RERANK, given)
        chosen = [one["CandidateId"] for one in given["Results"] if one["Chosen"]]
        assert "queue" in chosen
        assert "twin" not in chosen
        assert sorted(one["CandidateId"] for one in given["Results"]) == ["cook", "queue", "twin"]
        doubled = await refusal(client, RERANK, Query=OWNER, Candidates=CANDIDATES[:1] * 2)
        assert doubled["code"] == "invalid_input"

    with_client(tmp_path, work)


def test_a_model_that_fails_is_told_as_a_fallback(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            FaultServer("401") as model,
            server(tmp_path, llm=f"{model.url}#fault-1") as one,
            over_http(one) as client,
        ):
            given = await call(client, REPHRASE, Query="Who owns HQ?")
            assert given["Phrasings"] == ["Who owns Harbor Queue?"]
            assert given["Fallback"]
            assert model.requests

    asyncio.run(run())


def test_vectors_made_here_find_what_was_written(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        stored = await one.house.sextant.store.truth.passages(
            Scope(roles=frozenset({OPERATOR})), ["docs/queue.md#c0"]
        )
        text = f"Harbor Queue\n{stored['docs/queue.md#c0'].chunk.text}"
        (vector,) = (await call(client, EMBED, Texts=[text]))["Embeddings"]
        name = "KnowledgeStore.SearchPersonaKnowledgeByVector"
        found = await call(client, name, QueryVector=vector, TopK=1)
        assert found["Results"][0]["EntryId"] == "docs/queue.md#c0"
        assert found["Results"][0]["Score"] > 0.99

    with_client(tmp_path, work)
