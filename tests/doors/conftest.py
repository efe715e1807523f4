"""The sample knowledge, taken in once, and every door to it: all of them read the same store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.settings import Settings, load
from sextant.types import Scope
from tests.doors import mcp
from tests.doors.calls import CALLS, SAMPLE, SEARCHES, Call
from tests.doors.door import Door
from tests.doors.python import python
from tests.doors.rest import rest
from tests.doors.shapes import Reply


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a store that holds the sample knowledge."""
    folder = tmp_path_factory.mktemp("doors")
    sample = load(SAMPLE, {}).settings
    settings = replace(sample, store=f"sqlite:{folder}/s", embedder="tiny:")

    async def fill() -> None:
        async with await open_sextant(settings) as sextant:
            await sextant.ingest(Scope(), [str(SAMPLE / "knowledge")])

    asyncio.run(fill())
    return settings


def _opened(name: str, settings: Settings, folder: Path) -> AbstractAsyncContextManager[Door]:
    match name:
        case "Python":
            return python(settings, name)
        case "REST":
            return rest(settings, name)
        case "REST streamed":
            return rest(settings, name, "text/event-stream")
        case "MCP over HTTP":
            return mcp.http(settings, name)
        case "MCP over stdio":
            return mcp.stdio(settings, name, folder)
        case "MCP over a bridge":
            return mcp.bridged(settings, name, folder)
        case _:
            return mcp.three_servers(settings, name)


DOORS = (
    "Python",
    "REST",
    "REST streamed",
    "MCP over HTTP",
    "MCP over stdio",
    "MCP over a bridge",
)
THREE_SERVERS = "MCP of three servers"


async def _replies(
    door: AbstractAsyncContextManager[Door], calls: Mapping[str, Call]
) -> Mapping[str, Reply]:
    async with door as opened:
        return {name: await opened.reply(call) for name, call in calls.items()}


@pytest.fixture(scope="session")
def expected(knowledge: Settings) -> Mapping[str, Reply]:
    """What the core says to every call, to somebody whom it does not know yet."""
    return asyncio.run(_replies(python(knowledge, "nobody"), CALLS))


@pytest.fixture(scope="session")
def heard(
    knowledge: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Mapping[str, Reply]]:
    """What each door says to every call that it takes, asked once."""

    @cache
    def hear(name: str) -> Mapping[str, Reply]:
        calls = CALLS if name in DOORS else {own: CALLS[own] for own in SEARCHES}
        opened = _opened(name, knowledge, tmp_path_factory.mktemp("started"))
        return asyncio.run(_replies(opened, calls))

    return hear


@pytest.fixture
def door(
    request: pytest.FixtureRequest, heard: Callable[[str], Mapping[str, Reply]]
) -> Mapping[str, Reply]:
    """What one door says to every call that it takes."""
    return heard(request.param)
