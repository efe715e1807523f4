"""Specification 001: what SearchAndRank takes, gives, and ranks by."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from sextant.core import Sextant
from sextant.core.entries import Entries, Entry
from sextant.retrieval.events import ignore
from sextant.retrieval.feedback.opinions import Opinion, OpinionOn
from sextant.retrieval.profiles.saved import Profile
from sextant.serve.caller import EVERY_ROLE, Caller
from sextant.serve.house import Visit
from sextant.serve.mcp.calling import called
from sextant.serve.mcp.tools.pipeline import tools
from sextant.settings import AskSettings
from sextant.types import Scope, Weights
from tests.ask.model_steps.playing import in_place, with_model
from tests.core.test_pipeline import MODEL
from tests.seeds.requirement import requirement
from tests.serve.mcp.doors import MOVE, OWNER, call, checked, refusal, with_client
from tests.serve.running import Served

TOOL = "RAGPipeline.SearchAndRank"
REQUEST: dict[str, Any] = {
    "TenantId": "default",
    "PersonaId": None,
    "UserQueryText": OWNER,
    "UserQueryVector": None,
    "TopKInitialRetrieve": 50,
    "TopKFinalRank": 10,
    "RankingPrefs": {"Relevancy": 0.4, "Recency": 0.2, "Richness": 0.1, "Reputation": 0.3},
    "Filters": None,
    "ExpandQueryWithLlm": False,
}
"""Every field of the specification's request, with its defaults."""
FACTORS = ("Relevancy", "Recency", "Richness", "Reputation")
DAYS_AGO = timedelta(days=365)


async def write(sextant: Sextant, name: str, text: str, **fields: Any) -> None:
    """Write an entry of an artifact of its own."""
    stamp = fields.pop("timestamp", None)
    entry = Entry(f"{name}.md", text, name, fields=fields, timestamp=stamp)
    await Entries(sextant).upsert(Scope(), entry)


async def search(client: Client, text: str, **more: Any) -> dict[str, dict[str, Any]]:
    """Return results by the ids of their entries, best first."""
    response = await call(client, TOOL, UserQueryText=text, **more)
    return {one["PersonaKnowledgeEntryId"]: one for one in response["Results"]}


@requirement("001-001", "001-002", "001-004", "001-005", "001-014", "001-015", "001-016", "001-017")
def test_the_request_and_the_response_have_every_field(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == TOOL]
        assert REQUEST.keys() <= tool.input_schema["properties"].keys()
        known = tool.input_schema["properties"]
        usual = ("TopKInitialRetrieve", "TopKFinalRank", "ExpandQueryWithLlm")
        assert [known[name]["default"] for name in usual] == [50, 10, False]
        assert tool.annotations
        assert tool.annotations.read_only_hint
        response = await call(client, TOOL, **REQUEST)
        await checked(client, TOOL, response)
        assert response.keys() == {"Results", "DebugInformation", "ErrorMessage"}
        best = response["Results"][0]
        artifact = best["AssociatedArtifact"]
        assert {"ArtifactId", "Title", "CreationDate", "LastModifiedDate"} <= artifact.keys()
        assert 0 <= artifact["SourceReputationScore"] <= 1
        assert best["PersonaKnowledgeEntryId"] == "docs/queue.md#c0"
        assert "owned by Team Y" in best["Snippet"]
        assert best["IndividualScores"].keys() == set(FACTORS)
        camel = {name[0].lower() + name[1:]: own for name, own in REQUEST.items()}
        assert (await call(client, TOOL, **camel))["Results"] == response["Results"]

    with_client(tmp_path, work)


