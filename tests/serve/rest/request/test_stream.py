"""A stream tells steps, text and citations, ends with the reply, and stops with its client."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.retrieval.events import Text
from sextant.serve.rest.request import stream
from sextant.serve.rest.request.stream import Waiting
from tests.serve.rest.knowing import (
    DAY,
    EVERYONE,
    SEED_QUESTION,
    door,
    events_in,
    page,
    untimed,
)
from tests.serve.running import served, small

STREAM = {"accept": "text/event-stream"}


async def _streamed(client: httpx2.AsyncClient, **fields: Any) -> list[tuple[str, Any]]:
    reply = await client.post("/api/ask", json={"now": DAY, **fields}, headers=STREAM)
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["cache-control"] == "no-store"
    return list(events_in(reply.text))


def test_events_come_in_order_and_done_is_the_reply(sample: Path, tmp_path: Path) -> None:
    async def task() -> tuple[list[tuple[str, Any]], Any]:
        async with door(tmp_path, sample) as one:
            return await _streamed(one.client, query=SEED_QUESTION, trace="full"), await one.ask(
                SEED_QUESTION, trace="full"
            )

    events, reply = asyncio.run(task())
    names = [name for name, _ in events]
    steps = names.count("step")
    assert names[: 2 * steps] == ["begin", "step"] * steps
    assert names[2 * steps :] == sorted(names[2 * steps :], key=["text", "citation", "done"].index)
    assert names.count("done") == 1
    done = events[-1][1]
    assert untimed(done) == untimed(reply)
    assert "".join(one["text"] for name, one in events if name == "text") == reply["answer"]
    assert [one for name, one in events if name == "citation"] == reply["citations"]
    begun = [one for name, one in events if name == "begin"]
    ended = [one for name, one in events if name == "step"]
    assert begun == [{"id": at, "name": one["name"]} for at, one in enumerate(ended, 1)]
    assert ended == [{"id": at, **step} for at, step in enumerate(done["trace"]["steps"], 1)]


def test_the_client_chooses_between_a_stream_and_a_reply(tmp_path: Path) -> None:
    liked = {
        "text/event-stream": "stream",
        "text/event-stream, application/json;q=0.9": "stream",
        "TEXT/Event-Stream ; q=1.0": "stream",
        "application/json;q=0.1, text/*": "stream",
        "text/event-stream;q=0.5, application/json": "reply",
        "application/json, text/event-stream": "reply",
        "*/*": "reply",
        "": "reply",
    }

    async def task() -> dict[str, str]:
        async with door(tmp_path) as one:
            replies = {
                accept: await one.client.post(
                    "/api/ask", json={"query": "Who?"}, headers={"accept": accept}
                )
                for accept in liked
            }
            return {
                accept: "stream" if "event-stream" in reply.headers["content-type"] else "reply"
                for accept, reply in replies.items()
            }

    assert asyncio.run(task()) == liked


def test_what_fails_in_a_stream_is_its_last_event(sample: Path, tmp_path: Path) -> None:
    async def task() -> list[tuple[str, Any]]:
        async with door(tmp_path, sample) as one:
            return await _streamed(one.client, query="Who?", rankingPrefs="no such profile")

    [(name, problem)] = asyncio.run(task())
    assert name == "error"
    assert (problem["status"], problem["code"]) == (404, "not_found")
    assert problem["requestId"]


def test_what_is_wrong_before_a_stream_is_a_plain_problem(tmp_path: Path) -> None:
    async def task() -> httpx2.Response:
        async with door(tmp_path) as one:
            body = {"query": "Who?", "filter": "salary gt 5"}
            return await one.client.post("/api/ask", json=body, headers=STREAM)

    reply = asyncio.run(task())
    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_a_client_that_leaves_ends_the_call_to_the_model(tmp_path: Path, accept: str) -> None:
    called, left = asyncio.Event(), asyncio.Event()

    async def model(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        called.set()
        while await reader.read(65_536):
            pass
        left.set()
        writer.close()

    async def task() -> None:
        async with await asyncio.start_server(model, "127.0.0.1", 0) as silent:
            port = silent.sockets[0].getsockname()[1]
            settings = replace(small(tmp_path), llm=f"http://127.0.0.1:{port}/v1#mute")
            async with served(settings) as server:
                await server.house.sextant.write(EVERYONE, [page("a.md", "Thing a needs Hub.")])
                async with server.client() as client:
                    body, headers = {"query": "What does Thing a need?"}, {"accept": accept}
                    asking = asyncio.create_task(
                        client.post("/api/ask", json=body, headers=headers)
                    )
                    await asyncio.wait_for(called.wait(), 30)
                    asking.cancel()
                    await asyncio.wait({asking})
                    await asyncio.wait_for(left.wait(), 30)

    asyncio.run(task())


def test_a_quiet_stream_says_that_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "KEEP_ALIVE_S", 0.01)

    async def model(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.close()

    async def task() -> str:
        async with await asyncio.start_server(model, "127.0.0.1", 0) as silent:
            port = silent.sockets[0].getsockname()[1]
            settings = replace(small(tmp_path), llm=f"http://127.0.0.1:{port}/v1#mute")
            async with served(settings) as server, server.client() as client:
                body = {"query": "What does Thing a need?"}
                async with client.stream("POST", "/api/ask", json=body, headers=STREAM) as reply:
                    async for line in reply.aiter_lines():
                        if line.startswith(":"):
                            return line
        return ""

    assert asyncio.run(task()) == ": still there"


def test_pieces_for_a_slow_client_become_one_and_none_is_lost() -> None:
    waiting = Waiting()
    for at in range(10_000):
        waiting.hear(Text(f"{at} "))
    assert len(waiting.events) < 100
    assert "".join(one["text"] for _, one in waiting.events) == "".join(
        f"{at} " for at in range(10_000)
    )
