"""Specification 001: the pipeline between a KnowledgeStore of somebody else and its models."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from sextant.ask.question import Question
from sextant.build import build_pipeline
from sextant.errors import ConfigError, PeerUnreachable
from sextant.links.tokens import open_tokens
from sextant.llms.tiny import Tiny
from sextant.serve.mcp.transports.single_server import running_alone
from sextant.settings import DEPENDENCIES, RemoteSettings, Settings
from sextant.types import Scope
from tests.links.entry_store import Peered, pipeline_over, running_store, with_store
from tests.links.token_server import giving
from tests.seeds.requirement import requirement

OWNER = "Who owns Harbor Queue?"
TOKEN = "pipeline-0123456789abcdef"
NOBODY = "http://127.0.0.1:9/mcp"
"""Nothing listens on the port that discards everything."""


@requirement("001-023", "001-024", "001-025", "001-026", "001-033", "001-038")
def test_a_store_with_the_common_tools_alone_is_searched_and_ranked_over_mcp(
    tmp_path: Path,
) -> None:
    async def run(address: str) -> None:
        async with (
            pipeline_over(tmp_path, address) as one,
            running_alone(one.settings, "rag-pipeline", TOKEN) as server,
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            request = {"UserQueryText": OWNER, "TopKFinalRank": 50}
            ours = await results(client, {"TenantId": "default", **request})
            names = [own["PersonaKnowledgeEntryId"] for own in ours]
            assert names[0] == "queue"
            assert len(names) == len(set(names))
            assert "plan" not in names
            assert ours[0]["AssociatedArtifact"]["ArtifactId"] == "queue.md"
            assert 0 < ours[0]["IndividualScores"]["Relevancy"] <= 1
            (theirs,) = await results(client, {"TenantId": "other", **request})
            assert theirs["PersonaKnowledgeEntryId"] == "theirs"
            as_sre = await results(client, {"PersonaId": "sre", **request})
            assert "plan" in {own["PersonaKnowledgeEntryId"] for own in as_sre}
            filtered = {"UserQueryText": "When is lunch?", "Filters": {"SourceTypes": ["menu"]}}
            (menu,) = await results(client, filtered)
            assert menu["PersonaKnowledgeEntryId"] == "lunch"
        assert not (tmp_path / "none").exists()

    with running_store(tmp_path) as address:
        asyncio.run(run(address))


async def results(client: Client, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what SearchAndRank finds."""
    told = await client.call_tool("RAGPipeline.SearchAndRank", request)
    assert not told.is_error, told.structured_content
    content: Any = told.structured_content
    found: list[dict[str, Any]] = content["Results"]
    return found


@requirement("001-020", "001-021")
def test_a_vector_is_asked_of_the_models_unless_the_caller_gives_one(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        ranked = await one.pipeline.search(Scope(), OWNER)
        assert any(hit.legs.vector for hit in ranked.hits)
        remote = replace(one.settings.remote, llm_orchestration=NOBODY, retries=0)
        async with await build_pipeline(replace(one.settings, remote=remote)) as alone:
            by_words = await alone.search(Scope(), OWNER)
            assert not any(hit.legs.vector for hit in by_words.hits)
            embedded = by_words.trace.step("embed")
            assert embedded
            assert "By words alone" in embedded.fallback
            (vector,) = await Tiny(64).embed([OWNER], "query")
            given = await alone.search(Scope(), Question(OWNER, vector=vector))
            assert any(hit.legs.vector for hit in given.hits)

    with_store(tmp_path, work)


@requirement("001-022")
def test_other_words_are_asked_of_the_models(tmp_path: Path) -> None:
    async def work(one: Peered) -> None:
        ranked = await one.pipeline.search(Scope(), Question(OWNER, rephrase=True))
        assert ranked.trace.step("rephrase")
        assert ranked.hits

    with_store(tmp_path, work)


@requirement("001-040")
def test_each_server_has_a_scope_a_client_and_a_token_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SEXTANT_TOKEN", raising=False)
    monkeypatch.setenv("SEXTANT_CLIENT_SECRET", "for-both-0123456789")
    monkeypatch.setenv("SEXTANT_KNOWLEDGE_STORE_CLIENT_SECRET", "for-one-0123456789")
    with giving() as server:
        remote = RemoteSettings(
            token_url=server.url,
            client_id="pipeline",
            knowledge_store_client_id="reader",
            knowledge_store_scope="api://store/.default",
            llm_orchestration_scope="api://models/.default",
        )

        async def run() -> list[str]:
            opened = [open_tokens(Settings(remote=remote), one) for one in DEPENDENCIES]
            tokens = [await one.token() for one in opened if one]
            for one in opened:
                assert one
                await one.close()
            return tokens

        assert asyncio.run(run()) == ["token-1", "token-2"]
    asked = [(one["client_id"], one["client_secret"], one["scope"]) for one in server.asked]
    assert asked == [
        ("reader", "for-one-0123456789", "api://store/.default"),
        ("pipeline", "for-both-0123456789", "api://models/.default"),
    ]
    monkeypatch.delenv("SEXTANT_KNOWLEDGE_STORE_CLIENT_SECRET")
    with pytest.raises(ConfigError, match="SEXTANT_KNOWLEDGE_STORE_CLIENT_SECRET is not set"):
        open_tokens(Settings(remote=remote), "knowledge_store")


@requirement("001-043")
def test_an_address_that_is_not_set_is_named() -> None:
    with pytest.raises(ConfigError, match=r"remote\.knowledge_store is not set"):
        asyncio.run(build_pipeline(Settings()))
    remote = RemoteSettings(knowledge_store=NOBODY)
    with pytest.raises(ConfigError, match=r"remote\.llm_orchestration is not set"):
        asyncio.run(build_pipeline(Settings(remote=remote)))


@requirement("001-044")
def test_a_server_that_does_not_answer_is_told_within_the_time_that_is_set() -> None:
    remote = RemoteSettings(NOBODY, llm_orchestration=NOBODY, call_seconds=5, retries=0)

    async def run() -> None:
        async with await build_pipeline(Settings(remote=remote)) as pipeline:
            with pytest.raises(PeerUnreachable, match="KnowledgeStore cannot be reached"):
                await pipeline.search(Scope(), OWNER)

    asyncio.run(run())
