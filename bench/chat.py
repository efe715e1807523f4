"""What a chat over CopilotKit's protocols costs beside its Node runtimes, in turns, in one run.

``python bench/chat.py --harness FOLDER``: the folder has the load harness, the fake model and the
Node runtimes' locks; these are installed once into ``--node`` (1.10.6, GraphQL) and ``--newest``
(AG-UI). Server CPU per reply of 200 pieces, the first piece and the memory at 1, 16 and 64 streams,
with a model that replies at once and with one that pauses; the same over AG-UI; runs that call one
of 1, 10 and 100 MCP tools; then 500 streams at once, and how soon an abort reaches the model. What
the model's adapter costs by itself is measured in the same run, and taken off where a bar says so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.serving.node import free_port, installed, node_started, placed
from bench.serving.processes import Running, started
from bench.serving.tool_runs import tool_table
from sextant.llms.compatible import chat as http_chat
from sextant.prompting.calls.guarded import guarded
from sextant.settings import Settings
from sextant.types import Message, Prompt, Speaker, TextDelta

STREAMS = (1, 16, 64)
DOOR_BAR, WHOLE_BAR, PACED_BAR, MEMORY_BAR_MB, ABORT_BAR_S = 1 / 8, 1 / 2, 1.0, 150, 1.0
_PATHS = {"GraphQL": "", "AG-UI": "/agent/default/run"}
_NEWEST = Path(__file__).parent / "serving" / "node_agui.mjs"
_PIECES = 200
_MANY = 500
_PAUSE_MS = 10
console = Console(width=140)


@dataclass(frozen=True, slots=True)
class Peers:
    """Who is measured, and where the model is that both ask."""

    ours: Running
    node: Running
    newest: Running
    model: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of several rounds at one number of streams."""

    cpu_ms: float
    first_ms: float
    resident_mb: float


def main() -> None:
    """Measure and report."""
    options = _options()
    runtime = installed(options.harness / "node-gql", options.node)
    newest = installed(options.harness / "node-new", options.newest)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        peers = _peers(opened, options.harness, runtime, newest, Path(folder))
        adapter_ms = asyncio.run(_adapter_ms(peers.model, options.rounds))
        for door, node in (("GraphQL", peers.node), ("AG-UI", peers.newest)):
            for pause in (0, _PAUSE_MS):
                found = _in_turns({"ours": peers.ours, "node": node}, options, door, pause)
                console.print(_table(found, 0.0 if pause else adapter_ms, door, pause))
        settings = _environment(peers.model, Path(folder) / "tools")
        console.print(tool_table(options.harness, runtime, peers.model, settings, options.rounds))
        _print_many(peers.ours, options.harness)
        _print_abort(opened, options.harness, Path(folder))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--harness", type=Path, required=True, help="the folder of bench.mjs")
    parser.add_argument("--node", type=Path, default=Path(".bench-node"), help="for npm's packages")
    parser.add_argument("--newest", type=Path, default=Path(".bench-node-new"), help="the same")
    parser.add_argument("--rounds", type=int, default=3, help="in each of which both take a turn")
    return parser.parse_args()


def _peers(opened: ExitStack, harness: Path, runtime: Path, newest: Path, folder: Path) -> Peers:
    model = opened.enter_context(_fake_model(harness))
    environment = _environment(model.url, folder)
    ours = opened.enter_context(started(["sextant", "serve"], environment))
    node = opened.enter_context(_node("runtime_server.mjs", runtime, model.url))
    newer = opened.enter_context(_node(placed(_NEWEST, newest), newest, model.url))
    return Peers(ours, node, newer, model.url)


def _node(script: str, folder: Path, model: str) -> AbstractContextManager[Running]:
    port = free_port()
    return node_started([script, str(port), f"{model}/v1"], port, folder)


def _fake_model(harness: Path, **more: str) -> Any:
    port = free_port()
    return node_started([str(harness / "fake_openai.mjs"), str(port)], port, harness, more)


def _environment(model: str, folder: Path) -> Mapping[str, str]:
    """Return settings without limits and without grounding."""
    many = {"STREAMS": 2_000, "CONCURRENCY": 2_000, "WAITING": 2_000, "AUTH": "none", "PORT": 0}
    return {
        "SEXTANT_STORE": f"sqlite:{folder}/store",
        "SEXTANT_EMBEDDER": "tiny:",
        "SEXTANT_LLM": f"{model}/v1#fake",
        "SEXTANT_CHAT_GROUNDING": "off",
        "SEXTANT_MODEL_CONCURRENCY": "1000",
        **{f"SEXTANT_SERVE_{name}": str(value) for name, value in many.items()},
    }


