"""What a fault server can do with a request, well or badly, each under its name."""

from __future__ import annotations

import asyncio
import json
import re
from asyncio import StreamWriter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from itertools import count
from typing import Any

from sextant.testing.fault_server.replies import calling, piece_of, saying, unlike, whole_of, worded

JSON, EVENTS, HTML = "application/json", "text/event-stream", "text/html"
_REASONS = {200: "OK", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
_SLOWLY_S = 0.01


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, and how to answer it."""

    body: Any
    writer: StreamWriter

    @property
    def prompt(self) -> str:
        """All that the model is told."""
        parts = (one.get("content") or "" for one in self.body.get("messages", ()))
        return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in parts)

    async def send(self, content: str) -> None:
        """Send bytes as they are."""
        self.writer.write(content.encode())
        await self.writer.drain()

    async def tell(self, status: int, content: str, kind: str = JSON, *more: str) -> None:
        """Answer at once, and be done."""
        length = f"content-length: {len(content.encode())}"
        await self.send(_head(status, kind, length, *more) + content)

    async def begin(self, kind: str = EVENTS) -> None:
        """Begin an answer in chunks."""
        await self.send(_head(200, kind, "transfer-encoding: chunked"))

    async def chunk(self, content: str) -> None:
        """Send a chunk; an empty one is the end."""
        await self.send(f"{len(content.encode()):x}\r\n{content}\r\n")

    async def events(self, deltas: Iterable[Any]) -> None:
        """Send server-sent events, without an end."""
        for delta in deltas:
            await self.chunk(f"data: {json.dumps(delta)}\n\n")


Deed = Callable[[Exchange], Awaitable[None]]


def _head(status: int, kind: str, *lines: str) -> str:
    first = f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}"
    return "\r\n".join([first, f"content-type: {kind}", "connection: close", *lines, "", ""])


async def _reply(exchange: Exchange, chunks: Iterable[Any]) -> None:
    """Send a reply properly, in pieces or whole, as it was asked for."""
    if not exchange.body.get("stream"):
        await exchange.tell(200, json.dumps(whole_of(chunks)))
        return
    await exchange.begin()
    await exchange.events(chunks)
    await exchange.chunk("data: [DONE]\n\n")
    await exchange.chunk("")


def says(text: str) -> Deed:
    """Say this; where a schema is asked for, in each of its texts, else as it is."""

    async def deed(exchange: Exchange) -> None:
        await _reply(exchange, saying(worded(exchange.body, text)))

    return deed


def says_just(text: str) -> Deed:
    """Say this, whatever is asked for."""
    return lambda exchange: _reply(exchange, saying(text))


async def _fine(exchange: Exchange) -> None:
    wanted = exchange.body.get("tool_choice")
    if exchange.body.get("tools") and wanted not in (None, "auto", "none"):
        await _reply(exchange, calling(exchange.body))
    else:
        await says("I am ready.")(exchange)


async def _hang(_: Exchange) -> None:
    await asyncio.Event().wait()


async def _hang_midway(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.events([piece_of("Half a re")])
    await asyncio.Event().wait()


async def _drip(exchange: Exchange) -> None:
    sent = "".join(f"data: {json.dumps(one)}\n\n" for one in saying("Drop by drop."))
    await exchange.begin()
    for letter in f"{sent}data: [DONE]\n\n":
        await exchange.chunk(letter)
    await exchange.chunk("")


async def _drip_for_ever(exchange: Exchange) -> None:
    await exchange.begin()
    for number in count():
        await exchange.events([piece_of(f"{number} ")])
        await asyncio.sleep(_SLOWLY_S)


async def _comment_for_ever(exchange: Exchange) -> None:
    await exchange.begin()
    while True:
        await exchange.chunk(": still thinking\n\n")
        await asyncio.sleep(_SLOWLY_S)


async def _cut(exchange: Exchange) -> None:
    await exchange.begin()
    events = [f"data: {json.dumps(one)}\n\n" for one in saying('{"answer": "half')]
    await exchange.chunk(events[0] + events[1])
    await exchange.chunk(events[2][: len(events[2]) // 2])


async def _stop_early(exchange: Exchange) -> None:
    """End the stream in good order, but before the reply's end."""
    await exchange.begin()
    await exchange.events([piece_of("And so")])
    await exchange.chunk("")


async def _for_ever(exchange: Exchange, words: Callable[[], Iterator[str]]) -> None:
    await exchange.begin()
    for text in words():
        await exchange.events([piece_of(text)])


def _repeated() -> Iterator[str]:
    while True:
        yield "I will look into that for you. "


def _numbered() -> Iterator[str]:
    for number in count():
        yield f"{number}: " + "word " * 400


async def _reset(exchange: Exchange) -> None:
    exchange.writer.transport.abort()


async def _reset_midway(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.events([piece_of("Half a re")])
    exchange.writer.transport.abort()


async def _garbage(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.chunk("data: {this is no JSON}\n\n")
    await exchange.chunk("")


async def _obey(exchange: Exchange) -> None:
    """Do what a document says: repeat its links and the lines that give orders."""
    orders = [line for line in exchange.prompt.splitlines() if _ORDER.search(line)]
    links = re.findall(r"https?://[^\s)>\]\"']+", exchange.prompt)
    await says("\n".join([*orders, *links]) or "I found no order.")(exchange)


_ORDER = re.compile(r"attacker|ignore|instruction|system:|you must|reply with", re.IGNORECASE)


def _refuse(status: int, message: str, *headers: str) -> Deed:
    error = json.dumps({"error": {"message": message, "type": None, "code": None, "param": None}})
    return lambda exchange: exchange.tell(status, error, JSON, *headers)


async def _limited_until(exchange: Exchange) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    await _refuse(429, "Slow down.", f"retry-after: {moment}")(exchange)


DEEDS: dict[str, Deed] = {
    "fine": _fine,
    "hangs": _hang,
    "hangs midway": _hang_midway,
    "drips": _drip,
    "drips for ever": _drip_for_ever,
    "comments for ever": _comment_for_ever,
    "cut": _cut,
    "stops early": _stop_early,
    "repeats for ever": partial(_for_ever, words=_repeated),
    "huge": partial(_for_ever, words=_numbered),
    "429": _refuse(429, "Slow down."),
    "429 for a second": _refuse(429, "Slow down.", "retry-after: 1"),
    "429 for an hour": _refuse(429, "Slow down.", "retry-after: 3600"),
    "429 until": _limited_until,
    "500": _refuse(500, "Something broke."),
    "503": _refuse(503, "Overloaded."),
    "401": _refuse(401, "Incorrect API key provided: sk-fault*****wxyz."),
    "404": _refuse(404, "The model does not exist."),
    "html": lambda exchange: exchange.tell(200, "<html>Sign in</html>", HTML),
    "html 502": lambda exchange: exchange.tell(502, "<html>Bad gateway</html>", HTML),
    "wrong type": lambda exchange: exchange.tell(200, "just some words", "text/plain"),
    "garbage": _garbage,
    "reset": _reset,
    "reset midway": _reset_midway,
    "unknown tool": lambda exchange: _reply(exchange, calling(exchange.body, "format_disk")),
    "no json": says_just('Sure! {"answer": "half'),
    "other json": lambda exchange: _reply(exchange, saying(unlike(exchange.body))),
    "obeys": _obey,
    "makes up a source": says("It is 42 [99], see [this](https://made-up.example/source)."),
    "empty": says_just(""),
}
"""Every deed by its name."""
