"""Calls of another server of ours: in time, tried again, left alone while it fails."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest

from sextant.errors import Overloaded, PeerError, PeerRefused, PeerUnreachable
from sextant.links.mcp_caller import McpCaller
from sextant.links.mcp_knowledge import McpKnowledge
from sextant.links.tokens import Tokens
from sextant.prompting.calls.breaker import COOL_DOWN_S, FAILURES
from sextant.settings import RemoteSettings, Settings
from sextant.types import Scope
from tests.links.http_server import Heard, Served, served
from tests.loopback import Answer

SETTINGS = Settings(remote=RemoteSettings(call_seconds=20.0, retries=0))
SOON = 30.0
"""More seconds than anything here takes."""
LISTED = {"name": "KnowledgeStore.Search", "inputSchema": {"type": "object"}}
BUSY = Answer(503, b"{}", {"retry-after": "0"})


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def with_caller(
    url: str,
    task: Callable[[McpCaller], Awaitable[None]],
    settings: Settings = SETTINGS,
    clock: Clock | None = None,
) -> None:
    async def run() -> None:
        caller = McpCaller("KnowledgeStore", f"{url}/mcp", settings, clock=clock or monotonic)
        try:
            await task(caller)
        finally:
            await caller.close()

    asyncio.run(run())


def tries(server: Served) -> int:
    """Return how often a connection was begun."""
    return sum(one.body.get("method") == "server/discover" for one in server.heard)


def answering(answer: Answer) -> Callable[[Heard], Answer]:
    return lambda _: answer


def test_who_is_not_there_cannot_be_reached() -> None:
    with served(answering(BUSY)) as server:
        url = server.url

    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerUnreachable, match="KnowledgeStore cannot be reached"):
            await caller.call("any", {})

    with_caller(url, task)


def test_who_says_nothing_is_given_up_in_time() -> None:
    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerUnreachable, match="KnowledgeStore did not answer in time"):
            await caller.call("any", {}, seconds=0.2)

    with served(answering(Answer(body=None))) as server:
        with_caller(server.url, task)


def test_who_is_busy_is_asked_again_as_often_as_is_set() -> None:
    settings = replace(SETTINGS, remote=replace(SETTINGS.remote, retries=2))

    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerUnreachable, match=r"has too much to do \(503\)"):
            await caller.call("any", {})

    with served(answering(BUSY)) as server:
        with_caller(server.url, task, settings)
        assert tries(server) == 3


def test_nobody_waits_longer_than_the_call_may_take() -> None:
    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerUnreachable) as raised:
            await caller.call("any", {})
        assert raised.value.retry_after == 3_600.0

    settings = replace(SETTINGS, remote=replace(SETTINGS.remote, retries=5))
    with served(answering(Answer(429, b"{}", {"retry-after": "3600"}))) as server:
        with_caller(server.url, task, settings)
        assert tries(server) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_who_does_not_let_us_in_is_asked_once_and_told_apart(status: int) -> None:
    settings = replace(SETTINGS, remote=replace(SETTINGS.remote, retries=5))

    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerRefused, match=f"does not let this server in .{status}"):
            await caller.call("any", {})

    with served(answering(Answer(status, b"{}"))) as server:
        with_caller(server.url, task, settings)
        assert tries(server) == 1


def test_after_failures_in_a_row_the_server_is_left_alone_and_tried_after_a_while() -> None:
    clock = Clock()

    async def task(caller: McpCaller) -> None:
        for _ in range(FAILURES):
            with pytest.raises(PeerUnreachable):
                await caller.call("any", {})
        assert tries(server) == FAILURES
        with pytest.raises(PeerUnreachable, match="is left alone for 30 s more") as raised:
            await caller.call("any", {})
        assert raised.value.retry_after == COOL_DOWN_S
        assert tries(server) == FAILURES
        clock.now += COOL_DOWN_S
        with pytest.raises(PeerUnreachable, match="too much to do"):
            await caller.call("any", {})
        assert tries(server) == FAILURES + 1

    with served(answering(BUSY)) as server:
        with_caller(server.url, task, clock=clock)


def test_a_refusal_is_no_failure_of_the_server() -> None:
    async def task(caller: McpCaller) -> None:
        for _ in range(FAILURES + 2):
            with pytest.raises(PeerRefused):
                await caller.call("any", {})

    with served(answering(Answer(401, b"{}"))) as server:
        with_caller(server.url, task, clock=Clock())
        assert tries(server) == FAILURES + 2


def result(heard: Heard, content: Any) -> Answer:
    """Answer as a server of the newest protocol does."""
    told: dict[str, Any] = {"resultType": "complete"}
    if heard.body.get("method") == "server/discover":
        told |= {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        told |= {"ttlMs": 0, "cacheScope": "private"}
    elif heard.body.get("method") == "tools/list":
        told |= {"tools": [LISTED], "ttlMs": 0, "cacheScope": "private"}
    else:
        told |= {"content": [], **content}
    body = {"jsonrpc": "2.0", "id": heard.body.get("id"), "result": told}
    return Answer(body=json.dumps(body).encode(), headers={"content-type": "application/json"})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "answered with no object"),
        ({"isError": True, "structuredContent": {"code": "unheard-of"}}, "KnowledgeStore failed"),
    ],
)
def test_an_answer_of_another_shape_is_an_error_that_says_whose(
    content: dict[str, Any], said: str
) -> None:
    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerError, match=said):
            await caller.call("any", {})

    with served(lambda heard: result(heard, content)) as server:
        with_caller(server.url, task)


@pytest.mark.parametrize("value", [5, {"tags": {"a": "one"}, "source_types": {}}, {"tags": {}}])
def test_a_noun_of_another_shape_is_an_error_that_says_whose(value: object) -> None:
    async def task(caller: McpCaller) -> None:
        with pytest.raises(PeerError, match="KnowledgeStore answered with something else"):
            await McpKnowledge(caller).index.facets(Scope())

    with served(lambda heard: result(heard, {"structuredContent": {"Value": value}})) as server:
        with_caller(server.url, task)


def test_one_connection_serves_many_calls_and_outlives_one_that_hangs() -> None:
    def answer(heard: Heard) -> Answer:
        if heard.body.get("params", {}).get("name") == "hang":
            return Answer(body=None)
        return result(heard, {"structuredContent": {"ok": True}})

    async def task(caller: McpCaller) -> None:
        calls = [caller.call("quick", {}) for _ in range(5)]
        assert await asyncio.gather(*calls) == [{"ok": True}] * 5
        with pytest.raises(PeerUnreachable, match="in time"):
            await caller.call("hang", {}, seconds=0.2)
        assert await caller.call("quick", {}) == {"ok": True}

    with served(answer) as server:
        with_caller(server.url, task)
        assert tries(server) == 2


def test_who_was_refused_is_told_so_whatever_others_call_meanwhile() -> None:
    other_came, refused_left = threading.Event(), threading.Event()

    def answer(heard: Heard) -> Answer:
        match heard.body.get("params", {}).get("name"):
            case "refused":
                other_came.wait(SOON)
                return Answer(401, b"{}")
            case "other":
                other_came.set()
                refused_left.wait(SOON)
                return Answer(500, b"{}")
        return result(heard, {"structuredContent": {"ok": True}})

    async def task(caller: McpCaller) -> None:
        await caller.call("quick", {})
        refused = asyncio.create_task(caller.call("refused", {}))
        other = asyncio.create_task(caller.call("other", {}))
        with pytest.raises(PeerRefused, match="401"):
            await refused
        refused_left.set()
        with pytest.raises(PeerUnreachable, match="failed"):
            await other

    with served(answer) as server:
        with_caller(server.url, task)


def test_all_who_wait_for_a_connection_that_is_refused_are_told_so() -> None:
    async def task(caller: McpCaller) -> None:
        calls = [asyncio.create_task(caller.call("any", {})) for _ in range(5)]
        told = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(one) for one in told] == [PeerRefused] * 5

    with served(answering(Answer(403, b"{}"))) as server:
        with_caller(server.url, task)
        assert tries(server) == 1


class Giving:
    """Gives out tokens, each time another."""

    def __init__(self, *tokens: str) -> None:
        self.left = list(tokens)

    async def fetch(self) -> tuple[str, float]:
        if not self.left:
            raise Overloaded("There is none.", "Try again.")
        return self.left.pop(0), 3_600.0

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("given", "shown", "is_let_in"),
    [
        (("old", "new"), {"old", "new"}, True),
        (("old", "other", "new"), {"old", "other"}, False),
        (("old",), {"old"}, False),
        (("old", "old"), {"old"}, False),
    ],
)
def test_a_refused_token_is_replaced_and_the_call_tried_once_more(
    given: tuple[str, ...], shown: set[str], is_let_in: bool
) -> None:
    def answer(heard: Heard) -> Answer:
        if heard.headers["authorization"] != "Bearer new":
            return Answer(401, b"{}")
        return result(heard, {"structuredContent": {"ok": True}})

    async def run(url: str) -> None:
        clock, giving = Clock(), Giving(*given)
        tokens = Tokens(giving.fetch, giving.close, clock)
        await tokens.token()
        clock.now += 60.0
        caller = McpCaller("KnowledgeStore", f"{url}/mcp", SETTINGS, tokens)
        try:
            if is_let_in:
                assert await caller.call("any", {}) == {"ok": True}
            else:
                with pytest.raises(PeerRefused, match="401"):
                    await caller.call("any", {})
        finally:
            await caller.close()

    with served(answer) as server:
        asyncio.run(run(server.url))
        assert {one.headers["authorization"] for one in server.heard} == {
            f"Bearer {one}" for one in shown
        }


def test_who_is_closed_is_not_called() -> None:
    async def task(caller: McpCaller) -> None:
        await caller.close()
        with pytest.raises(PeerError, match="was closed"):
            await caller.call("any", {})

    with served(answering(BUSY)) as server:
        with_caller(server.url, task)
        assert not server.heard
