"""Whoever leaves a run ends the call at the model's socket, through all that lies between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from sextant.build import open_sextant
from tests.chat.running import ANN, PLAIN, request, text_of

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_CHUNK = {
    "id": "1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Well"}}],
}


@asynccontextmanager
async def hesitant_model() -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Serve a model that says one word and waits; the event is set when its client has gone."""
    gone = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        await reader.readexactly(length)
        data = b"data: %b\n\n" % json.dumps(_CHUNK).encode()
        writer.write(_HEAD + b"%x\r\n%b\r\n" % (len(data), data))
        await writer.drain()
        assert await reader.read(1) == b""
        gone.set()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1#m", gone


async def test_a_reader_who_leaves_closes_the_connection_to_the_model() -> None:
    async with hesitant_model() as (address, gone):
        settings = replace(PLAIN, llm=address)
        async with await open_sextant(settings) as sextant:
            run = await sextant.copilot.start(ANN, request())
            async with aclosing(run.events()) as reading:
                async for batch in reading:
                    if text_of(batch) == "Well":
                        break
            await gone.wait()
