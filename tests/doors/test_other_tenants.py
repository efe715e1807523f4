"""Whoever names another tenant than its own is refused in the same bytes, whether that is there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.doors import requests
from tests.doors.sending import Bare, Names, Sent, send
from tests.doors.worlds import OURS, THEIRS, Tenant, world

_THERE, _NOT_THERE = "umbrella", "nobody"
_BODIES: dict[str, dict[str, Any]] = {
    "/api/ask": {"query": "Where is the Hub?"},
    "/api/search": {"query": "Hub"},
    "/api/expand": {"entityIds": ["thing:hub"]},
    "/api/feedback": {"documentId": "same.md", "verdict": "helpful"},
    "/api/ingest": {"documents": [{"id": "new", "text": "Hub."}]},
    "/api/tools/select": {"query": "restart the Hub"},
    "/api/tools/enhance": {"tools": ["hub.restart"]},
    "/api/tools/alternatives": {"tool": "hub.restart"},
    "/api/tools/next": {"tools": ["hub.restart"]},
    "/api/tools/uses": {"uses": [{"tools": ["hub.restart"]}]},
    "/api/tools/usage": {"tool": "hub.restart"},
    "/api/tools/import": {"name": "hub", "catalogue": [{"id": "hub.restart"}]},
}
_PUT: dict[str, dict[str, Any]] = {
    "/api/tools/relations": {"source": "hub.restart", "kind": "PRECEDES", "target": "hub.stop"},
}
_QUERIES = {
    ("get", "/api/entities"): "&name=Hub",
    ("get", "/api/tools/path"): "&from=hub.restart&to=hub.stop",
    ("delete", "/api/tools/uses"): "&id=use-1",
    ("delete", "/api/tools/relations"): "&source=hub.restart&kind=PRECEDES&target=hub.stop",
}
_NAMED = {"tenantId": "THEM", "context": {"tenantId": "THEM"}}
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "graphrag_query": {"query": "Where is the Hub?"},
    "entity_lookup": {"name": "Hub"},
    "graph_expansion": {"entityIds": ["Hub"]},
    "RAGPipeline.SearchAndRank": {"UserQueryText": "Hub"},
    "KnowledgeStore.SearchPersonaKnowledgeByVector": {"QueryVector": [1.0] * 64},
    "KnowledgeStore.SearchPersonaKnowledgeByFilters": {"Keywords": "Hub"},
    "KnowledgeStore.GetEntry": {"EntryId": "same.md#c0"},
    "KnowledgeStore.GetArtifactMetadata": {"ArtifactId": "same.md"},
    "KnowledgeStore.UpsertEntry": {"ArtifactId": "same.md", "Content": "Hub."},
    "KnowledgeStore.DeleteEntry": {"EntryId": "same.md#c0"},
    "knowledge_ingest": {"entities": [{"id": "hub", "name": "Hub", "type": "place"}]},
    "LlmOrchestration.GenerateEmbeddings": {"Texts": ["Hub"]},
    "LlmOrchestration.ExpandOrRephraseQuery": {"Query": "Hub"},
    "LlmOrchestration.RerankCandidates": {"Query": "Hub", "Candidates": []},
    "select_tools": {"query": "restart the Hub"},
    "enhance_tools": {"tools": ["hub.restart"]},
    "find_alternatives": {"tool": "hub.restart"},
    "record_tool_use": {"tools": ["hub.restart"]},
    "update_tool_usage": {"tool": "hub.restart"},
    "tool_graph_stats": {},
}
_PATH = {
    "document_id": "same.md",
    "entity_id": "thing:hub",
    "conversation_id": "talk",
    "name": "fresh",
    "job_id": "JOB-0",
    "tool_id": "hub.restart",
}


async def _told(tenant: Tenant, sent: Sent, named: str) -> Bare:
    return await send(tenant, sent, Names(named, list), 0)


async def _operations(tenant: Tenant) -> list[Sent]:
    """Return every operation that takes a tenant in its address, as the server describes them."""
    described = (await tenant.client.get("/openapi.json")).json()
    found = []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            names = {one["name"] for one in operation.get("parameters", [])}
            if "tenantId" in names:
                body = (_PUT if method == "put" else _BODIES).get(path, {})
                more = _QUERIES.get((method, path), "")
                where = f"{path.format(**_PATH)}?tenantId=THEM{more}"
                found.append(Sent(method.upper(), where, body if method != "get" else None))
    return found


async def _tools(tenant: Tenant) -> list[Sent]:
    """Return a call of every tool that the server lists."""
    told = await _told(tenant, requests.rpc("tools/list"), "")
    names = [one["name"] for one in json.loads(told.body)["result"]["tools"]]
    assert set(names) == set(_ARGUMENTS)
    return [
        requests.tool(
            name, **_ARGUMENTS[name], **{"TenantId" if "." in name else "tenantId": "THEM"}
        )
        for name in names
    ]


def test_a_tenant_that_is_there_is_refused_as_one_that_is_not(tmp_path: Path) -> None:
    async def task() -> list[tuple[Sent, Bare, Bare]]:
        async with (
            world(tmp_path / "one") as one,
            one.tenant("us", OURS) as us,
            one.tenant(_THERE, THEIRS),
        ):
            bodies = [Sent("POST", path, {**body, **_NAMED}) for path, body in _BODIES.items()]
            sent = [*bodies, *await _operations(us), *await _tools(us)]
            return [
                (each, await _told(us, each, _THERE), await _told(us, each, _NOT_THERE))
                for each in sent
            ]

    replies = asyncio.run(task())
    assert len(replies) > 30
    for sent, there, not_there in replies:
        assert there == not_there, sent
        if sent.path == "/mcp":
            assert b'"isError":true' in there.body, sent
            assert b"may not name that tenant" in there.body, sent
        else:
            assert there.status == 403, (sent, there)
            assert _THERE.encode() not in there.body, sent
