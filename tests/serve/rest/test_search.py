"""POST /api/search: short names and those of SearchAndRank mean the same, and results tell all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from sextant.serve.wire.search import SearchReply
from tests.serve.rest.knowing import Door, door, told


async def _search(one: Door, **body: Any) -> Any:
    return told(await one.client.post("/api/search", json=body))


def test_results_are_ranked_and_tell_document_chunk_and_scores(
    sample: Path, tmp_path: Path
) -> None:
    async def task() -> Any:
        async with door(tmp_path, sample) as one:
            return await _search(one, query="Who owns escalation for Service A?", topK=4)

    found = asyncio.run(task())
    SearchReply.model_validate(found)
    results = found["results"]
    assert len(results) == 4
    assert [one["score"] for one in results] == sorted(
        (one["score"] for one in results), reverse=True
    )
    first = results[0]
    assert first["documentId"] == first["associatedArtifact"]["artifactId"]
    assert first["chunkId"] == first["personaKnowledgeEntryId"]
    assert first["score"] == first["overallRankScore"]
    assert first["scores"] == first["individualScores"]
    assert "sample/policies/escalation-policy.md" in {one["documentId"] for one in results}
    assert json.loads(found["debugInformation"])["commit"] > 0
    assert found["errorMessage"] is None


def test_every_spelling_of_a_field_is_the_same_field(sample: Path, tmp_path: Path) -> None:
    filters = {"sourceTypes": ["markdown"]}

    async def task() -> list[Any]:
        async with door(tmp_path, sample) as one:
            return [
                await _search(one, query="refund limit", topK=3, filters=filters),
                await _search(
                    one,
                    TenantId="default",
                    UserQueryText="refund limit",
                    TopKFinalRank=3,
                    Filters={"SourceTypes": ["markdown"]},
                    RankingPrefs=None,
                ),
                await _search(one, userQueryText="refund limit", topKFinalRank=3, filters=filters),
                await _search(one, query="refund limit", topK=3, filter="sourceType eq 'markdown'"),
            ]

    first, *others = [one["results"] for one in asyncio.run(task())]
    assert len(first) == 3
    assert all(other == first for other in others)
    assert {one["sourceType"] for one in first} == {"markdown"}


def test_both_filters_hold_where_both_are_given(sample: Path, tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path, sample) as one:
            policy = "documentId eq 'sample/policies/escalation-policy.md'"
            both = {"filters": {"sourceTypes": ["catalogue"]}, "filter": policy}
            return await _search(one, query="escalation", **both)

    assert asyncio.run(task())["results"] == []


def test_a_search_writes_nothing(sample: Path, tmp_path: Path) -> None:
    async def task() -> tuple[int, int]:
        async with door(tmp_path, sample) as one:
            before = told(await one.client.get("/api/status?all=true"))["store"]["commit"]
            await _search(one, query="escalation")
            return before, told(await one.client.get("/api/status?all=true"))["store"]["commit"]

    before, after = asyncio.run(task())
    assert before == after


def test_a_vector_whose_numbers_have_no_end_in_32_bits_is_refused(tmp_path: Path) -> None:
    async def task() -> Any:
        async with door(tmp_path) as one:
            body = {"query": "escalation", "UserQueryVector": [1e39]}
            return told(await one.client.post("/api/search", json=body), 422)

    assert "UserQueryVector" in asyncio.run(task())["detail"]