async def _adapter_ms(model: str, rounds: int) -> float:
    """Return the CPU time of one reply to the adapter under guard, as a run asks it."""
    settings = Settings()
    adapter = http_chat.open_model(f"{model.removeprefix('http:')}/v1#fake", settings)
    ways = guarded(adapter, settings.model)
    prompt = Prompt((Message(Speaker.USER, f"CHUNKS:{_PIECES}:0"),))
    found = []
    for turn in range(20 * rounds + 5):
        before = time.process_time()
        pieces = [one async for one in ways.stream(prompt) if isinstance(one, TextDelta)]
        assert len(pieces) == _PIECES
        if turn >= 5:
            found.append((time.process_time() - before) * 1_000)
    await adapter.close()
    return statistics.median(found)


def _in_turns(
    servers: Mapping[str, Running], options: argparse.Namespace, door: str, pause: int
) -> Mapping[str, Mapping[int, Figures]]:
    rows: dict[str, dict[int, list[Any]]] = {name: {} for name in servers}
    for _ in range(options.rounds):
        for name, server in servers.items():
            url = f"{_origin(server)}/copilotkit{_PATHS[door]}"
            for row in _load(options.harness, url, server.pid, STREAMS, pause, _PIECES):
                rows[name].setdefault(row["conc"], []).append(row)
    return {
        name: {streams: _figures(found) for streams, found in own.items()}
        for name, own in rows.items()
    }


def _origin(server: Running) -> str:
    return server.url.removesuffix("/copilotkit")


def _load(
    harness: Path, url: str, pid: int, streams: Sequence[int], pause: int, pieces: int
) -> list[Any]:
    """Let the harness load a server, and return a row for each number of streams."""
    with tempfile.NamedTemporaryFile(suffix=".json") as told:
        command = ["node", str(harness / "bench.mjs"), url, "--pid", str(pid)]
        command += ["--conc", ",".join(map(str, streams)), "--delay", str(pause)]
        command += ["--chunks", str(pieces), "--json", told.name]
        command += ["--agui"] if url.endswith(_PATHS["AG-UI"]) else []
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows: list[Any] = json.loads(Path(told.name).read_text(encoding="utf-8"))["rows"]
    return rows


def _figures(rows: Sequence[Any]) -> Figures:
    assert all(row["bad"] == 0 for row in rows), rows
    return Figures(
        statistics.median(row["cpu_ms_per_reply"] for row in rows),
        statistics.median(row["ttfc_p50"] for row in rows),
        max(row["rss_mb"] for row in rows),
    )


def _table(
    found: Mapping[str, Mapping[int, Figures]], adapter_ms: float, door: str, pause: int
) -> Table:
    title = f"a piece every {pause} ms" if pause else f"at once; adapter alone {adapter_ms:.2f} ms"
    columns = ("streams", "CPU ms", "Node", "ratio", "less adapter", "first ms", "Node", "MB")
    table = Table(*columns, box=None, title=f"{door}, {_PIECES} pieces, {title}")
    bar = PACED_BAR if pause else WHOLE_BAR
    show = _judged if door == "GraphQL" else _shown
    for streams, own in found["ours"].items():
        node = found["node"][streams]
        whole, less = own.cpu_ms / node.cpu_ms, (own.cpu_ms - adapter_ms) / node.cpu_ms
        table.add_row(
            str(streams),
            f"{own.cpu_ms:.2f}",
            f"{node.cpu_ms:.2f}",
            show(whole, bar),
            "" if pause else show(less, DOOR_BAR),
            show(own.first_ms, node.first_ms, ".1f"),
            f"{node.first_ms:.1f}",
            show(own.resident_mb, MEMORY_BAR_MB, ".0f"),
        )
    return table


def _judged(value: float, bar: float, form: str = ".3f") -> str:
    colour = "green" if value <= bar else "red"
    return f"[{colour}]{value:{form}}[/{colour}] (≤ {bar:{form}})"


def _shown(value: float, _: float, form: str = ".3f") -> str:
    """Return a value for which no bar was set."""
    return f"{value:{form}}"


def _print_many(ours: Running, harness: Path) -> None:
    (row,) = _load(harness, f"{_origin(ours)}/copilotkit", ours.pid, (_MANY,), 100, 20)
    memory = ours.resident_mb()
    console.print(f"{_MANY} streams, a piece every 100 ms: {row['bad']} lost, {memory:.0f} MB")


def _print_abort(opened: ExitStack, harness: Path, folder: Path) -> None:
    """Say how soon the model's server sees that a client left: its log has a line for that."""
    model = opened.enter_context(_fake_model(harness, LOG="1"))
    environment = _environment(model.url, folder / "abort")
    ours = opened.enter_context(started(["sextant", "serve"], environment))
    probe = ["node", str(harness / "abort_probe.mjs"), f"{_origin(ours)}/copilotkit"]
    subprocess.run(probe, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ))
    since = time.perf_counter()
    assert model.process.stdout
    next(line for line in model.process.stdout if line.startswith("CLIENT-CLOSED"))
    took = time.perf_counter() - since
    console.print(f"an abort reaches the model within {_judged(took, ABORT_BAR_S, '.2f')} s")


if __name__ == "__main__":
    main()
