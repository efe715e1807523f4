"""What the doors cost over the core, and how many they let through: side by side, in one run.

``python bench/serve.py`` serves the sample knowledge as `sextant serve` does, and asks the core of
the same process by the line; beside it a bare FastAPI endpoint and a bare MCP tool that give a
reply of the same size. CPU is that of the serving process, all threads. ``--asks 10000`` is how
many asks the memory is watched over.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.serving.load import Call, Connection, connected, load
from bench.serving.processes import Running, started
from bench.serving.sample import fill_store, read_questions

TOKEN = "a-token-of-the-bench"
CLIENTS = (1, 16, 64, 256)
REST_BAR_MS, MCP_BAR_MS, STREAM_BAR_MB = 2.0, 3.0, 1.0
_ASK = "/api/ask"
_OPEN = {"Authorization": f"Bearer {TOKEN}"}
_MCP = {
    **_OPEN,
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
console = Console()


@dataclass(frozen=True, slots=True)
class Peers:
    """All that is measured in one run."""

    ours: Running
    bare: Running


def main() -> None:
    """Measure and report."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        environment = asyncio.run(_prepared(Path(folder)))
        peers = _peers(opened, Path(folder), environment)
        questions = read_questions()[: options.questions]
        asyncio.run(_overhead(peers, questions, options.rounds))
        asyncio.run(_throughput(peers, questions, options.requests))
        asyncio.run(_streams(peers.ours, options.streams))
        asyncio.run(_memory(peers.ours, questions, options.asks))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=300, help="at each number of clients")
    parser.add_argument("--streams", type=int, default=256)
    parser.add_argument("--asks", type=int, default=10_000)
    return parser.parse_args()


async def _prepared(folder: Path) -> Mapping[str, str]:
    """Take the sample in, and return the environment that serves it without limits."""
    store = await fill_store(folder)
    many = {"REQUESTS_PER_MINUTE": 10_000_000, "STREAMS": 1_000, "CONCURRENCY": 1_000}
    return {
        "SEXTANT_STORE": store,
        "SEXTANT_TOKEN": TOKEN,
        "SEXTANT_SERVE_PORT": "0",
        "SEXTANT_INGEST_PRIVATE_ADDRESSES": "true",
        **{f"SEXTANT_SERVE_{name}": str(value) for name, value in many.items()},
    }


def _peers(opened: ExitStack, folder: Path, environment: Mapping[str, str]) -> Peers:
    ours = opened.enter_context(started(["bench.serving.ours"], environment))
    reply = asyncio.run(_reply(ours))
    kept = folder / "reply.json"
    kept.write_bytes(reply)
    bare = opened.enter_context(started(["bench.serving.bare", str(kept)]))
    return Peers(ours, bare)


async def _reply(server: Running) -> bytes:
    """Return a reply of ours, so that the bare endpoint gives as much."""
    async with connected(server.url) as connection:
        reply = await connection.ask(_rest(read_questions()[0]).encoded(_host(server)))
    assert reply.status == 200, reply
    return reply.body


def _host(server: Running) -> str:
    return server.url.removeprefix("http://")


def _rest(question: str) -> Call:
    return Call(_ASK, {"query": question}, _OPEN)


