"""SearchAndRank as agents call it: every field of the request, every field of the response."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from sextant.ask.question import Question
from sextant.retrieval.profiles.saved import Profile
from sextant.types import Scope, Weights
from tests.serve.mcp.doors import (
    HANDSHAKE,
    LATEST,
    MOVE,
    OTHER,
    OWNER,
    call,
    checked,
    refusal,
    with_client,
)
from tests.serve.running import Served

TOOL = "RAGPipeline.SearchAndRank"
FULL = {
    "TenantId": "default",
    "PersonaId": "sre",
    "PersonaIds": None,
    "UserQueryText": OWNER,
    "UserQueryVector": None,
    "TopKInitialRetrieve": 20,
    "TopKFinalRank": 2,
    "RankingPrefs": {"Relevancy": 1, "Recency": 0, "Richness": 0, "Reputation": 0},
    "Filters": {
        "CreatedAfter": None,
        "CreatedBefore": None,
        "ModifiedAfter": "2020-01-01",
        "ModifiedBefore": "2100-01-01T00:00:00Z",
        "SourceTypes": ["markdown"],
        "Tags": [],
        "AllTags": [],
        "EntityIds": ["harbor-queue"],
        "ArtifactIds": ["docs/queue.md", "secret/plan.md"],
        "ODataFilter": "sourceType eq 'markdown'",
    },
    "ExpandQueryWithLlm": True,
    "RerankWithLlm": False,
    "ExplainRanking": True,
    "FullText": True,
}


def camel(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    return {name[0].lower() + name[1:]: camel(value) for name, value in given.items()}


@pytest.mark.parametrize("mode", [LATEST, HANDSHAKE])
def test_every_field_is_there_under_its_name(tmp_path: Path, mode: str) -> None:
    async def work(client: Client, _: Served) -> None:
        response = await call(client, TOOL, **FULL)
        await checked(client, TOOL, response)
        assert response.keys() == {"Results", "DebugInformation", "ErrorMessage"}
        result = response["Results"][0]
        assert result["PersonaKnowledgeEntryId"] == "docs/queue.md#c0"
        assert result["AssociatedArtifact"].keys() == {
            "ArtifactId",
            "Title",
            "Url",
            "SourceType",
            "CreationDate",
            "LastModifiedDate",
            "SourceReputationScore",
        }
        assert "owned by Team Y" in result["Snippet"]
        assert result["IndividualScores"].keys() == {
            "Relevancy",
            "Recency",
            "Richness",
            "Reputation",
        }
        assert result["OverallRankScore"] == pytest.approx(
            result["IndividualScores"]["Relevancy"], abs=0.05
        )
        told = json.loads(response["DebugInformation"])
        assert {"rephrase", "rank"} <= {step["step"] for step in told["steps"]}

    with_client(tmp_path, work, mode)


def test_camel_case_and_a_name_without_dots_mean_the_same(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        expected = await call(client, TOOL, **FULL)
        given = await call(client, "RAGPipeline_SearchAndRank", **camel(FULL))
        assert given["Results"] == expected["Results"] != []

    with_client(tmp_path, work)


def test_the_short_names_of_rest_mean_the_same(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        expected = await call(client, TOOL, UserQueryText=MOVE, TopKFinalRank=1)
        given = await call(client, TOOL, query=MOVE, topK=1)
        assert given["Results"] == expected["Results"]
        assert len(given["Results"]) == 1

    with_client(tmp_path, work)


def test_results_are_those_of_python(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        response = await call(client, TOOL, UserQueryText=OWNER)
        ranked = await one.house.sextant.search(Scope(), Question(OWNER, candidates=50))
        given = [
            (own["PersonaKnowledgeEntryId"], own["OverallRankScore"]) for own in response["Results"]
        ]
        assert given == [(hit.passage.chunk.id, hit.scores.total) for hit in ranked.hits] != []

    with_client(tmp_path, work)


def test_the_defaults_are_told_in_the_schema(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == TOOL]
        known = tool.input_schema["properties"]
        assert FULL.keys() == known.keys()
        assert (known["TopKInitialRetrieve"]["default"], known["TopKFinalRank"]["default"]) == (
            50,
            10,
        )
        assert tool.input_schema["required"] == ["UserQueryText"]
        assert "$ref" not in json.dumps(tool.input_schema)

    with_client(tmp_path, work)


def test_a_profile_ranks_by_its_name(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        await one.house.sextant.save_profile(Scope(), Profile("fresh", Weights(0, 1, 0, 0)))
        response = await call(client, TOOL, UserQueryText=OWNER, RankingPrefs="fresh")
        best = response["Results"][0]
        assert best["OverallRankScore"] == pytest.approx(
            best["IndividualScores"]["Recency"], abs=0.05
        )
        missing = await refusal(client, TOOL, UserQueryText=OWNER, RankingPrefs="stale")
        assert "There is no ranking profile 'stale'." in missing["ErrorMessage"]

    with_client(tmp_path, work)


def test_a_vector_of_the_caller_takes_the_place_of_ours(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        (vector,) = (await one.house.sextant.embedder.embed([OWNER], "query")).tolist()
        own = await call(client, TOOL, UserQueryText=OWNER, UserQueryVector=vector)
        assert own["Results"] == (await call(client, TOOL, UserQueryText=OWNER))["Results"]
        wrong = await refusal(client, TOOL, UserQueryText=OWNER, UserQueryVector=[1.0, 2.0])
        assert wrong["Results"] == []
        assert "do not fit" in wrong["ErrorMessage"]

    with_client(tmp_path, work)


def test_it_writes_nothing(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        before = [line async for line in one.house.sextant.store.admin.dump(Scope())]
        await call(client, TOOL, **FULL)
        assert [line async for line in one.house.sextant.store.admin.dump(Scope())] == before

    with_client(tmp_path, work)


def test_personas_and_tenants_bound_what_is_found(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        def ids(response: Any) -> set[str]:
            return {one["AssociatedArtifact"]["ArtifactId"] for one in response["Results"]}

        assert ids(await call(client, TOOL, UserQueryText=MOVE)) == {"docs/a.md", "docs/queue.md"}
        as_sre = await call(client, TOOL, UserQueryText=MOVE, PersonaId="sre")
        assert "secret/plan.md" in ids(as_sre)
        theirs = await call(client, TOOL, UserQueryText=OWNER, TenantId=OTHER)
        assert ids(theirs) <= {"theirs/t.md"}

    with_client(tmp_path, work)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "UserQueryText: It is needed"),
    ({"user_query_text": "x"}, "UserQueryText: It is needed"),
    ({"UserQueryText": ""}, "UserQueryText"),
    ({"UserQueryText": "   "}, "The question is empty."),
    ({"UserQueryText": "x" * 20_001}, "UserQueryText"),
    ({"UserQueryText": 5}, "UserQueryText"),
    ({"UserQueryText": "x", "TopKFinalRank": "5"}, "TopKFinalRank"),
    ({"UserQueryText": "x", "TopKFinalRank": 0}, "TopKFinalRank"),
    ({"UserQueryText": "x", "TopKInitialRetrieve": 10**9}, "TopKInitialRetrieve"),
    ({"UserQueryText": "x", "RankingPrefs": {"Relevancy": -1}}, "RankingPrefs"),
    (
        {
            "UserQueryText": "x",
            "RankingPrefs": dict.fromkeys(("Relevancy", "Recency", "Richness", "Reputation"), 0),
        },
        "All weights are 0.",
    ),
    ({"UserQueryText": "x", "Filters": {"CreatedAfter": 5}}, "Filters.CreatedAfter"),
    ({"UserQueryText": "x", "Filters": {"Tags": "ops"}}, "Filters.Tags"),
    ({"UserQueryText": "x", "Filters": {"ODataFilter": "tags eq"}}, "filter"),
    ({"UserQueryText": "x", "ExpandQueryWithLlm": "yes"}, "ExpandQueryWithLlm"),
]


def test_what_is_wrong_is_told_as_the_error_message(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        for given, told in WRONG:
            response = await refusal(client, TOOL, **given)
            assert response["Results"] == [], given
            assert told in response["ErrorMessage"], given

    with_client(tmp_path, work)
