"""What a turn of the bot costs over the core, and how soon a person sees that something is done.

``python bench/activities.py`` serves the sample knowledge with the door of Microsoft 365, sends it
activities as a channel does, and takes the replies as its service would; it asks the core of the
same process by the line. Both remember the conversation. CPU is that of the serving process, all
threads, until it is quiet again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.serving.load import Call, Connection, connected
from bench.serving.processes import Running, started
from bench.serving.sample import fill_store, read_questions

CPU_BAR_MS, UPDATE_BAR_MS = 4.0, 100.0
QUIET_S = 0.05
"""How long nothing is done before a turn counts as ended: what was sent is written down after."""
WAYS: dict[str, dict[str, Any]] = {
    "at once": {"deliveryMode": "expectReplies"},
    "one message": {"channelId": "emulator"},
    "in a channel of Teams": {"channelId": "msteams"},
    "streamed": {"channelId": "webchat"},
}
console = Console()


@dataclass
class Service:
    """The service of a channel: it takes what is sent, and notes when."""

    url: str = ""
    updates: list[float] = field(default_factory=list)
    taken: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take replies on one connection."""
        while head := await _head(reader):
            length = next(
                int(line.partition(b":")[2])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            )
            told = json.loads(await reader.readexactly(length))
            if told["type"] == "message":
                self.taken.set()
            else:
                self.updates.append(time.perf_counter())
            body = b'{"id":"reply"}'
            writer.write(b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.CancelledError):
        return b""


@asynccontextmanager
async def _service() -> AsyncIterator[Service]:
    service = Service()
    server = await asyncio.start_server(service.take, "127.0.0.1", 0)
    service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield service


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = asyncio.run(_prepared(Path(folder)))
        with started(["bench.serving.ours"], environment) as server:
            asyncio.run(_measure(server, read_questions()[: options.questions], options.rounds))


async def _prepared(folder: Path) -> Mapping[str, str]:
    store = await fill_store(folder)
    return {
        "SEXTANT_STORE": store,
        "SEXTANT_SERVE_PORT": "0",
        "SEXTANT_SERVE_DOORS": "m365",
        "SEXTANT_SERVE_REQUESTS_PER_MINUTE": "10000000",
        "SEXTANT_M365_ANONYMOUS": "true",
    }


async def _measure(server: Running, questions: Sequence[str], rounds: int) -> None:
    """Ask the same by each way, in turns, and report what each costs over the core.

    The core is asked twice: the second tells how far two of the same are apart.
    """
    costs: dict[str, list[float]] = {name: [] for name in ("core", "core again", *WAYS)}
    first: list[float] = []
    async with _service() as service, connected(server.url) as connection:
        for turn in range(rounds * len(questions)):
            question = questions[turn % len(questions)]
            server.tell(f"first-{turn}\t{question}")  # whoever asks it first pays for all
            for name in _rotated(list(costs), turn + turn // len(questions)):
                taken, who = costs[name], f"{name}-{turn}".replace(" ", "-")
                begun = server.cpu_ms()
                if name in WAYS:
                    call = _activity(service, who, question, WAYS[name])
                    first += await _turn(server, service, connection, call)
                else:
                    server.tell(f"{who}\t{question}")
                await asyncio.sleep(QUIET_S)
                taken.append(server.cpu_ms() - begun)
    table = Table("way", "CPU ms, mean", "over the core, median", title="A turn")
    for name, figures in costs.items():
        over = [mine - core for mine, core in zip(figures, costs["core"], strict=True)]
        table.add_row(name, f"{statistics.mean(figures):.2f}", f"{statistics.median(over):.2f}")
    console.print(table)
    first.sort()
    half, most = first[len(first) // 2], first[len(first) * 99 // 100]
    console.print(f"First update after the activity: p50 {half:.1f} ms, p99 {most:.1f} ms.")
    console.print(f"Bars: {CPU_BAR_MS} ms over the core, {UPDATE_BAR_MS} ms to the first update.")


def _rotated(names: list[str], by: int) -> list[str]:
    """Return the names, another one first each time."""
    at = by % len(names)
    return names[at:] + names[:at]


async def _turn(
    server: Running, service: Service, connection: Connection, call: Call
) -> list[float]:
    """Play one turn to its end; return after how many ms the first update came, if one did."""
    service.taken.clear()
    service.updates.clear()
    sent = time.perf_counter()
    reply = await connection.ask(call.encoded(server.url.removeprefix("http://")))
    assert reply.status in (200, 202), reply
    if reply.status == 202:
        await service.taken.wait()
    return [1_000 * (one - sent) for one in service.updates[:1]]


def _activity(service: Service, who: str, question: str, more: Mapping[str, Any]) -> Call:
    body = {
        "type": "message",
        "id": "m1",
        "channelId": "emulator",
        "serviceUrl": service.url,
        "conversation": {"id": who, "conversationType": "channel"},
        "from": {"id": "ann", "aadObjectId": who},
        "recipient": {"id": "bot", "name": "Sextant"},
        "text": question,
        **more,
    }
    return Call("/api/messages", body, {})


if __name__ == "__main__":
    main()
