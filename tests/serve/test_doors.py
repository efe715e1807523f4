"""Every door stands behind every guard: ours, one of another package, and where there is none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from sextant import entrypoints
from sextant.errors import ConfigError, UnknownScheme
from sextant.serve.app import App
from sextant.serve.door import Door, covers, limits_of
from sextant.serve.http.health import Readiness
from sextant.serve.identity.bearer import Bearer
from sextant.serve.running import open_porch
from sextant.settings import Settings
from sextant.testing.fault_server.server import FaultServer
from tests.serve.made_up_door import NAME, ROOT, SECRET
from tests.serve.raw import Heard, connected, request
from tests.serve.running import TOKEN, Served, served, small

_BEARER = f"Authorization: Bearer {TOKEN}"
_QUESTION = "What breaks if Service A fails?"
_CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "graphrag_query", "arguments": {"query": _QUESTION}},
}
_STREAM_CALL = {**_CALL, "params": {**_CALL["params"], "_meta": {"progressToken": 1}}}  # type: ignore[dict-item]


@dataclass(frozen=True)
class At:
    """A place to ask at: a door's name, a path there, and what has it work for long."""

    door: str
    path: str
    work: object = None
    stream: object = None
    working: str = ""
    streaming: str = ""

    def code(self, heard: Heard) -> str:
        """Return which error it was, which every door tells with the id of the request."""
        if self.door != NAME:
            return str(heard.problem["code"])
        assert heard.headers["content-type"] == "application/x-oops"
        told = json.loads(heard.body)
        assert told["id"] == heard.headers["x-request-id"]
        return str(told["oops"])

    def ask(self, *headers: str, body: bytes = b"{}", path: str = "") -> bytes:
        """Return a request to this place."""
        own = ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        if not any(one.startswith("Accept:") for one in headers):
            own.append("Accept: application/json, text/event-stream")
        return request(f"POST {path or self.path} HTTP/1.1", [*own, *headers], body)