def _tool(name: str, question: str) -> Call:
    call = {"name": name, "arguments": {"query": question}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return Call("/mcp", body, _MCP)


async def _overhead(peers: Peers, questions: Sequence[str], rounds: int) -> None:
    """Ask the same by each way, in turns, and report what each costs over the core."""
    async with AsyncExitStack() as opened:
        ours = await opened.enter_async_context(connected(peers.ours.url))
        bare = await opened.enter_async_context(connected(peers.bare.url))
        rows: dict[str, list[float]] = {}
        for question in questions:
            for name, figure in (await _costs(peers, ours, bare, question, rounds)).items():
                rows.setdefault(name, []).append(figure)
    table = Table("way", "CPU ms, mean of questions", "over the core, median", title="An ask")
    for name, figures in rows.items():
        over = [mine - core for mine, core in zip(figures, rows["core"], strict=True)]
        table.add_row(name, f"{statistics.mean(figures):.2f}", f"{statistics.median(over):.2f}")
    console.print(table)
    console.print(f"Bars: REST {REST_BAR_MS} ms over the core, MCP {MCP_BAR_MS} ms.")


async def _costs(
    peers: Peers, ours: Connection, bare: Connection, question: str, rounds: int
) -> dict[str, float]:
    """Return the CPU ms of a question by each way: the median of rounds that take turns."""
    taken: dict[str, list[float]] = {}
    wire = {
        "REST": (ours, peers.ours, _rest(question)),
        "MCP": (ours, peers.ours, _tool("graphrag_query", question)),
        "bare FastAPI": (bare, peers.bare, _rest(question)),
        "bare MCP tool": (bare, peers.bare, _tool("ask", question)),
    }
    for _ in range(rounds):
        begun = peers.ours.cpu_ms()
        peers.ours.tell(question)
        taken.setdefault("core", []).append(peers.ours.cpu_ms() - begun)
        for name, (connection, server, call) in wire.items():
            request = call.encoded(_host(server))
            begun = server.cpu_ms()
            reply = await connection.ask(request)
            taken.setdefault(name, []).append(server.cpu_ms() - begun)
            assert reply.status == 200, reply
            assert b'"isError":true' not in reply.body, reply.body[:500]
    return {name: statistics.median(figures) for name, figures in taken.items()}


async def _throughput(peers: Peers, questions: Sequence[str], requests: int) -> None:
    table = Table("way", "clients", "a second", "p50 ms", "p99 ms", "CPU ms each", title="Load")
    ways = {
        "REST": (peers.ours, [_rest(one) for one in questions]),
        "MCP": (peers.ours, [_tool("graphrag_query", one) for one in questions]),
        "bare FastAPI": (peers.bare, [_rest(one) for one in questions]),
        "bare MCP tool": (peers.bare, [_tool("ask", one) for one in questions]),
    }
    for clients in CLIENTS:
        for name, (server, calls) in ways.items():
            begun, count = server.cpu_ms(), max(requests, clients * 2)
            seen = await load(server.url, calls, clients, count)
            each = (server.cpu_ms() - begun) / count
            times = (f"{seen.quantile(share):.0f}" for share in (0.5, 0.99))
            table.add_row(name, str(clients), f"{seen.per_second:.1f}", *times, f"{each:.2f}")
            assert set(seen.statuses) == {200}, seen.statuses
    console.print(table)


async def _streams(server: Running, count: int) -> None:
    """Hold streams of a job's events open, while the job waits for a page that never comes."""

    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    begun = Call("/api/ingest", {"url": f"http://127.0.0.1:{port}/"}, _OPEN)
    async with connected(server.url) as connection:
        reply = await connection.ask(begun.encoded(_host(server)))
    assert reply.status == 202, reply
    job = json.loads(reply.body)["id"]
    before = server.resident_mb()
    async with AsyncExitStack() as opened:
        for _ in range(count):
            held = await opened.enter_async_context(connected(server.url))
            await held.listen(f"/api/jobs/{job}/events", _host(server), _OPEN)
        each = (server.resident_mb() - before) / count
    silent.close()
    console.print(f"{count} streams held: {each:.3f} MB each (bar {STREAM_BAR_MB} MB).")


async def _memory(server: Running, questions: Sequence[str], asks: int) -> None:
    """Report how memory grows over many asks."""
    calls = [_rest(one) for one in questions]
    table = Table("asks so far", "resident MB", title="Memory")
    for done in range(0, asks + 1, max(asks // 10, 1)):
        if done:
            await load(server.url, calls, 4, max(asks // 10, 1))
        table.add_row(f"{done:,}", f"{server.resident_mb():.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
