"""MCP over plain HTTP, as any client may speak it: who is let in, and what is refused."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from sextant.serve.caller import Role
from sextant.serve.records.folder import server_folder
from sextant.testing.fault_server.server import FaultServer
from tests.serve.identity.making import Keys
from tests.serve.mcp.doors import OTHER, OWNER, call, over_http, refusal, server
from tests.serve.running import Served

BOTH = {"Accept": "application/json, text/event-stream"}
BEGIN: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


def asking(method: str = "tools/call", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def asked(query: str = OWNER, **meta: Any) -> dict[str, Any]:
    told = asking(name="graphrag_query", arguments={"query": query})
    if meta:
        told["params"]["_meta"] = meta
    return told


def test_a_plain_call_is_answered_in_plain_json_and_without_a_handshake(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            plain = await http.post("/mcp", json=asked())
            assert plain.headers["content-type"] == "application/json"
            assert "Team Y" in plain.json()["result"]["structuredContent"]["answer"]
            told = await http.post("/mcp", json=asked(progressToken="p"))
            assert told.headers["content-type"].startswith("text/event-stream")
            messages = [
                json.loads(line.removeprefix("data: "))
                for line in told.text.splitlines()
                if line.startswith("data: {")
            ]
            *steps, last = messages
            assert last["id"] == 1
            assert "Team Y" in last["result"]["structuredContent"]["answer"]
            assert {one["params"]["progressToken"] for one in steps} == {"p"}

    asyncio.run(run())


def test_a_client_may_ask_for_names_without_dots_by_its_address(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            for address, name in (("/mcp", "."), ("/mcp?names=portable", "_")):
                listed = (await http.post(address, json=asking("tools/list"))).json()["result"]
                names = {tool["name"] for tool in listed["tools"]}
                assert f"RAGPipeline{name}SearchAndRank" in names
                begun = (await http.post(address, json=asking("initialize", **BEGIN))).json()
                told = begun["result"]["instructions"] + json.dumps(listed)
                assert f"use RAGPipeline{name}SearchAndRank for ranked passages" in told
                assert f"Prefer RAGPipeline{name}SearchAndRank unless" in told
                other = {".": "_", "_": "."}[name]
                assert f"RAGPipeline{other}SearchAndRank" not in told

    asyncio.run(run())


def test_what_is_listed_for_every_question_is_short(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            listed = (await http.post("/mcp", json=asking("tools/list"))).json()["result"]["tools"]
            taken = json.dumps([tool["inputSchema"] for tool in listed])
            assert '"null"' not in taken
            assert '"default": null' not in taken
            whole = len(json.dumps(listed, separators=(",", ":")))
            assert whole < min(40_000, 2_300 * len(listed))

    asyncio.run(run())


def test_every_tool_says_what_it_is_for_and_what_it_may_do(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, over_http(one) as client:
            tools = (await client.list_tools()).tools
            entries = {"KnowledgeStore.UpsertEntry", "KnowledgeStore.DeleteEntry"}
            writing = entries | {"knowledge_ingest"}
            remembering = {"graphrag_query", "record_tool_use", "update_tool_usage"}
            assert writing | remembering < {tool.name for tool in tools}
            for tool in tools:
                assert tool.annotations
                assert tool.annotations.read_only_hint is (tool.name not in writing | remembering)
                assert tool.annotations.idempotent_hint is (tool.name not in remembering)
                assert tool.title
                assert len(tool.description or "") > 60
                assert tool.output_schema
                assert tool.annotations.open_world_hint is False
                assert tool.annotations.destructive_hint is (tool.name in writing)

    asyncio.run(run())


def test_nobody_comes_in_without_a_token_and_every_request_needs_its_own(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            begun = await http.post("/mcp", json=asking("initialize", **BEGIN))
            session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
            assert (await http.post("/mcp", json=asked(), headers=session)).status_code == 200
            stranger = {**session, "Authorization": "Bearer wrong"}
            refused = await http.post("/mcp", json=asked(), headers=stranger)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"].startswith("Bearer")

    asyncio.run(run())


def test_only_post_is_spoken(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            for method in ("GET", "DELETE", "PUT"):
                refused = await http.request(method, "/mcp")
                assert (refused.status_code, refused.headers["allow"]) == (405, "POST"), method

    asyncio.run(run())


def test_what_is_no_message_is_refused(tmp_path: Path) -> None:
    wrong = {
        b"": -32700,
        b"{": -32700,
        b"\xff\xfe": -32700,
        b"[" * 100_000: -32700,
        b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}': -32700,
        b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}': -32700,
        b"[]": -32600,
        b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]': -32600,
        b"5": -32600,
        b'{"jsonrpc": "2.0", "id": 1}': -32600,
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}': -32600,
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': -32600,
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}': -32600,
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}': -32600,
    }

    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            kind = {"Content-Type": "application/json"}
            for version in ({}, {"MCP-Protocol-Version": "2026-07-28"}):
                for body, code in wrong.items():
                    refused = await http.post("/mcp", content=body, headers=kind | version)
                    assert refused.status_code == 400, body[:60]
                    error = refused.json()["error"]
                    assert error["code"] == code, body[:60]
                    assert error["message"].endswith(error["data"]["hint"])
                    assert "ydantic" not in refused.text

    asyncio.run(run())


@pytest.mark.parametrize("version", ["", "2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"])
def test_a_batch_is_refused_in_every_version_and_says_why(tmp_path: Path, version: str) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            headers = {"MCP-Protocol-Version": version} if version else {}
            batch = [asking("ping"), asking("tools/list")]
            refused = await http.post("/mcp", json=batch, headers=headers)
            assert refused.status_code == 400
            error = refused.json()["error"]
            assert error["code"] == -32600
            assert "taken out of MCP with 2025-06-18" in error["message"]
            assert error["data"]["hint"] == "Send each message in a request of its own."

    asyncio.run(run())


def test_a_body_that_is_not_said_to_be_json_is_refused_before_it_is_read(tmp_path: Path) -> None:
    wrong = ("text/plain", "application/jsonx", "application/xml+json", "application/json, a/b", "")

    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            for method in ("ping", "tools/call"):
                for version in ({}, {"MCP-Protocol-Version": "2026-07-28"}):
                    for kind in wrong:
                        told = {"Content-Type": kind} | version
                        body = json.dumps(asking(method)).encode()
                        refused = await http.post("/mcp", content=body, headers=told)
                        assert refused.status_code == 415, kind
                        assert refused.headers["content-type"] == "application/problem+json"
                        assert refused.json()["code"] == "unsupported_media_type"
                        assert refused.json()["requestId"] == refused.headers["x-request-id"]

    asyncio.run(run())


def test_json_is_json_however_it_is_spelt(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            for kind in ("Application/JSON", "application/json;charset=utf-8"):
                for message in (asking("ping"), asked()):
                    body = json.dumps(message).encode()
                    told = await http.post("/mcp", content=body, headers={"Content-Type": kind})
                    assert "result" in told.json(), told.text

    asyncio.run(run())


def test_only_who_was_let_begin_gets_a_session(tmp_path: Path) -> None:
    token = {"_meta": {"progressToken": "p"}}

    async def run() -> None:
        async with server(tmp_path) as one, one.client(**BOTH) as http:
            for more in ({}, token):
                begun = await http.post("/mcp", json=asking("initialize", **BEGIN, **more))
                assert begun.json()["result"]["protocolVersion"] == BEGIN["protocolVersion"]
                assert begun.headers["mcp-session-id"]
                wrong = {**BEGIN, "protocolVersion": 5, **more}
                refused = await http.post("/mcp", json=asking("initialize", **wrong))
                assert refused.json()["error"]["code"] == -32602
                assert "mcp-session-id" not in refused.headers

    asyncio.run(run())


def test_a_caller_sees_and_does_only_what_its_roles_allow(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(tmp_path, auth="api-key") as one:
            keys = Keys(server_folder(one.house.settings))
            _, reader = keys.create("reader", "default", [Role.SEARCH])
            _, sre = keys.create("sre", "default", [Role.SEARCH], ["sre"])
            _, writer = keys.create("writer", OTHER, [Role.READ, Role.WRITE])
            async with over_http(one, token=reader) as client:
                names = {tool.name for tool in (await client.list_tools()).tools}
                assert "graphrag_query" in names
                assert "KnowledgeStore.UpsertEntry" not in names
                given = {"ArtifactId": "n", "Content": "x"}
                with pytest.raises(MCPError, match=r"needs the role KnowledgeStore\.WriteAccess"):
                    await client.call_tool("KnowledgeStore.UpsertEntry", given)
                other = await refusal(client, "graphrag_query", query=OWNER, tenantId=OTHER)
                assert other["code"] == "forbidden"
                missing = await refusal(client, "graphrag_query", query=OWNER, tenantId="none")
                assert missing == other
                assert (await client.list_resources()).resources == []
                assert (await client.list_resource_templates()).resource_templates == []
                with pytest.raises(MCPError, match=r"needs the role KnowledgeStore\.ReadAccess"):
                    await client.read_resource("sextant://documents/docs%2Fqueue.md")
            async with over_http(one, token=sre) as client:
                moved = await call(client, "graphrag_query", query="Where does Harbor Queue move?")
                assert "Oslo" in str(moved)
                as_hr = await refusal(client, "graphrag_query", query=OWNER, personaId="hr")
                assert as_hr["code"] == "forbidden"
            async with over_http(one, token=writer) as client:
                await call(client, "KnowledgeStore.UpsertEntry", ArtifactId="n", Content="Mine.")
                listed = await client.list_resources()
                assert [own.name for own in listed.resources] == ["n", "theirs/t.md"]

    asyncio.run(run())


def test_a_client_that_leaves_takes_the_work_along(tmp_path: Path) -> None:
    async def leave(one: Served, model: FaultServer, number: int, **meta: Any) -> None:
        async with one.client(**BOTH) as http:
            task = asyncio.create_task(http.post("/mcp", json=asked(**meta)))
            await model.until_asked(number)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await model.until_hung_up(number)

    async def run() -> None:
        async with (
            asyncio.timeout(60),
            FaultServer("hangs") as model,
            server(tmp_path, llm=f"{model.url}#fault-1") as one,
        ):
            await leave(one, model, 1)
            await leave(one, model, 2, progressToken="p")

    asyncio.run(run())
