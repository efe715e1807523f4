"""A server that speaks OpenAI's protocol and does one bad thing after the other, as told by name.

It stands on a free port of this machine and remembers what was asked and who hung up. Knows HTTP;
what there is to say and to do wrong is in ``fault_server_deeds``.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from sextant.testing.fault_server.deeds import DEEDS, Deed, Exchange

_MODELS = {"object": "list", "data": [{"id": "fault-1", "object": "model", "owned_by": "nobody"}]}
_GONE = (ConnectionError, asyncio.IncompleteReadError)


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class FaultServer:
    """Does these deeds, one for each chat request; the last one again and again.

    ``async with FaultServer("500", "500", "fine") as server: … server.url``
    """

    def __init__(self, *script: str | Deed) -> None:
        self.script = script or ("fine",)
        self.requests: list[Request] = []
        self.hung_up = 0
        self._changed = asyncio.Condition()
        self._talks: set[asyncio.Task[Any]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> FaultServer:
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server
        self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        """The address of the API."""
        assert self._server
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    @property
    def chats(self) -> list[Request]:
        """What was asked of the model."""
        return [one for one in self.requests if one.path.endswith("/chat/completions")]

    async def until_hung_up(self, times: int = 1) -> None:
        """Wait until clients have left before the end of a reply, so many times."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.hung_up >= times)

    async def until_asked(self, times: int = 1) -> None:
        """Wait until so many requests have come."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= times)

    async def _talk(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._talks.add(task)
        try:
            with suppress(*_GONE):
                await self._answer(await _read(reader), reader, writer)
        finally:
            self._talks.discard(task)
            writer.close()
            with suppress(*_GONE):
                await writer.wait_closed()

    async def _answer(self, request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        async with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
        exchange = Exchange(request.body, writer)
        deed = asyncio.create_task(self._deed(request, exchange))
        leaving = asyncio.create_task(reader.read())
        try:
            await asyncio.wait((deed, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not deed.done() or isinstance(deed.exception(), ConnectionError):
                async with self._changed:
                    self.hung_up += 1
                    self._changed.notify_all()
            elif error := deed.exception():
                raise error
        finally:
            deed.cancel()
            leaving.cancel()
            await asyncio.gather(deed, leaving, return_exceptions=True)

    async def _deed(self, request: Request, exchange: Exchange) -> None:
        if request.path.endswith("/models"):
            await exchange.tell(200, json.dumps(_MODELS))
            return
        number = max(len(self.chats), 1)
        deed = self.script[min(number, len(self.script)) - 1]
        await (DEEDS[deed] if isinstance(deed, str) else deed)(exchange)


async def _read(reader: StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, json.loads(content) if content else None)
