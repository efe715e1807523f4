"""POST /api/ask as specification 000 has it: its request, its reply, and the four steps between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sextant.types import Scope
from tests.seeds.requirement import requirement
from tests.seeds.seed_000_knowledge import ASKED, CHUNK, QUESTION, asked, with_seed
from tests.serve.rest.knowing import Door, told


def _facts(reply: Any, step: str) -> dict[str, Any]:
    """Return what the first step of a name tells."""
    facts: dict[str, Any] = next(
        one["facts"] for one in reply["trace"]["steps"] if one["name"] == step
    )
    return facts


def _hits(reply: Any) -> dict[str, dict[str, Any]]:
    return {one["chunk"]: one for one in _facts(reply, "rank")["hits"]}


@requirement("000-001", "000-002", "000-003", "000-004", "000-005")
def test_the_request_of_the_specification_gets_its_reply(tmp_path: Path) -> None:
    reply = asked(tmp_path)
    assert isinstance(reply["answer"], str)
    assert reply["conversationId"] == ASKED["conversationId"]
    first = reply["citations"][0]
    assert {name: first[name] for name in ("title", "url", "chunkId")} == {
        "title": CHUNK["title"],
        "url": CHUNK["url"],
        "chunkId": CHUNK["id"],
    }
    assert {"linkedEntities", "expandedEntityIds", "searchFilter"} <= reply["trace"].keys()


@requirement("000-006", "000-007", "000-018", "000-019")
@pytest.mark.parametrize(
    "query", [QUESTION, "If Service A fails, what breaks?", "Tell me about Service A"]
)
def test_the_trace_names_who_is_linked_and_who_lies_within_two_hops(
    tmp_path: Path, query: str
) -> None:
    trace = asked(tmp_path, query=query)["trace"]
    assert trace["linkedEntities"] == ["service-a"]
    assert trace["expandedEntityIds"] == ["process-x", "team-y"]


@requirement("000-008", "000-009", "000-026")
def test_the_filter_is_the_one_that_a_search_was_made_with(tmp_path: Path) -> None:
    reply = asked(tmp_path, trace="full")
    filtered = "entityIds/any(e: e eq 'service-a' or e eq 'process-x' or e eq 'team-y')"
    assert reply["trace"]["searchFilter"] == filtered
    among = {name for name, hit in _hits(reply).items() if "entities" in hit["found_by"]}
    assert among == {"doc1#c12", "doc2#c3", "doc4#c1"}
    assert _facts(reply, "retrieve")["among"] == len(among)

    async def work(one: Door) -> Any:
        asking = {"query": QUESTION, "filter": filtered, "topK": 10}
        return told(await one.client.post("/api/search", json=asking))

    (tmp_path / "again").mkdir()
    found = with_seed(tmp_path / "again", work)["results"]
    assert {one["chunkId"] for one in found} == among


@requirement("000-010", "000-011")
def test_a_conversation_goes_on_under_its_id_for_its_user_alone(tmp_path: Path) -> None:
    async def work(one: Door) -> list[str]:
        async def ask(query: str, user: str) -> str:
            body = {**ASKED, "query": query, "user": {"aadObjectId": user}}
            reply = told(await one.client.post("/api/ask", json=body))
            return str(_facts(reply, "resolve")["question"])

        await ask("What is Process X?", "ann")
        return [await ask("And who owns it?", who) for who in ("ann", "bob")]

    own, another = with_seed(tmp_path, work)
    assert "Process X" in own
    assert "Process X" not in another


@requirement("000-012")
def test_the_tenant_of_the_context_is_whose_knowledge_is_asked(tmp_path: Path) -> None:
    elsewhere = asked(tmp_path, context={"tenantId": "elsewhere", "locale": "en-US"})
    assert elsewhere["state"] == "empty"
    assert elsewhere["answer"].startswith("This tenant holds nothing yet")


@requirement("000-013")
def test_the_locale_is_that_of_fixed_sentences(tmp_path: Path) -> None:
    context = {"tenantId": "default", "locale": "de-DE"}
    reply = asked(tmp_path, query="How tall is Ann Zebra?", context=context)
    assert reply["trace"]["locale"] == "de-DE"
    assert "beantwortet" in reply["answer"]


@requirement("000-014")
@pytest.mark.parametrize("body", [{}, {"query": ""}, {"query": None}, {"query": 7}, []])
def test_a_request_without_a_question_is_refused_with_a_reason(tmp_path: Path, body: Any) -> None:
    async def work(one: Door) -> Any:
        return told(await one.client.post("/api/ask", json=body), 422)

    assert with_seed(tmp_path, work)["detail"]


@requirement("000-015", "000-016")
@pytest.mark.parametrize("name", ["Service A", "service a", "ServiceA", "Svc-A"])
def test_an_entity_is_linked_by_its_name_and_by_each_alias(tmp_path: Path, name: str) -> None:
    reply = asked(tmp_path, query=f"If {name} fails, what breaks and who owns escalation?")
    assert reply["trace"]["linkedEntities"] == ["service-a"]
    assert "doc1#c12" in {one["chunkId"] for one in reply["citations"]}


@requirement("000-017")
def test_where_nobody_is_named_all_passages_are_searched(tmp_path: Path) -> None:
    trace = asked(tmp_path, query="Which number has to be rung first?")["trace"]
    assert (trace["linkedEntities"], trace["expandedEntityIds"]) == ([], [])
    assert trace["searchFilter"] == ""


@requirement("000-020", "000-025")
def test_evidence_of_the_relations_is_found_though_no_word_or_entity_leads_to_it(
    tmp_path: Path,
) -> None:
    rota = _hits(asked(tmp_path))["doc3#c7"]
    assert "walk" in rota["found_by"]
    assert "entities" not in rota["found_by"]


@requirement("000-021")
def test_relations_are_followed_both_ways(tmp_path: Path) -> None:
    trace = asked(tmp_path, query="What is Team Y?")["trace"]
    assert trace["linkedEntities"] == ["team-y"]
    assert set(trace["expandedEntityIds"]) == {"process-x", "house-z", "service-a"}


@requirement("000-022")
def test_words_and_meaning_are_searched_together(tmp_path: Path) -> None:
    async def found(one: Door) -> list[tuple[bool, bool]]:
        ranked = await one.server.house.sextant.search(Scope(), QUESTION)
        return [(hit.legs.keyword is not None, hit.legs.vector is not None) for hit in ranked.hits]

    assert set(with_seed(tmp_path, found)) == {(True, True)}


@requirement("000-023")
def test_the_filtered_search_is_also_by_the_names_of_the_linked(tmp_path: Path) -> None:
    reply = asked(tmp_path, query="Svc-A?")
    assert "entities" in _hits(reply)["doc1#c12"]["found_by"]


@requirement("000-024")
def test_callers_may_filter_by_entity_ids(tmp_path: Path) -> None:
    reply = asked(tmp_path, filter="entityIds/any(e: e eq 'team-y')", trace="full")
    assert set(_hits(reply)) == {"doc2#c3", "doc4#c1"}


@requirement("000-027", "000-028")
def test_every_sentence_of_the_answer_names_its_source(tmp_path: Path) -> None:
    reply = asked(tmp_path)
    assert reply["statements"]
    assert all(one["labels"] for one in reply["statements"])
    for one in reply["citations"]:
        assert f"[{one['label']}]" in reply["answer"]
        assert one["quote"]
    assert "Process X" in reply["answer"]
    assert "Team Y" in reply["answer"]


@requirement("000-029")
def test_what_the_knowledge_does_not_tell_is_not_answered(tmp_path: Path) -> None:
    reply = asked(tmp_path, query="What is the salary of Ann Zebra?")
    assert (reply["sufficient"], reply["state"]) == (False, "nothing")


@requirement("000-030", "000-031")
def test_the_reply_is_one_compact_json_payload(tmp_path: Path) -> None:
    async def work(one: Door) -> list[Any]:
        sent = [
            await one.client.post("/api/ask", json={"query": QUESTION, "trace": form})
            for form in (None, "full")
        ]
        assert {reply.headers["content-type"] for reply in sent} == {"application/json"}
        return [reply.json() for reply in sent]

    compact, full = with_seed(tmp_path, work)
    assert len(json.dumps(compact["trace"])) < len(json.dumps(full["trace"])) / 2
    assert compact["answerId"] == full["answerId"]


@requirement("000-032")
def test_nobody_comes_in_without_a_token(tmp_path: Path) -> None:
    async def work(one: Door) -> int:
        without = await one.client.post("/api/ask", json=ASKED, headers={"Authorization": ""})
        return without.status_code

    assert with_seed(tmp_path, work) == 401