REST = At("rest", "/api/ask", {"query": _QUESTION}, {"query": _QUESTION})
MCP = At("mcp", "/mcp", _CALL, _STREAM_CALL)
MADE_UP = At(NAME, f"{ROOT}/echo", {}, {}, f"{ROOT}/works", f"{ROOT}/tells")
OWN, NONE = At("own", "/metrics"), At("none", "/nothing/here")
EVERYWHERE = pytest.mark.parametrize("at", [REST, MCP, OWN, MADE_UP, NONE], ids=lambda at: at.door)
WHERE_WORK_IS_DONE = pytest.mark.parametrize("at", [REST, MCP, MADE_UP], ids=lambda at: at.door)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a package installed that brings a door."""
    target = "tests.serve.made_up_door:open_door"
    points = EntryPoints([EntryPoint(NAME, target, "sextant.doors")])
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)


def _opened(settings: Settings) -> Settings:
    return replace(settings, serve=replace(settings.serve, doors=f"rest, mcp, {NAME}"))


def _heard(folder: Path, asked: Sequence[bytes], **options: object) -> list[Heard]:
    """Return what a server answers to some requests, one after the other."""

    async def task() -> list[Heard]:
        async with served(_opened(small(folder)), audit=False, **options) as server:
            return [await _asked(server, one) for one in asked]

    return asyncio.run(task())


async def _asked(server: Served, asked: bytes) -> Heard:
    async with connected(server.port) as client:
        await client.say(asked)
        return await client.hear()


@EVERYWHERE
def test_a_head_is_checked_whose_name_is_called_and_from_which_page(tmp_path: Path, at: At) -> None:
    asked = (
        at.ask(_BEARER, *(f"X-{number}: x" for number in range(100))),
        at.ask(_BEARER, _BEARER),
        at.ask(_BEARER).replace(b"Host: localhost", b"Host: evil.example.com"),
        at.ask(_BEARER, "Origin: https://evil.example.com"),
    )
    told = [(one.status, at.code(one)) for one in _heard(tmp_path, asked)]
    assert told == [
        (431, "too_large"),
        (400, "invalid_input"),
        (421, "wrong_host"),
        (403, "wrong_origin"),
    ]


@EVERYWHERE
def test_nobody_passes_without_a_proof_and_all_are_told_how(tmp_path: Path, at: At) -> None:
    bare, wrong = _heard(tmp_path, (at.ask(), at.ask("Authorization: Bearer wrong")))
    told = [(one.status, at.code(one)) for one in (bare, wrong)]
    assert told == [(401, "unauthenticated")] * 2
    assert bare.headers["www-authenticate"] == 'Bearer realm="sextant"'
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]


@EVERYWHERE
def test_an_answer_has_an_id_and_is_sealed(tmp_path: Path, at: At) -> None:
    named = "X-Request-Id: abc"
    for heard in _heard(tmp_path, (at.ask(_BEARER, named), at.ask(named))):
        assert heard.headers["x-request-id"] == "abc"
        assert heard.headers["x-content-type-options"] == "nosniff"
        assert heard.headers["content-security-policy"].startswith("default-src 'none'")
        assert heard.headers["cache-control"]


@EVERYWHERE
def test_who_comes_too_often_has_to_wait(tmp_path: Path, at: At) -> None:
    _, second = _heard(tmp_path, (at.ask(_BEARER), at.ask(_BEARER)), requests_per_minute=1)
    assert (second.status, at.code(second)) == (429, "rate_limited")
    assert int(second.headers["retry-after"]) > 0


@EVERYWHERE
def test_a_body_has_its_bounds(tmp_path: Path, at: At) -> None:
    (heard,) = _heard(tmp_path, [at.ask(_BEARER, body=b" " * 1_025)], body_kilobytes=1)
    assert (heard.status, at.code(heard)) == (413, "too_large")


@EVERYWHERE
def test_a_request_counts_for_its_door(tmp_path: Path, at: At) -> None:
    async def task() -> float:
        async with served(_opened(small(tmp_path)), audit=False) as server:
            await _asked(server, at.ask())
            route = at.path if at.door in ("mcp", "own") else "other"
            named = {"door": at.door, "method": "POST", "route": route, "status": "401"}
            return server.app.meter.value("requests_total", **named)

    assert asyncio.run(task()) == 1


def _work(at: At) -> bytes:
    return at.ask(
        _BEARER,
        "MCP-Protocol-Version: 2025-11-25",
        *(["Accept: application/json"] if at is REST else []),
        body=json.dumps(at.work).encode(),
        path=at.working,
    )


def _stream(at: At) -> bytes:
    return at.ask(
        _BEARER,
        "MCP-Protocol-Version: 2025-11-25",
        *(["Accept: text/event-stream"] if at is REST else []),
        body=json.dumps(at.stream).encode(),
        path=at.streaming,
    )


@WHERE_WORK_IS_DONE
def test_what_takes_too_long_is_stopped(tmp_path: Path, at: At) -> None:
    async def task() -> Heard:
        async with FaultServer("hangs") as model:
            settings = _opened(small(tmp_path, llm=f"{model.url}#fault-1"))
            async with served(settings, audit=False, request_seconds=0.1) as server:
                return await _asked(server, _work(at))

    heard = asyncio.run(task())
    assert (heard.status, at.code(heard)) == (503, "overloaded")


@WHERE_WORK_IS_DONE
def test_only_so_much_is_done_at_once(tmp_path: Path, at: At) -> None:
    async def task() -> Heard:
        async with FaultServer("hangs") as model, AsyncExitStack() as opened:
            settings = _opened(small(tmp_path, llm=f"{model.url}#fault-1"))
            options = {"audit": False, "concurrency": 1, "waiting": 0}
            server = await opened.enter_async_context(served(settings, **options))
            both = [await opened.enter_async_context(connected(server.port)) for _ in range(2)]
            for client in both:
                await client.say(_work(at))
            hearing = [asyncio.create_task(client.hear()) for client in both]
            (first,), (other,) = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
            other.cancel()
            return first.result()

    heard = asyncio.run(task())
    assert (heard.status, at.code(heard)) == (503, "overloaded")


@WHERE_WORK_IS_DONE
def test_a_caller_has_only_so_many_streams(tmp_path: Path, at: At) -> None:
    async def task() -> Heard:
        async with FaultServer("hangs") as model, AsyncExitStack() as opened:
            settings = _opened(small(tmp_path, llm=f"{model.url}#fault-1"))
            server = await opened.enter_async_context(served(settings, audit=False, streams=1))
            first = await opened.enter_async_context(connected(server.port))
            await first.say(_stream(at))
            assert "200 OK" in await first.head()
            return await _asked(server, _stream(at))

    heard = asyncio.run(task())
    assert (heard.status, at.code(heard)) == (429, "rate_limited")


def test_a_fault_of_a_door_is_told_in_its_own_words_and_nothing_of_the_inside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (heard,) = _heard(tmp_path, [MADE_UP.ask(_BEARER, path=f"{ROOT}/fails")])
    assert (heard.status, MADE_UP.code(heard)) == (503, "internal")
    assert SECRET.encode() not in heard.body
    assert SECRET in caplog.text
    assert heard.headers["retry-after"]


@pytest.mark.parametrize(
    ("at", "asked"),
    [(REST, "ask"), (MCP, "graphrag_query"), (MADE_UP, "make up")],
    ids=lambda one: getattr(one, "door", ""),
)
def test_what_is_done_is_written_down_under_the_name_of_the_door(
    tmp_path: Path, at: At, asked: str
) -> None:
    path = f"{ROOT}/asks" if at is MADE_UP else ""
    version = "MCP-Protocol-Version: 2025-11-25"

    async def task() -> Heard:
        async with served(_opened(small(tmp_path)), folder=str(tmp_path / "own")) as server:
            body = json.dumps(at.work).encode()
            return await _asked(server, at.ask(_BEARER, version, body=body, path=path))

    assert asyncio.run(task()).status == 200
    (line,) = (tmp_path / "own" / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    assert (json.loads(line)["door"], json.loads(line)["verb"]) == (at.door, asked)


def test_a_door_of_a_package_is_listed_answers_and_is_open_only_where_it_says_so(
    tmp_path: Path,
) -> None:
    asked = (
        request("GET / HTTP/1.1"),
        MADE_UP.ask(_BEARER, body=b"hello"),
        request(f"GET {ROOT}/open HTTP/1.1"),
        request(f"GET {ROOT}/open/x HTTP/1.1"),
        request(f"GET {ROOT}x HTTP/1.1", [_BEARER]),
    )
    index, echo, is_open, closed, beside = _heard(tmp_path, asked)
    assert json.loads(index.body)[NAME] == ROOT
    assert (echo.status, echo.body) == (200, b"hello")
    assert (is_open.status, closed.status, beside.status) == (200, 401, 404)


def test_the_longest_claim_wins_and_the_limits_are_those_of_its_door(tmp_path: Path) -> None:
    asked = (
        MADE_UP.ask(_BEARER, path="/api/made-up"),
        MADE_UP.ask(_BEARER, path="/api/made-up", body=b" " * 101),
        *[MADE_UP.ask(_BEARER, path="/api/made-up")] * 29,
        REST.ask(_BEARER, body=b'{"query": "' + b"x" * 101 + b'"}'),
    )
    first, large, *others, rest = _heard(tmp_path, asked)
    assert (first.status, large.status, rest.status) == (200, 413, 200)
    assert [one.status for one in others] == [200] * 28 + [429]


def test_a_door_that_is_not_named_is_not_there(tmp_path: Path) -> None:
    async def task() -> list[int]:
        async with served(small(tmp_path), doors="mcp", audit=False) as server:
            paths = ("/api/status", f"{ROOT}/open", "/docs", "/health")
            asked = [request(f"GET {path} HTTP/1.1", [_BEARER]) for path in paths]
            return [(await _asked(server, one)).status for one in asked]

    assert asyncio.run(task()) == [404, 404, 404, 200]


def test_a_door_that_nobody_knows_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    async def task() -> None:
        async with served(small(tmp_path), doors="rest,side"):
            pass

    with pytest.raises(UnknownScheme, match="'side'") as refused:
        asyncio.run(task())
    assert refused.value.hint == "Known: copilotkit, copilotkit-remote, m365, made-up, mcp, rest."


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "rest"}, "cannot be called"),
        ({"name": "none"}, "cannot be called"),
        ({"name": "Made Up"}, "cannot be called"),
        ({"paths": ("/mcp",)}, "both claim /mcp"),
        ({"paths": ("made-up",)}, "not a path"),
        ({"paths": ("/made-*/up",)}, "not a path"),
        ({"open_paths": ("/*",)}, "does not claim"),
        ({"open_paths": ("/mcp",)}, "does not claim"),
    ],
)
def test_doors_that_contradict_each_other_or_themselves_are_refused(
    tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    async def task() -> None:
        settings = replace(small(tmp_path), serve=replace(Settings().serve, audit=False))
        async with open_porch(settings, TOKEN) as porch:
            scheme, limits = Bearer(porch.identity, settings), limits_of(settings.serve)
            room = PlainTextResponse("")
            doors = [
                Door("rest", ("/api/*",), room, scheme, limits),
                Door("mcp", ("/mcp",), room, scheme, limits),
                replace(Door(NAME, ("/made-up/*",), room, scheme, limits), **changed),  # type: ignore[arg-type]
            ]
            App(porch, doors, Readiness({}))

    with pytest.raises(ConfigError, match=message):
        asyncio.run(task())


@pytest.mark.parametrize(
    ("claim", "path", "is_covered"),
    [
        ("/api/*", "/api", True),
        ("/api/*", "/api/", True),
        ("/api/*", "/api/x/y", True),
        ("/api/*", "/apix", False),
        ("/mcp", "/mcp/", False),
        ("/*", "/", True),
        ("/*", "/x", True),
    ],
)
def test_a_claim_covers_a_path_or_all_below_it(claim: str, path: str, is_covered: bool) -> None:
    assert covers(claim, path) is is_covered
