"""What a copilot's reply costs beside the Node runtime of CopilotKit, in turns, in one run.

    python -m bench.chat --clients ../shared/clients/copilotkit --node FOLDER

FOLDER holds the packages of ``node-gql/package-lock.json`` (``npm ci --legacy-peer-deps
--ignore-scripts`` in a copy of it). A scripted model streams 200 chunks a reply, at once or one
every 10 ms; the load harness of the clients' folder asks both servers, one after the other, round
after round, at 1, 16 and 64 streams. CPU is that of the serving process. Then 500 streams are held
on ours, and one is left in the middle to see when the model's connection ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.serving.processes import started
from sextant.llms.compatible import chat as http_chat
from sextant.prompting.calls.guarded import guarded
from sextant.settings import Settings
from sextant.types import Message, Prompt, Speaker

STREAMS = (1, 16, 64)
CHUNKS = 200
PACE_MS = 10
LESS_ADAPTER_BAR, WHOLE_BAR, PACED_BAR, RESIDENT_BAR_MB = 1 / 8, 1 / 2, 1.0, 150.0
_HELD = 500
_HELD_CHUNKS, _HELD_PACE_MS = 50, 100
_PATIENCE_S = 60
_OFF = {"COPILOTKIT_TELEMETRY_DISABLED": "true", "DO_NOT_TRACK": "1"}
_UNLIMITED = {
    "SEXTANT_SERVE_RATE_PER_MINUTE": "0",
    "SEXTANT_SERVE_STREAMS": "2000",
    "SEXTANT_CHAT_RUNS": "2000",
    "SEXTANT_SERVE_CONCURRENCY": "2000",
}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Peer:
    """A server under load: its name, where it answers, and its process."""

    name: str
    url: str
    pid: int
    rows: dict[tuple[int, int], list[Row]] = field(default_factory=dict)

    def best(self, delay: int, streams: int, what: str) -> float:
        """Return the least of all rounds: on busy cores, that is what the work itself takes."""
        return min(float(row[what]) for row in self.rows[delay, streams])


def main() -> None:
    """Measure and report."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        model_log = Path(folder, "model.log")
        model = opened.enter_context(
            _node(options.clients, ["fake_openai.mjs"], log=model_log, LOG="1")
        )
        ours = opened.enter_context(_ours(Path(folder), model))
        theirs = opened.enter_context(_runtime(options, model))
        for delay in (0, PACE_MS):
            for _ in range(options.rounds):
                for peer in (ours, theirs):
                    _load(options, peer, delay)
        adapter = asyncio.run(_adapter_ms(model, options.rounds))
        _report(ours, theirs, adapter)
        _hold(options, ours)
        _leave(options, ours, model_log)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=Path, default=Path("../shared/clients/copilotkit"))
    parser.add_argument("--node", type=Path, required=True, help="with the packages of node-gql")
    parser.add_argument("--rounds", type=int, default=3, help="in each of which both take a turn")
    options = parser.parse_args()
    options.clients = options.clients.resolve()
    return options


@contextmanager
def _node(
    folder: Path, arguments: Sequence[str], *rest: str, log: Path | None = None, **more: str
) -> Iterator[str]:
    """Start a server of Node on a free port, and yield where it is."""
    port = _free_port()
    script, *given = arguments
    with ExitStack() as opened:
        out = opened.enter_context(log.open("w")) if log else subprocess.DEVNULL
        process = subprocess.Popen(
            ["node", script, str(port), *given, *rest],
            cwd=folder,
            stdout=out,
            env={**os.environ, **_OFF, **more},
        )
        opened.callback(process.wait)
        opened.callback(process.kill)
        _await(port)
        yield f"http://127.0.0.1:{port} {process.pid}"


@contextmanager
def _runtime(options: argparse.Namespace, model: str) -> Iterator[Peer]:
    """Start the Node runtime; its script looks for packages beside itself."""
    script = options.node / "runtime_server.mjs"
    if not script.exists():
        shutil.copy(options.clients / "node-gql" / "runtime_server.mjs", script)
    with _node(options.node, ["runtime_server.mjs"], f"{model.split()[0]}/v1") as told:
        url, pid = told.split()
        yield Peer("Node 1.10.6", f"{url}/copilotkit", int(pid))