@requirement("001-003", "001-013", "001-018", "001-019")
def test_what_is_missing_or_wrong_is_told_as_the_error(tmp_path: Path) -> None:
    wrong: dict[str, dict[str, Any]] = {
        "UserQueryText": {"TenantId": "default"},
        "TopKFinalRank": {**REQUEST, "TopKFinalRank": 0},
        "TopKInitialRetrieve": {**REQUEST, "TopKInitialRetrieve": "many"},
        "RankingPrefs": {**REQUEST, "RankingPrefs": {"Relevancy": -1}},
        "Filters": {**REQUEST, "Filters": {"Tags": "ops"}},
        "ExpandQueryWithLlm": {**REQUEST, "ExpandQueryWithLlm": "yes"},
        "UserQueryVector": {**REQUEST, "UserQueryVector": []},
    }

    async def work(client: Client, _: Served) -> None:
        for field, request in wrong.items():
            response = await refusal(client, TOOL, **request)
            assert response["Results"] == []
            assert field in response["ErrorMessage"]
        fine = await call(client, TOOL, **REQUEST)
        assert fine["ErrorMessage"] is None
        assert {"now", "commit", "steps"} == json.loads(fine["DebugInformation"]).keys()

    with_client(tmp_path, work)


@requirement("001-006", "001-011")
def test_defaults_are_settings() -> None:
    own = AskSettings(relevancy=0, recency=0, richness=0, reputation=1, candidates=2, results=1)

    async def task(sextant: Sextant) -> None:
        settings = replace(sextant.settings, ask=own)
        (tool,) = tools(replace(sextant, settings=settings), settings)
        assert tool.defaults == {"TopKInitialRetrieve": 2, "TopKFinalRank": 1}
        response = await asked(tool, UserQueryText=OWNER)
        (only,) = response["Results"]
        assert only["OverallRankScore"] == pytest.approx(only["IndividualScores"]["Reputation"])

    in_place(task)


async def asked(tool: Any, **request: Any) -> Any:
    """Call a tool as its server does."""
    visit = Visit(Caller("test", "default", roles=EVERY_ROLE), "r-1", "mcp")
    result = await called(tool, request, visit, lambda *_: Scope(), ignore)
    assert not result.get("isError"), result
    return result["structuredContent"]


