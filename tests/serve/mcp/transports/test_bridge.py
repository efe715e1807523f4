"""The bridge before a server that is slow to hear, or does not: one message holds up no other."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sextant.testing.fault_server.deeds import DEEDS, Exchange
from sextant.testing.fault_server.server import FaultServer
from tests.cli.commands import environment

PATIENCE_S = 30.0
LIMIT_S = 3.0
"""How long the bridge waits until a server has heard a notification."""
INITIALIZED = "notifications/initialized"
CANCELLED = "notifications/cancelled"
ROOTS = "notifications/roots/list_changed"
BEGIN = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t"}}
BEGUN = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "t"}}


@dataclass
class Deaf:
    """A server that never says that it has heard some methods; it knows who gave up waiting."""

    methods: set[str]
    heard: list[str] = field(default_factory=list)
    given_up: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def __call__(self, exchange: Exchange) -> None:
        message = exchange.body
        self.heard.append(message["method"])
        if message["method"] in self.methods:
            try:
                await DEEDS["hangs"](exchange)
            finally:
                self.given_up.put_nowait(message["method"])
        await _told(exchange)


async def _told(exchange: Exchange) -> None:
    message = exchange.body
    if "id" not in message:
        await exchange.tell(202, "")
        return
    result = BEGUN if message["method"] == "initialize" else {}
    await exchange.tell(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))


@dataclass
class Bridge:
    """A bridge in a process of its own, and we are its client."""

    child: Process

    async def say(self, *messages: dict[str, Any]) -> None:
        assert self.child.stdin
        told = [json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages]
        self.child.stdin.write("".join(told).encode())
        await self.child.stdin.drain()

    async def hear(self) -> Any:
        assert self.child.stdout
        return json.loads(await self.child.stdout.readline())

    async def begin(self) -> None:
        await self.say({"id": 0, "method": "initialize", "params": BEGIN})
        assert (await self.hear())["result"] == BEGUN

    async def end(self) -> int:
        assert self.child.stdin
        self.child.stdin.close()
        return await self.child.wait()


@asynccontextmanager
async def bridged(folder: Path, server: FaultServer) -> AsyncIterator[Bridge]:
    """Start a bridge to a server, and shake hands."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sextant", "mcp", "--url", server.url),
        cwd=folder,
        env=environment(),
        stdin=PIPE,
        stdout=PIPE,
    )
    try:
        bridge = Bridge(child)
        await bridge.begin()
        yield bridge
    finally:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()


def test_a_notification_that_is_not_heard_holds_up_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        deaf = Deaf({ROOTS})
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(deaf) as server,
            bridged(tmp_path, server) as bridge,
        ):
            await bridge.say({"method": INITIALIZED}, {"method": ROOTS})
            await bridge.say({"id": 1, "method": "ping"})
            assert (await bridge.hear())["id"] == 1
            assert deaf.given_up.empty()
            await bridge.say({"method": CANCELLED, "params": {"requestId": 1}})
            assert await deaf.given_up.get() == ROOTS
            assert await bridge.end() == 0
        assert [one for one in deaf.heard if one != "ping"][1:] == [INITIALIZED, ROOTS, CANCELLED]

    asyncio.run(run())


def test_a_cancel_ends_the_waiting_before_it_is_heard_itself(tmp_path: Path) -> None:
    async def run() -> None:
        deaf = Deaf({"tools/call", CANCELLED})
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(deaf) as server,
            bridged(tmp_path, server) as bridge,
        ):
            await bridge.say({"id": 1, "method": "tools/call", "params": {"name": "x"}})
            await server.until_asked(2)
            await bridge.say({"method": CANCELLED, "params": {"requestId": 1}})
            assert await deaf.given_up.get() == "tools/call"
            await bridge.say({"id": 2, "method": "ping"})
            assert (await bridge.hear())["id"] == 2
            assert deaf.given_up.empty()

    asyncio.run(run())


def test_nothing_is_asked_before_the_server_has_heard_that_its_client_is_ready(
    tmp_path: Path,
) -> None:
    order: list[str] = []
    pinged = asyncio.Event()

    async def slowly(exchange: Exchange) -> None:
        method = exchange.body["method"]
        if method == "ping":
            pinged.set()
        if method == INITIALIZED:
            with suppress(TimeoutError):
                await asyncio.wait_for(pinged.wait(), LIMIT_S / 10)
        order.append(method)
        await _told(exchange)

    async def run() -> None:
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(slowly) as server,
            bridged(tmp_path, server) as bridge,
        ):
            await bridge.say({"method": INITIALIZED}, {"id": 1, "method": "ping"})
            assert (await bridge.hear())["id"] == 1

    asyncio.run(run())
    assert order == ["initialize", INITIALIZED, "ping"]


def test_a_server_that_never_says_so_is_asked_all_the_same(tmp_path: Path) -> None:
    async def run() -> None:
        deaf = Deaf({INITIALIZED})
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(deaf) as server,
            bridged(tmp_path, server) as bridge,
        ):
            await bridge.say({"method": INITIALIZED}, {"id": 1, "method": "ping"})
            assert (await bridge.hear())["id"] == 1
            assert await deaf.given_up.get() == INITIALIZED

    asyncio.run(run())


def test_a_cancel_that_names_no_request_and_an_id_used_twice_do_no_harm(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(Deaf(set())) as server,
            bridged(tmp_path, server) as bridge,
        ):
            for wrong in ({"a": 1}, [1], None, True):
                await bridge.say({"method": CANCELLED, "params": {"requestId": wrong}})
            await bridge.say(*[{"id": 7, "method": "ping"}] * 2)
            assert [(await bridge.hear())["id"] for _ in range(2)] == [7, 7]

    asyncio.run(run())


def test_more_notifications_than_can_wait_are_dropped_and_hold_up_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        async with (
            asyncio.timeout(PATIENCE_S),
            FaultServer(Deaf({ROOTS})) as server,
            bridged(tmp_path, server) as bridge,
        ):
            await bridge.say(*[{"method": ROOTS}] * 1_200)
            await bridge.say({"id": 1, "method": "ping"})
            assert (await bridge.hear())["id"] == 1
            assert await bridge.end() == 0

    asyncio.run(run())
