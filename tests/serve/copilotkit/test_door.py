"""The door of CopilotKit on a real server: refusals, limits, other pages, clients that leave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.plugins import action
from sextant.serve.caller import Role
from sextant.settings import ChatSettings, GuardrailSettings
from tests.serve.agui.serving import RUN, Copiloted, copiloted, install, run_input
from tests.serve.agui.steered_model import SCHEME
from tests.serve.copilotkit.chatting import RUN_FIELD, graphql_chat
from tests.serve.graphql.recordings import client_documents
from tests.serve.graphql.scripted import CLIENT
from tests.serve.graphql.urql import put_together
from tests.serve.rest.sending import api
from tests.serve.running import small

ROOT = "/copilotkit"
_ACCEPT = {"accept": CLIENT}


def _payloads(body: bytes) -> list[bytes]:
    parts = body.split(b"\r\n---")[1:]
    return [part.partition(b"\r\n\r\n")[2] for part in parts if b"\r\n\r\n" in part]


def _error(response: httpx2.Response) -> Any:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("application/graphql-response+json")
    (error,) = response.json()["errors"]
    assert error["extensions"]["severity"]
    assert error["extensions"]["visibility"]
    assert error["extensions"]["requestId"] == response.headers["x-request-id"]
    return error


def _state_of(thread_id: str, agent: str) -> dict[str, Any]:
    """Return what the client sends to load a thread."""
    query = client_documents()["1.10.6"]["loadAgentState"]
    return {"query": query, "variables": {"data": {"threadId": thread_id, "agentName": agent}}}


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
async def copilot(tmp_path: Path) -> AsyncIterator[Copiloted]:
    async with copiloted(tmp_path) as own:
        yield own


async def test_a_run_comes_in_parts_over_the_wire(copilot: Copiloted) -> None:
    response = await copilot.client.post(ROOT, json=graphql_chat("CHUNKS:3"), headers=_ACCEPT)
    assert response.headers["content-type"] == 'multipart/mixed; boundary="-"'
    assert "x-copilotkit-runtime-version" not in response.headers
    told = put_together(_payloads(response.content))[RUN_FIELD]
    assert told["threadId"] == "thread-1"
    assert "".join(told["messages"][0]["content"]) == "tok0 tok1 tok2 "


async def test_both_protocols_are_told_apart_by_their_bodies(copilot: Copiloted) -> None:
    hello = await copilot.client.post(ROOT, json={"query": "{ hello }"})
    assert hello.json() == {"data": {"hello": "Hello World"}}
    info = await copilot.client.post(ROOT, json={"method": "info"})
    assert "default" in info.json()["agents"]
    assert (await copilot.client.get(f"{ROOT}/info")).json() == info.json()


@pytest.mark.parametrize("body", [{}, [], 5, "query"])
async def test_a_body_of_neither_protocol_is_refused(copilot: Copiloted, body: Any) -> None:
    error = _error(await copilot.client.post(ROOT, json=body, headers=_ACCEPT))
    assert error["extensions"]["code"] == "MISUSE"
    assert (await copilot.client.post(ROOT, json=body)).status_code == 400


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
async def test_a_body_that_is_no_json_is_refused(copilot: Copiloted, body: bytes) -> None:
    headers = {**_ACCEPT, "content-type": "application/json"}
    error = _error(await copilot.client.post(ROOT, content=body, headers=headers))
    assert error["extensions"]["reason"] == "invalid_json"


async def test_only_post_is_taken(copilot: Copiloted) -> None:
    response = await copilot.client.get(ROOT)
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_a_stranger_is_told_so_in_its_own_protocol(copilot: Copiloted) -> None:
    async with httpx2.AsyncClient(base_url=copilot.server.url) as stranger:
        refused = await stranger.post(ROOT, json=graphql_chat("hi"), headers=_ACCEPT)
        error = _error(refused)
        assert error["extensions"]["code"] == "AUTHENTICATION_ERROR"
        assert error["extensions"]["statusCode"] == 401
        assert "www-authenticate" in refused.headers
        other = await stranger.post(f"{ROOT}/agent/default/run", json={})
        assert (other.status_code, other.json()["code"]) == (401, "unauthenticated")


async def test_a_message_of_ten_megabytes_is_too_large(copilot: Copiloted) -> None:
    error = _error(
        await copilot.client.post(ROOT, json=graphql_chat("x" * 10_000_000), headers=_ACCEPT)
    )
    assert error["extensions"]["reason"] == "too_large"
    assert copilot.model.prompts == []


async def test_who_comes_too_often_is_told_so_over_200(tmp_path: Path) -> None:
    async with copiloted(tmp_path, requests_per_minute=1) as own:
        await own.client.post(ROOT, json={"query": "{ hello }"}, headers=_ACCEPT)
        refused = await own.client.post(ROOT, json={"query": "{ hello }"}, headers=_ACCEPT)
        assert _error(refused)["extensions"]["reason"] == "rate_limited"
        assert "retry-after" in refused.headers


async def test_a_trusted_page_may_send_the_headers_that_it_asks_for(tmp_path: Path) -> None:
    page = "https://app.example"
    own_header = "x-copilotkit-runtime-client-gql-version"
    asked = {
        "origin": page,
        "access-control-request-method": "POST",
        "access-control-request-headers": f"content-type, {own_header}, bad header",
    }
    async with copiloted(tmp_path, origins=page) as own:
        preflight = await own.client.options(ROOT, headers=asked)
        assert preflight.headers["access-control-allow-origin"] == page
        allowed = preflight.headers["access-control-allow-headers"].split(", ")
        assert {own_header, "content-type"} <= set(allowed)
        assert "bad header" not in allowed
        hello = {"query": "{ hello }"}
        reply = await own.client.post(ROOT, json=hello, headers={**_ACCEPT, "origin": page})
        assert reply.headers["access-control-allow-origin"] == page
        other = {**_ACCEPT, "origin": "https://elsewhere.example"}
        error = _error(await own.client.post(ROOT, json=hello, headers=other))
        assert error["extensions"]["reason"] == "wrong_origin"


async def test_who_leaves_ends_the_run_down_to_the_model(copilot: Copiloted) -> None:
    body = graphql_chat("HOLD:1")
    async with (
        copilot.client.stream("POST", ROOT, json=body, headers=_ACCEPT) as response,
        aclosing(response.aiter_bytes()) as pieces,
    ):
        async for piece in pieces:
            if b"tok0" in piece:
                break
    async with asyncio.timeout(30):
        await copilot.model.left.wait()


async def test_a_run_that_takes_too_long_ends_with_an_error_as_its_last_part(
    tmp_path: Path,
) -> None:
    async with copiloted(tmp_path, request_seconds=1.0) as own:
        response = await own.client.post(ROOT, json=graphql_chat("HOLD:1"), headers=_ACCEPT)
        *_, last = _payloads(response.content)
        assert json.loads(last)["errors"][0]["extensions"]["reason"] == "overloaded"
        assert response.content.endswith(b"\r\n-----\r\n")
        async with asyncio.timeout(30):
            await own.model.left.wait()


async def test_runs_are_counted_as_streams(tmp_path: Path) -> None:
    async with copiloted(tmp_path, streams=1) as own:
        body = graphql_chat("HOLD:1")
        async with (
            own.client.stream("POST", ROOT, json=body, headers=_ACCEPT) as response,
            aclosing(response.aiter_bytes()) as pieces,
        ):
            await anext(pieces)
            other = graphql_chat("CHUNKS:1", threadId="thread-2")
            error = _error(await own.client.post(ROOT, json=other, headers=_ACCEPT))
            assert error["extensions"]["reason"] == "rate_limited"


async def test_a_failure_of_the_model_tells_nothing_of_the_inside(copilot: Copiloted) -> None:
    response = await copilot.client.post(ROOT, json=graphql_chat("ERROR"), headers=_ACCEPT)
    assert b"secret" not in response.content
    status = put_together(_payloads(response.content))[RUN_FIELD]["status"]
    assert status["reason"] == "UNKNOWN_ERROR"
    assert status["details"]["originalError"]["code"] == "NETWORK_ERROR"
    request_id = response.headers["x-request-id"]
    assert status["details"]["originalError"]["requestId"] == request_id
    assert status["details"]["description"].endswith(f"The request id is {request_id}.")


async def test_what_is_wrong_with_a_document_or_a_query_names_its_request(
    copilot: Copiloted,
) -> None:
    ghost = _state_of("thread-1", "ghost")
    for body in ({"query": "{"}, {"query": "{ nothing }"}, ghost):
        _error(await copilot.client.post(ROOT, json=body, headers=_ACCEPT))


_PICTURE = {"format": "png", "bytes": "aGFsbG8=", "role": "user"}
_ORPHAN = {"actionExecutionId": "nobody", "actionName": "act", "result": "x"}
_ACTION = {"name": "act", "description": "", "jsonSchema": '{"type": 5}'}


@pytest.mark.parametrize(
    ("kinds", "frontend"),
    [
        ([{"imageMessage": _PICTURE}], []),
        ([{"resultMessage": _ORPHAN}], []),
        ([{"textMessage": {"content": "a", "role": "user"}}] * 2, []),
        ([{"textMessage": {"content": "a", "role": "user"}}], [_ACTION]),
        ([{"textMessage": {"content": "a", "role": "user"}}], [{**_ACTION, "jsonSchema": "{"}]),
    ],
)
async def test_what_a_run_cannot_begin_with_is_an_error_over_200(
    copilot: Copiloted, kinds: list[Any], frontend: list[Any]
) -> None:
    message = {"id": "same", "createdAt": "2026-01-01T00:00:00.000Z"}
    body = graphql_chat("", messages=[{**message, **kind} for kind in kinds])
    body["variables"]["data"]["frontend"] = {"actions": frontend}
    error = _error(await copilot.client.post(ROOT, json=body, headers=_ACCEPT))
    assert error["extensions"]["code"] == "MISUSE"
    assert error["extensions"]["hint"]
    assert copilot.model.prompts == []


async def test_a_caller_may_not_name_another_tenant_or_lack_the_role(tmp_path: Path) -> None:
    settings = small(tmp_path, llm=f"{SCHEME}:", chat=ChatSettings(grounding="off"))
    body = graphql_chat("CHUNKS:1")
    async with api(tmp_path, settings) as own:
        async with own.client("acme") as client:
            body["variables"]["properties"] = {"tenantId": "other"}
            error = _error(await client.post(ROOT, json=body, headers=_ACCEPT))
            assert error["extensions"]["reason"] == "forbidden"
            assert error["extensions"]["code"] == "AUTHENTICATION_ERROR"
            body["variables"]["properties"] = {"tenantId": "acme"}
            told = await client.post(ROOT, json=body, headers=_ACCEPT)
            assert put_together(_payloads(told.content))[RUN_FIELD]["status"]["code"] == "Success"
        async with own.client("acme", frozenset({Role.WRITE})) as writer:
            error = _error(await writer.post(ROOT, json=body, headers=_ACCEPT))
            assert error["extensions"]["reason"] == "forbidden"


async def test_who_asks_for_others_names_them_in_the_address_of_every_call(tmp_path: Path) -> None:
    settings = small(tmp_path, llm=f"{SCHEME}:", chat=ChatSettings(grounding="off"))
    ann, bob = ({"aadObjectId": name, "personaId": "ops"} for name in ("ann", "bob"))
    agent = f"{ROOT}/agent/default"
    asked = run_input("HOLD:1", threadId="t", forwardedProps={"detached": True})
    async with api(tmp_path, settings) as own:
        async with own.client("default", frozenset({Role.SEARCH, Role.ON_BEHALF})) as backend:

            async def post(path: str, whom: dict[str, str], body: Any = None) -> httpx2.Response:
                return await backend.post(path, params=whom, json=body)

            async with backend.stream("POST", f"{agent}/run", params=ann, json=asked) as run:
                told = run.aiter_lines()
                assert "RUN_STARTED" in await anext(told)
                stopped = [(await post(f"{agent}/stop/t", whom)).json() for whom in (bob, ann)]
                assert [one["stopped"] for one in stopped] == [False, True]
                assert any([("RUN_FINISHED" in line) async for line in told])
            for whom, is_there in ((ann, True), (bob, False)):
                state = (await post(ROOT, whom, _state_of("t", "default"))).json()
                assert state["data"]["loadAgentState"]["threadExists"] is is_there
            twice = await post(f"{agent}/run", bob, asked | {"forwardedProps": ann})
            assert twice.json()["code"] == "invalid_input"
        async with own.client("default", frozenset({Role.SEARCH})) as other:
            refused = await other.post(f"{agent}/stop/t?aadObjectId=ann")
            assert refused.json()["code"] == "forbidden"


async def test_a_grounded_chat_tells_its_state_and_is_found_again(tmp_path: Path) -> None:
    state = _state_of("thread-1", "default")
    async with copiloted(tmp_path, {"grounding": "agent"}, llm="") as own:
        response = await own.client.post(ROOT, json=graphql_chat("Who owns it?"), headers=_ACCEPT)
        told = put_together(_payloads(response.content))[RUN_FIELD]
        assert told["status"]["code"] == "Success"
        kinds = {one["__typename"] for one in told["messages"]}
        assert kinds == {"AgentStateMessageOutput", "TextMessageOutput"}
        last = [one for one in told["messages"] if "state" in one][-1]
        assert (last["agentName"], last["running"]) == ("default", False)
        assert json.loads(last["state"])["citations"] == []
        kept = (await own.client.post(ROOT, json=state)).json()["data"]["loadAgentState"]
        assert kept["threadExists"] is True
        assert json.loads(kept["state"]) == json.loads(last["state"])
        assert [one["role"] for one in json.loads(kept["messages"])] == ["user", "assistant"]


async def test_a_guardrail_that_is_down_ends_the_run_in_the_form_of_each_protocol(
    tmp_path: Path,
) -> None:
    down = GuardrailSettings(services=("http://127.0.0.1:9",))
    async with copiloted(tmp_path, guardrails=down) as own:
        response = await own.client.post(ROOT, json=graphql_chat("CHUNKS:3"), headers=_ACCEPT)
        events = await own.events(RUN, run_input("CHUNKS:3"))
        assert own.model.prompts == []
    status = put_together(_payloads(response.content))[RUN_FIELD]["status"]
    assert (status["code"], status["reason"]) == ("Failed", "GUARDRAILS_VALIDATION_FAILED")
    assert "127.0.0.1" not in response.text
    assert [one["type"] for one in events] == ["RUN_STARTED", "RUN_ERROR"]
    assert events[-1]["code"] == "guardrails_unavailable"


async def test_of_two_that_wait_the_answer_goes_to_the_one_whose_value_it_has(
    copilot: Copiloted,
) -> None:
    cancelled: list[int] = []

    @action(approval=True)
    async def cancel_order(order: int) -> str:
        """Cancel an order."""
        cancelled.append(order)
        return "cancelled"

    copilot.server.house.sextant.copilot.register(cancel_order)
    both = 'TOOL:cancel_order:{"order":61};TOOL:cancel_order:{"order":62}'
    asked = graphql_chat(both, threadId="t")
    response = await copilot.client.post(ROOT, json=asked, headers=_ACCEPT)
    first, _ = put_together(_payloads(response.content))[RUN_FIELD]["metaEvents"]
    value = json.dumps(json.loads(first["value"]), separators=(",", ":"))
    answer = {"name": "LangGraphInterruptEvent", "value": value, "response": "yes"}
    asked = graphql_chat(both, threadId="t", metaEvents=[answer])
    await copilot.client.post(ROOT, json=asked, headers=_ACCEPT)
    assert cancelled == [61]