@requirement("001-007", "001-008", "001-032")
def test_candidates_and_results_are_bounded_and_sorted(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        for number in range(8):
            await write(one.house.sextant, f"n{number}", f"Harbor Queue has note {number}.")
        question = "Harbor Queue note"
        assert len(await search(client, question, TopKFinalRank=5)) == 5
        few = {"TopKInitialRetrieve": 3, "TopKFinalRank": 10}
        response = await call(client, TOOL, UserQueryText=question, **few)
        assert len(response["Results"]) == 3
        steps = json.loads(response["DebugInformation"])["steps"]
        assert max(step["candidates"] for step in steps if step["step"] == "retrieve") <= 3
        scores = [own["OverallRankScore"] for own in response["Results"]]
        assert scores == sorted(scores, reverse=True)

    with_client(tmp_path, work)


@requirement("001-009", "001-010", "001-031")
def test_the_score_is_the_weighted_sum_and_open_weights_are_the_settings(tmp_path: Path) -> None:
    def expected(one: dict[str, Any], weights: dict[str, float]) -> float:
        scores: float = sum(weights[name] * one["IndividualScores"][name] for name in FACTORS)
        return scores / sum(weights.values())

    async def work(client: Client, one: Served) -> None:
        usual = dict(zip(FACTORS, (0.74, 0.04, 0.02, 0.2), strict=True))
        for given in (REQUEST["RankingPrefs"], {}, {"Recency": 0.9}, None):
            found = await search(client, OWNER, RankingPrefs=given)
            for own in found.values():
                score = expected(own, {**usual, **(given or {})})
                assert own["OverallRankScore"] == pytest.approx(score, abs=1e-6)
        saved = Profile("trust", Weights(0.1, 0.1, 0.1, 0.7), default=True)
        await one.house.sextant.save_profile(Scope(), saved)
        profile = dict(zip(FACTORS, (0.1, 0.1, 0.1, 0.7), strict=True))
        for own in (await search(client, OWNER, RankingPrefs={"Recency": 0.9})).values():
            score = expected(own, {**profile, "Recency": 0.9})
            assert own["OverallRankScore"] == pytest.approx(score, abs=1e-6)

    with_client(tmp_path, work)


@requirement("001-010")
def test_open_weights_are_those_that_are_set() -> None:
    async def task(sextant: Sextant) -> None:
        own = AskSettings(relevancy=0, recency=0, richness=0, reputation=0.5)
        settings = replace(sextant.settings, ask=own)
        (tool,) = tools(replace(sextant, settings=settings), settings)
        response = await asked(tool, UserQueryText=OWNER, RankingPrefs={"Recency": 0.5})
        for one in response["Results"]:
            scores = one["IndividualScores"]
            mean = (scores["Recency"] + scores["Reputation"]) / 2
            assert one["OverallRankScore"] == pytest.approx(mean, abs=1e-6)

    in_place(task)


@requirement("001-012")
def test_filters_narrow_by_dates_source_types_and_tags(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        old, new = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
        sextant = one.house.sextant
        await write(sextant, "x", "Kettle rule one.", modified=old, source_type="policy")
        await write(sextant, "y", "Kettle rule two.", modified=new, tags=frozenset({"ops"}))
        question = "Kettle rule"
        filters: dict[str, dict[str, Any]] = {
            "x": {"SourceTypes": ["policy"]},
            "y": {"Tags": ["ops"]},
        }
        for name, own in filters.items():
            assert list(await search(client, question, Filters=own)) == [name]
        until = {"ModifiedAfter": "2019-01-01", "ModifiedBefore": "2021-01-01T00:00:00Z"}
        assert list(await search(client, question, Filters=until)) == ["x"]

    with_client(tmp_path, work)


@requirement("001-020", "001-041", "001-042")
def test_a_given_vector_is_used_nothing_is_written_and_the_same_comes_again(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        sextant = one.house.sextant
        before = [line async for line in sextant.store.admin.dump(Scope())]
        (vector,) = (await sextant.embedder.embed([MOVE], "query")).tolist()
        first = await call(client, TOOL, **{**REQUEST, "UserQueryVector": vector})
        told = json.loads(first["DebugInformation"])["steps"]
        assert {"step": "embed", "given": True} in told
        assert await call(client, TOOL, **{**REQUEST, "UserQueryVector": vector}) == first
        assert first["Results"] != (await call(client, TOOL, **REQUEST))["Results"]
        assert [line async for line in sextant.store.admin.dump(Scope())] == before

    with_client(tmp_path, work)


@requirement("001-027", "001-029", "001-030")
def test_each_factor_scores_what_it_is_called_after(tmp_path: Path) -> None:
    text = "The kettle of hall nine is descaled each month."
    long = (
        f"{text} First it is emptied, then filled with 2 litres of vinegar and 3 of water, and "
        "left for 40 minutes. Afterwards it is rinsed twice:\n\n- once cold\n- once hot\n\n"
        "Whoever did it signs the list in the kitchen, with the date and the meter's reading."
    )

    async def work(client: Client, one: Served) -> None:
        sextant = one.house.sextant
        await write(sextant, "short", text, reputation=0.9)
        await write(sextant, "long", long, reputation=0.1)
        await write(sextant, "other", "Bicycles stand behind the gate.")
        found = await search(client, "descale the kettle of hall nine")
        scores = {name: own["IndividualScores"] for name, own in found.items()}
        assert scores["short"]["Relevancy"] > scores["other"]["Relevancy"]
        assert scores["long"]["Richness"] > scores["short"]["Richness"]
        assert (scores["short"]["Reputation"], scores["long"]["Reputation"]) == (0.9, 0.1)

    with_client(tmp_path, work)


@requirement("001-028")
def test_recency_is_by_the_timestamp_of_an_entry_else_by_its_artifacts_dates(
    tmp_path: Path,
) -> None:
    async def work(client: Client, one: Served) -> None:
        now = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        stale = {"modified": now - 10 * DAYS_AGO, "created": now - 20 * DAYS_AGO}
        sextant = one.house.sextant
        await write(sextant, "stamped", "Kettle fact one.", timestamp=now - DAYS_AGO, **stale)
        await write(sextant, "modified", "Kettle fact two.", **stale)
        await write(sextant, "created", "Kettle fact three.", created=now - 2 * DAYS_AGO)
        found = await search(client, "Kettle fact", ExplainRanking=True)
        recency = {name: own["IndividualScores"]["Recency"] for name, own in found.items()}
        assert recency["stamped"] == pytest.approx(0.5, abs=1e-3)
        assert recency["modified"] == pytest.approx(0.5**10, abs=1e-3)
        assert recency["created"] == pytest.approx(0.25, abs=1e-3)
        read = await call(client, "KnowledgeStore.GetEntry", EntryId="stamped")
        assert datetime.fromisoformat(read["Timestamp"]) == now - DAYS_AGO
        upsert = {"ArtifactId": "stamped.md", "EntryId": "stamped", "Content": "Kettle fact one."}
        stamp = "2026-01-31T08:00:00Z"
        written = await call(client, "KnowledgeStore.UpsertEntry", **upsert, Timestamp=stamp)
        assert written["Timestamp"] == stamp
        assert (await call(client, "KnowledgeStore.UpsertEntry", **upsert))["Timestamp"] is None

    with_client(tmp_path, work)


@requirement("001-022", "001-047", "001-049")
def test_a_model_widens_and_reranks_and_each_result_says_why() -> None:
    async def task(sextant: Sextant) -> None:
        whole = with_model(sextant, MODEL)
        (tool,) = tools(whole, whole.settings)
        request = {"ExpandQueryWithLlm": True, "RerankWithLlm": True, "ExplainRanking": True}
        response = await asked(tool, UserQueryText="Who owns Harbor Queue?", **request)
        steps = json.loads(response["DebugInformation"])["steps"]
        (phrased,) = [step for step in steps if step["step"] == "rephrase"]
        assert "owner of HQ" in phrased["phrasings"]
        best = response["Results"][0]
        assert best["AssociatedArtifact"]["Title"] == "Team Keel"
        why = best["Explanation"]
        assert why["ModelRationale"] == "says who leads it"
        points = [one["Points"] for one in why["Factors"]]
        assert points == sorted(points, reverse=True)
        assert sum(points) == pytest.approx(best["OverallRankScore"], abs=1e-6)
        assert {one["Factor"] for one in why["Factors"]} == {name.lower() for name in FACTORS}
        plain = await asked(tool, UserQueryText="Who owns Harbor Queue?")
        assert plain["Results"][0]["Explanation"] is None

    in_place(task)


@requirement("001-047")
def test_without_a_model_reranking_says_so_and_keeps_the_order(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        usual = await call(client, TOOL, UserQueryText=OWNER)
        same = await call(client, TOOL, UserQueryText=OWNER, RerankWithLlm=True)
        assert same["Results"] == usual["Results"]
        steps = json.loads(same["DebugInformation"])["steps"]
        assert "Without the model" in steps[-1]["fallback"]

    with_client(tmp_path, work)


@requirement("001-046", "001-048", "001-050")
def test_parts_profiles_and_feedback(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        sextant = one.house.sextant
        double = "Who owns Harbor Queue and what does Service A depend on?"
        response = await call(client, TOOL, UserQueryText=double)
        (planned,) = [
            step
            for step in json.loads(response["DebugInformation"])["steps"]
            if step["step"] == "plan"
        ]
        assert len(planned["queries"]) > 1
        await sextant.save_profile(Scope(), Profile("fresh", Weights(0, 1, 0, 0)))
        (best, *_) = (await search(client, OWNER, RankingPrefs="fresh")).values()
        assert best["OverallRankScore"] == pytest.approx(best["IndividualScores"]["Recency"])
        before = (await search(client, OWNER))["docs/queue.md#c0"]["IndividualScores"]
        helped = OpinionOn("document:docs/queue.md", Opinion.HELPFUL)
        await sextant.feedback(Scope(user="ann"), helped)
        after = (await search(client, OWNER))["docs/queue.md#c0"]["IndividualScores"]
        assert after["Reputation"] > before["Reputation"]

    with_client(tmp_path, work)
