"""What a chat model of ours costs above the SDK that it stands on, in turns, in one run.

``python bench/llm.py --rounds 30``: one scripted server in a process of its own streams the same
reply to the bare SDK, as it is meant to be used and with plain values instead of its classes (as
the adapter uses it), to the adapter, and to the adapter under guard, as ``sextant ask`` calls it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from operator import truediv
from typing import Any

import openai
from rich.console import Console
from rich.table import Table

from sextant.llms.compatible import chat as http_chat
from sextant.ports import ChatModel
from sextant.prompting.calls.guarded import guarded
from sextant.settings import Settings
from sextant.types import Message, Prompt, Speaker, TextDelta

BAR = 1.05
_WARM_UP = 3
_PROMPT = Prompt((Message(Speaker.USER, "Count."),), max_tokens=100_000)
_WAYS = ("SDK", "SDK, plain", "adapter", "under guard")

Ask = Callable[[], Awaitable[int]]
Plain = openai.AsyncStream[object]


@dataclass(frozen=True, slots=True)
class Shape:
    """A reply: how many tokens it has, and how many of them come at once."""

    name: str
    tokens: int
    burst: int
    pause_s: float = 0.0

    @property
    def model(self) -> str:
        """The name under which the server knows it."""
        return f"{self.tokens}-{self.burst}-{self.pause_s:g}"


async def main() -> None:
    """Measure and report."""
    options = _options()
    if options.serve:
        await _serve()
        return
    shapes = (
        Shape("a token, in bursts", options.tokens, 40),
        Shape("a token, one by one", options.tokens // 4, 1, 0.001),
        Shape("a call for one token", 1, 1),
    )
    table = Table("CPU µs (times the SDK's)", *_WAYS, "bar", box=None)
    with _server() as address:
        for shape in shapes:
            async with _asked(address, shape) as ways:
                _add(table, shape, await _in_turns(ways, shape.tokens, options.rounds))
    Console(width=120).print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=2_000, help="of a reply that is streamed")
    parser.add_argument("--rounds", type=int, default=30, help="in each of which all take a turn")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


@asynccontextmanager
async def _asked(address: str, shape: Shape) -> AsyncIterator[Mapping[str, Ask]]:
    """Yield each way of asking for this reply."""
    settings = Settings()
    sdk = openai.AsyncOpenAI(api_key="none", base_url=address, max_retries=0)
    adapter = http_chat.open_model(f"{address.removeprefix('http:')}#{shape.model}", settings)
    under_guard = guarded(adapter, settings.model)

    body: dict[str, Any] = {
        "model": shape.model,
        "messages": [{"role": "user", "content": "Count."}],
        "max_tokens": 100_000,
        "stream": True,
        "stream_options": {"include_usage": True},
    }

    async def typed() -> int:
        stream = await sdk.chat.completions.create(**body)
        return sum([1 async for one in stream if one.choices and one.choices[0].delta.content])

    async def plain() -> int:
        stream = await sdk.post(
            "/chat/completions", cast_to=object, body=body, stream=True, stream_cls=Plain
        )
        return sum([1 async for one in stream if _content(one)])

    async def ours(model: ChatModel) -> int:
        return sum([1 async for one in model.stream(_PROMPT) if isinstance(one, TextDelta)])

    try:
        yield {
            "SDK": typed,
            "SDK, plain": plain,
            "adapter": lambda: ours(adapter),
            "under guard": lambda: ours(under_guard),
        }
    finally:
        await adapter.close()
        await sdk.close()


async def _in_turns(ways: Mapping[str, Ask], tokens: int, rounds: int) -> Mapping[str, list[float]]:
    """Return CPU seconds of a token, turn by turn; a turn that is very short is several calls."""
    calls = max(1, 50 // tokens)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(_WARM_UP + rounds):
        for name, ask in ways.items():
            before = time.process_time()
            for _ in range(calls):
                assert await ask() == tokens
            if turn >= _WARM_UP:
                seconds[name].append((time.process_time() - before) / calls / tokens)
    return seconds


def _content(chunk: Any) -> object:
    return chunk["choices"] and chunk["choices"][0]["delta"].get("content")


def _add(table: Table, shape: Shape, seconds: Mapping[str, list[float]]) -> None:
    ratios = {
        name: statistics.median(map(truediv, of_one, seconds["SDK"]))
        for name, of_one in seconds.items()
    }
    cells = [
        f"{statistics.median(of_one) * 1e6:,.1f} ({ratios[name]:.3f})"
        for name, of_one in seconds.items()
    ]
    verdict = "[green]ok" if ratios["under guard"] <= BAR else "[red]over"
    table.add_row(shape.name, *cells, f"≤ {BAR} {verdict}" if shape.tokens > 1 else "")


@contextmanager
def _server() -> Iterator[str]:
    """Start the server in a process of its own, whose time does not count, and stop it."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    try:
        with process.stdin, process.stdout:
            yield process.stdout.readline().strip()
        process.wait(10)
    finally:
        process.kill()
        process.wait()


async def _serve() -> None:
    server = await asyncio.start_server(_talk, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.split("content-length:")[1].split("\r\n")[0])
            model = json.loads(await reader.readexactly(length))["model"]
            await _reply(writer, *model.split("-"))
    writer.close()


async def _reply(writer: asyncio.StreamWriter, tokens: str, burst: str, pause_s: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
    writer.write(b"transfer-encoding: chunked\r\n\r\n")
    for start in range(0, int(tokens), int(burst)):
        pieces = range(start, min(int(tokens), start + int(burst)))
        _write(writer, *(_chunk({"content": f" word{number}"}) for number in pieces))
        await writer.drain()
        await asyncio.sleep(float(pause_s))
    usage = {"prompt_tokens": 5, "completion_tokens": int(tokens), "total_tokens": 5 + int(tokens)}
    _write(writer, _chunk({}, "stop"), {**_chunk({}), "choices": [], "usage": usage}, "[DONE]")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write(writer: asyncio.StreamWriter, *events: Any) -> None:
    texts = (one if isinstance(one, str) else json.dumps(one) for one in events)
    content = "".join(f"data: {text}\n\n" for text in texts).encode()
    writer.write(b"%x\r\n%b\r\n" % (len(content), content))


def _chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-CPxZkrLmYhKWc8TfbmAqTn4V2sYAa",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": "scripted-2026-11-01",
        "service_tier": "default",
        "system_fingerprint": "fp_50cad350e4",
        "choices": [choice],
        "usage": None,
    }


if __name__ == "__main__":
    asyncio.run(main())
