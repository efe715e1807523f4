"""A little knowledge behind MCP, and the official client that comes to it by every way."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from sextant.build import open_sextant
from sextant.ingest.flow import Options
from sextant.prompting.network.trust import trusted
from sextant.types import OPERATOR, Scope
from tests.cli.commands import environment
from tests.cli.knowledge import OPEN, SECRET
from tests.ingest.folders import lay_out
from tests.serve.running import Served, served, small

OWNER = "Who owns Harbor Queue?"
MOVE = "Where does Harbor Queue move to?"
LATEST, HANDSHAKE = "2026-07-28", "legacy"
OTHER = "other"
"""Another tenant, which knows one thing."""


async def take_in(folder: Path) -> None:
    """Let a folder have a store that knows a few pages; they are read once, and then copied."""
    home = _home()
    if not (home / "s").exists():
        await _read_in(home)
    shutil.copytree(home / "s", folder / "s")


async def _read_in(home: Path) -> None:
    """Take in some pages that are open, one for a persona, and one of another tenant."""
    lay_out(home / "docs", OPEN)
    lay_out(home / "secret", SECRET)
    lay_out(home / "theirs", {"t.md": "# Comet Desk\n\nComet Desk is owned by Team Q.\n"})
    async with await open_sextant(small(home)) as sextant:
        all_of_it = Scope(roles=frozenset({OPERATOR}))
        await sextant.ingest(all_of_it, [str(home / "docs")])
        await sextant.ingest(all_of_it, [str(home / "secret")], Options(personas=("sre",)))
        await sextant.ingest(replace(all_of_it, tenant=OTHER), [str(home / "theirs")])


@cache
def _home() -> Path:
    home = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


@asynccontextmanager
async def server(folder: Path, llm: str = "", **options: Any) -> AsyncIterator[Served]:
    """Serve that knowledge over HTTP."""
    settings = small(folder)
    await take_in(folder)
    async with served(replace(settings, llm=llm) if llm else settings, **options) as one:
        yield one


@asynccontextmanager
async def over_http(one: Served, mode: str = LATEST, token: str = "") -> AsyncIterator[Client]:
    """Come in over Streamable HTTP."""
    headers = {"Authorization": f"Bearer {token}"} if token else one.headers
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30, verify=trusted()) as http,
        Client(streamable_http_client(f"{one.url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(
    folder: Path, *arguments: str, mode: str = LATEST, **variables: str
) -> AsyncIterator[Client]:
    """Start `sextant mcp` in a folder, and talk to it."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sextant", "mcp", *arguments],
        cwd=folder,
        env=environment(**variables),
    )
    async with Client(stdio_client(started), mode=mode) as client:
        yield client


def with_client(
    folder: Path,
    work: Callable[[Client, Served], Coroutine[Any, Any, None]],
    mode: str = LATEST,
    **options: Any,
) -> None:
    """Work with a client of a server that has that knowledge."""

    async def run() -> None:
        async with server(folder, **options) as one, over_http(one, mode) as client:
            await work(client, one)

    asyncio.run(run())


def stored(folder: Path) -> dict[str, str]:
    """Return the variables that name the store of a folder."""
    settings = small(folder)
    return {"SEXTANT_STORE": settings.store, "SEXTANT_EMBEDDER": settings.embedder}


async def call(client: Client, name: str, /, **arguments: Any) -> Any:
    """Call a tool that does what it is asked, and return its structured content."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    return result.structured_content


async def refusal(client: Client, name: str, /, **arguments: Any) -> Any:
    """Call a tool that refuses, and return how it tells that."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, result.structured_content
    return result.structured_content


async def checked(client: Client, name: str, given: Any) -> None:
    """Check what a tool gave against the schema that the server lists for it."""
    (tool,) = [one for one in (await client.list_tools()).tools if one.name == name]
    assert tool.output_schema is not None
    jsonschema.validate(given, tool.output_schema)


def text_of(result: CallToolResult) -> str:
    """Return what a model without structured content reads."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