@contextmanager
def _ours(folder: Path, model: str) -> Iterator[Peer]:
    environment = {
        "SEXTANT_STORE": f"sqlite:{folder}/store",
        "SEXTANT_LLM": f"{model.split()[0]}/v1#fake",
        "SEXTANT_CHAT_GROUNDING": "off",
        **_UNLIMITED,
    }
    arguments = ["sextant", "serve", "--port", "0", "--auth", "none"]
    with started(arguments, environment) as server:
        yield Peer("ours", f"{server.url}/copilotkit", server.pid)


def _load(options: argparse.Namespace, peer: Peer, delay: int) -> None:
    streams = ",".join(map(str, STREAMS))
    for row in _harness(options, peer, "--delay", str(delay), "--conc", streams):
        peer.rows.setdefault((delay, row["conc"]), []).append(row)


def _harness(options: argparse.Namespace, peer: Peer, *more: str) -> list[Row]:
    """Let the clients' own load harness ask a server, and return what it counted."""
    command = ["node", "bench.mjs", peer.url, "--pid", str(peer.pid), *more]
    if "--chunks" not in more:
        command += ["--chunks", str(CHUNKS)]
    ended = subprocess.run(command, cwd=options.clients, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]


async def _adapter_ms(model: str, rounds: int) -> float:
    """Return what the model's adapter takes by itself for such a reply, under guard."""
    settings = Settings(llm=f"{model.split()[0]}/v1#fake")
    address = f"//{model.split()[0].removeprefix('http://')}/v1#fake"
    chat = guarded(http_chat.open_model(address, settings), settings.model)
    prompt = Prompt((Message(Speaker.USER, f"CHUNKS:{CHUNKS}:0"),))

    async def reply() -> None:
        async for _ in chat.stream(prompt):
            pass

    taken = []
    for _ in range(20 * rounds):
        before = time.process_time()
        await reply()
        taken.append(1000 * (time.process_time() - before))
    await chat.close()
    return statistics.median(taken)


def _report(ours: Peer, theirs: Peer, adapter: float) -> None:
    table = Table(
        "CPU ms a reply", "streams", "ours", theirs.name, "ratio", "bar", "first chunk ms", box=None
    )
    for delay in (0, PACE_MS):
        for streams in STREAMS:
            own = ours.best(delay, streams, "cpu_ms_per_reply")
            other = theirs.best(delay, streams, "cpu_ms_per_reply")
            sooner = (f"{peer.best(delay, streams, 'ttfc_p50'):.1f}" for peer in (ours, theirs))
            bar = PACED_BAR if delay else WHOLE_BAR
            name = f"every {delay} ms" if delay else "at once"
            table.add_row(
                name,
                str(streams),
                f"{own:.2f}",
                f"{other:.2f}",
                f"{own / other:.2f}",
                f"{bar:g}",
                " / ".join(sooner),
            )
            if not delay:
                less = own - adapter
                table.add_row(
                    f"less the adapter's {adapter:.2f}",
                    str(streams),
                    f"{less:.2f}",
                    f"{other:.2f}",
                    f"{less / other:.3f}",
                    f"{LESS_ADAPTER_BAR:g}",
                    "",
                )
    console = Console(width=120)
    console.print(table)
    peak = max(float(row["peak_mb"]) for rows in ours.rows.values() for row in rows)
    console.print(f"peak of ours {peak:.0f} MB (bar {RESIDENT_BAR_MB:g})")


def _hold(options: argparse.Namespace, ours: Peer) -> None:
    """Hold many streams at once, and say whether any was lost."""
    given = ("--conc", str(_HELD), "--reqs", str(_HELD), "--delay", str(_HELD_PACE_MS))
    (row,) = _harness(options, ours, *given, "--chunks", str(_HELD_CHUNKS))
    print(
        f"{_HELD} streams, a chunk every {_HELD_PACE_MS} ms: {row['ok']} whole, {row['bad']} lost, "
        f"{row['cpu_ms_per_reply']} CPU ms a reply, {row['peak_mb']} MB at the peak"
    )


def _leave(options: argparse.Namespace, ours: Peer, log: Path) -> None:
    """Leave a stream in the middle, and say how soon the model's connection is closed."""
    command = ["node", "abort_probe.mjs", ours.url]
    subprocess.run(command, cwd=options.clients, check=True, capture_output=True)
    left = time.monotonic()
    while "CLIENT-CLOSED" not in log.read_text() and time.monotonic() - left < _PATIENCE_S:
        time.sleep(0.01)
    print(
        f"a client that leaves: the model's connection ended {time.monotonic() - left:.2f} s later"
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _await(port: int) -> None:
    """Wait until something listens."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("The server of Node did not start.")


if __name__ == "__main__":
    main()
