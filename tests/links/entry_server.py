"""A KnowledgeStore of somebody else: three tools with the specification's names, and no more.

It is a process of its own with the official SDK, and knows nothing of Sextant. Run as
``python -m tests.links.entry_server SPELLING FILE TOKEN``: the file holds entries with vectors, the
token is what it lets in, and its port is printed. Spelt ``pascal``, fields stand side by side and
results hold whole entries; ``wrapped``, they stand inside one object, in camelCase, and results are
ids in a text.
"""

# ruff: noqa: N803 - the arguments are named as the specification names its fields

from __future__ import annotations

import json
import math
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

Entry = dict[str, Any]


class Filters(BaseModel):
    """Date ranges, source types, tags."""

    model_config = ConfigDict(extra="forbid")
    ModifiedAfter: str | None = None
    ModifiedBefore: str | None = None
    SourceTypes: list[str] | None = None
    Tags: list[str] | None = None


class Shelf:
    """The entries, by tenant and persona."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries

    def near(self, vector: list[float], **asked: Any) -> list[Entry]:
        return self._best(lambda one: _cosine(vector, one["vector"]), **asked)

    def holding(self, words: str, **asked: Any) -> list[Entry]:
        wanted = set(words.lower().split())

        def count(one: Entry) -> float:
            return len(wanted & set(one["ContentSummary"].lower().replace(".", "").split()))

        return self._best(count, **asked)

    def entry(self, entry_id: str, tenant: str) -> Entry:
        for one in self._entries:
            if one["PersonaKnowledgeEntryId"] == entry_id and one["TenantId"] == tenant:
                return _shown(one)
        raise ToolError("No such entry.")

    def _best(
        self, score: Any, tenant: str, persona: str | None, filters: Filters | None, most: int
    ) -> list[Entry]:
        own = [
            one
            for one in self._entries
            if one["TenantId"] == tenant
            and (persona is None or one["PersonaId"] in (None, persona))
        ]
        rated = [{**_shown(one), "Score": score(one)} for one in own if _fits(one, filters)]
        return sorted((one for one in rated if one["Score"] > 0), key=lambda one: -one["Score"])[
            :most
        ]


def _fits(one: Entry, filters: Filters | None) -> bool:
    artifact, asked = one["AssociatedArtifact"], filters or Filters()
    return all(
        (
            not asked.SourceTypes or artifact["SourceType"] in asked.SourceTypes,
            not asked.Tags or bool(set(asked.Tags) & set(one["tags"])),
            not asked.ModifiedAfter or artifact["LastModifiedDate"] >= asked.ModifiedAfter,
            not asked.ModifiedBefore or artifact["LastModifiedDate"] < asked.ModifiedBefore,
        )
    )


def _shown(one: Entry) -> Entry:
    return {name: own for name, own in one.items() if name not in ("vector", "tags")}


def _cosine(one: list[float], other: list[float]) -> float:
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0


def side_by_side(shelf: Shelf) -> MCPServer:
    """Return a server whose tools take fields as the specification spells them."""
    server = MCPServer("somebody-elses-store")

    @server.tool("KnowledgeStore.SearchPersonaKnowledgeByVector")
    def by_vector(
        TenantId: str,
        UserQueryVector: list[float],
        PersonaId: str | None = None,
        Filters: Filters | None = None,
        TopKInitialRetrieve: int = 50,
    ) -> dict[str, Any]:
        """Find entries near a vector."""
        found = shelf.near(
            UserQueryVector,
            tenant=TenantId,
            persona=PersonaId,
            filters=Filters,
            most=TopKInitialRetrieve,
        )
        return {"Results": found}

    @server.tool("KnowledgeStore.SearchPersonaKnowledgeByFilters")
    def by_filters(
        TenantId: str,
        Keywords: list[str],
        PersonaId: str | None = None,
        Filters: Filters | None = None,
        TopKInitialRetrieve: int = 50,
    ) -> dict[str, Any]:
        """Find entries that hold keywords."""
        found = shelf.holding(
            " ".join(Keywords),
            tenant=TenantId,
            persona=PersonaId,
            filters=Filters,
            most=TopKInitialRetrieve,
        )
        return {"Results": found}

    @server.tool("KnowledgeStore.GetEntry")
    def get_entry(TenantId: str, PersonaKnowledgeEntryId: str) -> dict[str, Any]:
        """Read an entry."""
        return shelf.entry(PersonaKnowledgeEntryId, TenantId)

    return server


class Camel(BaseModel):
    """One object with fields in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")
    tenant_id: str


class VectorRequest(Camel):
    """What to find by a vector."""

    persona_id: str | None = None
    query_vector: list[float]
    top_k: int = 50


class FilterRequest(Camel):
    """What to find by words."""

    persona_id: str | None = None
    keywords: str
    top_k: int = 50


class EntryRequest(Camel):
    """What to read."""

    entry_id: str


def in_one_object(shelf: Shelf) -> MCPServer:
    """Return a server whose tools take one object, and tell only ids as text."""
    server = MCPServer("somebody-elses-store")

    def told(found: list[Entry]) -> str:
        return json.dumps(
            [{"entryId": one["PersonaKnowledgeEntryId"], "score": one["Score"]} for one in found]
        )

    @server.tool("SearchPersonaKnowledgeByVector", structured_output=False)
    def by_vector(request: VectorRequest) -> str:
        """Find entries near a vector."""
        own = {"tenant": request.tenant_id, "persona": request.persona_id, "filters": None}
        return told(shelf.near(request.query_vector, **own, most=request.top_k))

    @server.tool("SearchPersonaKnowledgeByFilters", structured_output=False)
    def by_filters(request: FilterRequest) -> str:
        """Find entries that hold keywords."""
        own = {"tenant": request.tenant_id, "persona": request.persona_id, "filters": None}
        return told(shelf.holding(request.keywords, **own, most=request.top_k))

    @server.tool("GetEntry", structured_output=False)
    def get_entry(request: EntryRequest) -> str:
        """Read an entry."""
        found = shelf.entry(request.entry_id, request.tenant_id)
        return json.dumps({to_camel_name(name): own for name, own in found.items()})

    return server


def to_camel_name(name: str) -> str:
    return name[0].lower() + name[1:]


class Guarded:
    """Lets in who has the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != self._wanted:
            await PlainTextResponse("No.", 401)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def main(spelling: str, file: str, token: str) -> None:
    shelf = Shelf(json.loads(Path(file).read_text("utf-8")))
    server = side_by_side(shelf) if spelling == "pascal" else in_one_object(shelf)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    app = Guarded(server.streamable_http_app(), token)
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
