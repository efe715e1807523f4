"""The whole app: each path leads where it should, and what leads nowhere is said to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from sextant.errors import ConfigError
from sextant.serve.app import make_app
from sextant.serve.running import open_house, running
from sextant.testing.fault_server.server import FaultServer
from tests.serve.running import Served, served, small

_PROBLEM = "application/problem+json"


def _asked(folder: Path, method: str, path: str, **more: object) -> httpx2.Response:
    async def task() -> httpx2.Response:
        async with served(small(folder)) as server, server.client() as client:
            return await client.request(method, path, **more)  # type: ignore[arg-type]

    return asyncio.run(task())


def test_a_question_over_rest_gets_an_answer_and_the_meter_saw_it(tmp_path: Path) -> None:
    async def task() -> tuple[int, str]:
        async with served(small(tmp_path)) as server, server.client() as client:
            answer = await client.post("/api/ask", json={"query": "Who owns Service A?"})
            return answer.status_code, (await client.get("/metrics")).text

    status, metrics = asyncio.run(task())
    assert status == 200
    assert (
        'sextant_requests_total{door="rest",method="POST",route="/api/ask",status="200"} 1.0'
        in metrics
    )


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/nothing", "/api/ask/", "/mcp/x"])
def test_what_is_not_there_is_a_problem(tmp_path: Path, path: str) -> None:
    answer = _asked(tmp_path, "GET", path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, _PROBLEM)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/health", "GET"),
        ("DELETE", "/", "GET"),
        ("GET", "/api/ask", "POST"),
        ("PATCH", "/api/ask", "POST"),
        ("GET", "/mcp", "POST"),
        ("OPTIONS", "/api/ask", "POST"),
        ("BREW", "/api/ask", "POST"),
    ],
)
def test_a_wrong_method_is_told_the_right_one(
    tmp_path: Path, method: str, path: str, allowed: str
) -> None:
    answer = _asked(tmp_path, method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (405, _PROBLEM)
    assert allowed in answer.headers["allow"]


@pytest.mark.parametrize(
    "body",
    [b"{", b"", b"\xff\xfe", b"[" * 100_000, b'{"query": "a"} x', b"null", b'{"query":1e999}'],
)
def test_broken_json_is_a_problem_of_the_caller(tmp_path: Path, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = _asked(tmp_path, "POST", "/api/ask", content=body, headers=headers)
    assert answer.status_code in (400, 413, 422)
    assert answer.headers["content-type"] == _PROBLEM


def test_work_for_a_question_ends_when_whoever_asked_it_leaves(tmp_path: Path) -> None:
    async def ask(server: Served, accept: str) -> None:
        body = {"query": "What breaks if Service A fails?"}
        async with server.client(Accept=accept) as client:
            await client.post("/api/ask", json=body)

    async def task() -> int:
        async with FaultServer("hangs") as model:
            settings = small(tmp_path, llm=f"{model.url}#fault-1")
            async with served(settings) as server:
                for count, accept in enumerate(("application/json", "text/event-stream"), 1):
                    asking = asyncio.create_task(ask(server, accept))
                    await model.until_asked(count)
                    asking.cancel()
                    await asyncio.wait({asking})
                    await model.until_hung_up(count)
                return model.hung_up

    assert asyncio.run(task()) == 2


def test_the_app_lives_by_the_lifespan_of_any_server(tmp_path: Path) -> None:
    async def task() -> list[str]:
        heard: list[str] = []
        said = iter(("lifespan.startup", "lifespan.shutdown"))

        async def receive() -> dict[str, str]:
            return {"type": next(said)}

        async def send(message: dict[str, str]) -> None:
            heard.append(message["type"])

        async with open_house(small(tmp_path)) as house:
            await make_app(house)({"type": "lifespan"}, receive, send)  # type: ignore[arg-type]
        return heard

    assert asyncio.run(task()) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_a_server_whose_port_is_taken_says_so(tmp_path: Path) -> None:
    async def task() -> None:
        async with served(small(tmp_path)) as first:
            settings = small(tmp_path)
            taken = replace(settings, serve=replace(settings.serve, port=first.port))
            async with running(taken):
                pass

    with pytest.raises(ConfigError, match="cannot be listened on"):
        asyncio.run(task())
