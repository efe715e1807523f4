"""Clients that never read a run, read it byte by byte, or leave it: it ends, and no one else cares.

The model replies without end, so that only what a client does can end a run.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sextant.settings import ModelSettings
from tests.serve.agui.serving import RUN, Copiloted, copiloted, install, run_input
from tests.serve.copilotkit.chatting import graphql_chat
from tests.serve.raw import request

_REQUESTS = {
    "graphql": ("/copilotkit", ["Accept: multipart/mixed"], graphql_chat("FLOOD")),
    "agui": (RUN, [], run_input("FLOOD")),
}
_SMALL_BUFFER = 4_096
_MOST = 12_000_000
"""Characters that a model may have said for nobody. Nearly all of it is in the kernel, which takes
up to 4 MB for a socket by default; were a run not held back, it would say more within a moment."""
_HARD = struct.pack("ii", 1, 0)
"""Closes a socket by a reset, as a machine does that lost its process."""


@pytest.fixture
async def copilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Copiloted]:
    """A server that waits little for a reader, and a model whose replies have no bound."""
    install(monkeypatch)
    endless = ModelSettings(characters=10**12)
    async with copiloted(tmp_path, {"ahead": 10}, model=endless, body_seconds=0.2) as own:
        yield own


@pytest.fixture(params=_REQUESTS)
def asked(request: pytest.FixtureRequest) -> bytes:
    """A request for a run, in one of the protocols."""
    return _asked(*_REQUESTS[request.param])


def _asked(path: str, accepts: list[str], body: Any) -> bytes:
    sent = json.dumps(body).encode()
    headers = [
        *("Authorization: Bearer token-for-tests-0123456789", "Content-Type: application/json"),
        *(f"Content-Length: {len(sent)}", *accepts),
    ]
    return request(f"POST {path} HTTP/1.1", headers, sent)


@contextmanager
def lazy_socket(copilot: Copiloted) -> Iterator[socket.socket]:
    """Connect to the server; of what it says, this machine takes little beforehand."""
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
        own.connect(("127.0.0.1", copilot.server.port))
        own.setblocking(False)
        yield own


async def run_is_over(copilot: Copiloted) -> None:
    """Wait until nobody listens to the model any more, and see that the thread takes the next run.

    Meanwhile it must not have said more than fits between it and a client that does not read.
    """
    async with asyncio.timeout(60):
        await copilot.model.left.wait()
    assert copilot.model.flooded < _MOST
    events = await copilot.events(RUN, run_input("CHUNKS:1", runId="next"))
    assert events[-1]["type"] == "RUN_FINISHED"


async def test_a_client_that_never_reads_is_let_go_and_its_run_ended(
    copilot: Copiloted, asked: bytes
) -> None:
    with lazy_socket(copilot) as client:
        await asyncio.get_running_loop().sock_sendall(client, asked)
        await run_is_over(copilot)


async def test_a_client_that_reads_byte_by_byte_is_let_go_and_its_run_ended(
    copilot: Copiloted, asked: bytes
) -> None:
    loop = asyncio.get_running_loop()
    with lazy_socket(copilot) as client:
        await loop.sock_sendall(client, asked)
        left = asyncio.create_task(copilot.model.left.wait())
        while not left.done():
            assert len(await loop.sock_recv(client, 1)) == 1
            await asyncio.wait({left}, timeout=0.02)
        await run_is_over(copilot)


@pytest.mark.parametrize("is_hard", [False, True])
async def test_a_client_that_leaves_ends_its_run(
    copilot: Copiloted, asked: bytes, is_hard: bool
) -> None:
    loop = asyncio.get_running_loop()
    with lazy_socket(copilot) as client:
        await loop.sock_sendall(client, asked)
        assert (await loop.sock_recv(client, 12)) == b"HTTP/1.1 200"
        if is_hard:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _HARD)
    await run_is_over(copilot)


async def test_who_reads_is_answered_whole_beside_those_who_do_not(copilot: Copiloted) -> None:
    loop = asyncio.get_running_loop()
    path, accepts, body = _REQUESTS["agui"]
    with ExitStack() as opened:
        for number in range(5):
            client = opened.enter_context(lazy_socket(copilot))
            asked = _asked(path, accepts, body | {"threadId": f"lazy-{number}"})
            await loop.sock_sendall(client, asked)
            await loop.sock_recv(client, 12)
        events = await copilot.events(RUN, run_input("CHUNKS:50"))
        text = [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"]
        assert "".join(text) == "".join(f"tok{number} " for number in range(50))
