"""The tools over the whole line: cited answers, entities and their relations."""

from __future__ import annotations

from pathlib import Path

from mcp.client import Client

from sextant.types import Answer, Scope
from tests.serve.mcp.doors import (
    HANDSHAKE,
    MOVE,
    OTHER,
    OWNER,
    call,
    checked,
    refusal,
    text_of,
    with_client,
)
from tests.serve.running import Served


def told(answer: Answer) -> list[tuple[str, str, int, int]]:
    return [(one.chunk_id, one.quote, one.start, one.end) for one in answer.citations]


def test_an_answer_has_the_same_citations_as_in_python(tmp_path: Path) -> None:
    async def work(client: Client, one: Served) -> None:
        reply = await call(client, "graphrag_query", query=OWNER)
        answer = await one.house.sextant.ask(Scope(), OWNER)
        given = [
            (own["chunkId"], own["quote"], own["start"], own["end"]) for own in reply["citations"]
        ]
        assert given == told(answer) != []
        assert reply["answer"] == answer.text
        await checked(client, "graphrag_query", reply)

    with_client(tmp_path, work)


def test_an_answer_has_all_that_a_copilot_expects(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        reply = await call(
            client,
            "graphrag_query",
            query=OWNER,
            conversationId="c1",
            context={"tenantId": "default", "locale": "en-US"},
        )
        assert {"answer", "citations", "trace"} <= reply.keys()
        assert {"title", "url", "chunkId"} <= reply["citations"][0].keys()
        assert {"linkedEntities", "expandedEntityIds", "searchFilter"} <= reply["trace"].keys()
        assert reply["conversationId"] == "c1"

    with_client(tmp_path, work)


def test_steps_are_told_on_demand_alone(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        short = await call(client, "graphrag_query", query=OWNER)
        whole = await call(client, "graphrag_query", query=OWNER, trace="full")
        for reply in (short, whole):
            await checked(client, "graphrag_query", reply)
        assert {one["name"] for one in short["trace"].pop("steps")} <= {
            "resolve",
            "retrieve",
            "rank",
        }
        assert {"link", "rank", "cite"} <= {one["name"] for one in whole["trace"].pop("steps")}
        assert short["trace"].pop("digest")
        assert whole["trace"].pop("digest") == ""
        assert (short["trace"].pop("form"), whole["trace"].pop("form")) == ("compact", "full")
        assert short == whole
        assert short["trace"]["linkedEntities"] == ["harbor-queue"]
        assert short["trace"]["commit"] > 0

    with_client(tmp_path, work)


def test_a_model_without_structured_content_reads_the_answer_and_its_sources(
    tmp_path: Path,
) -> None:
    async def work(client: Client, _: Served) -> None:
        text = text_of(await client.call_tool("graphrag_query", {"query": OWNER}))
        assert "owned by Team Y" in text
        assert "Sources:\n[Harbor Queue] Harbor Queue (`docs/queue.md#c0`)" in text

    with_client(tmp_path, work, HANDSHAKE)


def test_a_conversation_is_remembered_under_its_name(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        await call(client, "graphrag_query", query=OWNER, conversationId="c1")
        again = "How long does it keep messages?"
        reply = await call(client, "graphrag_query", query=again, conversationId="c1")
        assert "72 hours" in reply["answer"]
        assert "harbor-queue" in reply["trace"]["linkedEntities"]

    with_client(tmp_path, work)


def test_a_filter_narrows_what_an_answer_rests_on(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        only = "documentId eq 'docs/a.md'"
        reply = await call(client, "graphrag_query", query=OWNER, filter=only)
        assert {one["documentId"] for one in reply["citations"]} <= {"docs/a.md"}
        wrong = await refusal(client, "graphrag_query", query=OWNER, filter="colour eq 'red'")
        assert wrong["code"] == "invalid_filter"

    with_client(tmp_path, work)


def test_what_a_persona_may_not_see_is_not_there(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        hidden = await call(client, "graphrag_query", query=MOVE)
        assert "Oslo" not in str(hidden)
        seen = await call(client, "graphrag_query", query=MOVE, personaId="sre")
        assert "Oslo" in seen["answer"]

    with_client(tmp_path, work)


def test_a_tenant_knows_only_its_own(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        assert "Team Q" not in str(await call(client, "graphrag_query", query="Who owns Comet?"))
        theirs = await call(client, "graphrag_query", query="Who owns Comet Desk?", tenantId=OTHER)
        assert "Team Q" in theirs["answer"]
        await refusal(client, "entity_lookup", name="Harbor Queue", tenantId=OTHER)

    with_client(tmp_path, work)


def test_an_entity_is_found_by_an_alias_with_the_sentences_that_speak_of_it(
    tmp_path: Path,
) -> None:
    async def work(client: Client, _: Served) -> None:
        found = await call(client, "entity_lookup", name="HQ")
        assert (found["id"], found["aliases"]) == ("harbor-queue", ["HQ"])
        sentences = {one["sentence"] for one in found["relations"]}
        assert "Service A depends on Harbor Queue." in sentences
        assert (
            found["relations"]
            == (await call(client, "entity_lookup", entityId=found["id"]))["relations"]
        )
        await checked(client, "entity_lookup", found)

    with_client(tmp_path, work)


def test_who_does_not_exist_is_said_so(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        assert (await refusal(client, "entity_lookup", name="Zebra Crossing"))[
            "code"
        ] == "not_found"
        missing = await refusal(client, "graph_expansion", entityIds=["Zebra Crossing"])
        assert missing["code"] == "not_found"
        nobody = await refusal(client, "entity_lookup")
        assert nobody["code"] == "invalid_input"
        assert nobody["message"] == "The arguments are wrong: give entityId or name."

    with_client(tmp_path, work)


def test_relations_are_followed_from_a_name(tmp_path: Path) -> None:
    async def work(client: Client, _: Served) -> None:
        given = {"entityIds": ["HQ"], "direction": "in", "kinds": ["depends_on"]}
        around = await call(client, "graph_expansion", **given)
        assert [(one["source"], one["hop"]) for one in around["relations"]] == [("service-a", 1)]
        assert [one["id"] for one in around["entities"]] == ["harbor-queue", "service-a"]
        await checked(client, "graph_expansion", around)

    with_client(tmp_path, work)
