"""Runs in which a model calls one of many MCP tools: ours beside the Node runtime, in turns.

Ours carries out the call and lets the model reply. The Node runtime ends with the tool's answer,
which its client sends in another request; that one belongs to the run as well.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from rich.table import Table

from bench.serving.many_tools import tool_names
from bench.serving.node import free_port, node_started, placed
from bench.serving.processes import Running, started

TOOLS = (1, 10, 100)
_RUNS = 20
_WARM_UP = 5
_SERVER = "bench"
_SCRIPT = Path(__file__).parent / "node_mcp.mjs"
_ANSWER, _REPLY = "in Oslo on Monday", "Tool said: "
_ACCEPT = {"accept": "application/json, multipart/mixed"}


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """What a run costs its server, and how long it takes; medians."""

    cpu_ms: float
    wall_ms: float


def tool_table(
    harness: Path, runtime: Path, model: str, settings: Mapping[str, str], rounds: int
) -> Table:
    """Measure at each number of tools, and return a table."""
    table = Table("tools", "CPU ms", "Node", "ratio", "ms", "Node", box=None)
    table.title = "a run in which the model calls one of so many MCP tools and replies"
    for count in TOOLS:
        ours, node = _measured(harness, runtime, model, settings, rounds, count)
        table.add_row(
            str(count),
            f"{ours.cpu_ms:.2f}",
            f"{node.cpu_ms:.2f}",
            f"{ours.cpu_ms / node.cpu_ms:.3f}",
            f"{ours.wall_ms:.1f}",
            f"{node.wall_ms:.1f}",
        )
    return table


def _measured(
    harness: Path,
    runtime: Path,
    model: str,
    settings: Mapping[str, str],
    rounds: int,
    count: int,
) -> tuple[ToolFigures, ToolFigures]:
    with ExitStack() as opened:
        tools = opened.enter_context(started(["bench.serving.many_tools", str(count)]))
        at, port = f"{tools.url}/mcp", free_port()
        own = opened.enter_context(
            started(["sextant", "serve"], {**settings, **_tool_settings(at)})
        )
        command = [placed(_SCRIPT, runtime), str(port), f"{model}/v1", at]
        node = opened.enter_context(node_started(command, port, runtime))
        called = tool_names(count)[-1]
        asked = {
            "ours": (own, f"{_SERVER}_{called}"),
            "node": (node, called),
        }
        found: dict[str, list[ToolFigures]] = {"ours": [], "node": []}
        for turn in range(rounds + 1):
            for name, (server, tool) in asked.items():
                figures = _turn(server, _body(harness, tool), _RUNS if turn else _WARM_UP)
                found[name] += [figures] if turn else []
    return _median(found["ours"]), _median(found["node"])


def _tool_settings(at: str) -> dict[str, str]:
    server = {"name": _SERVER, "at": at}
    return {
        "SEXTANT_TOOLBOX_SERVERS": json.dumps([server]),
        "SEXTANT_CHAT_TOOL_SERVERS": _SERVER,
        "SEXTANT_SERVE_TENANT": "default",
    }


def _body(harness: Path, tool: str) -> dict[str, Any]:
    """Return what the client 1.10.6 sends, with an order for the model as its message."""
    recorded = harness / "transcripts" / "node-1.10.6" / "chat_text.json"
    exchange = json.loads(recorded.read_text(encoding="utf-8"))["http"][0]
    body: dict[str, Any] = json.loads(exchange["request"]["body"])
    message = body["variables"]["data"]["messages"][0]["textMessage"]
    message["content"] = f'TOOL:{tool}:{{"place": "Oslo", "day": "Monday"}}'
    return body


def _turn(server: Running, body: dict[str, Any], runs: int) -> ToolFigures:
    """Run one after the other, and see that each time the model replies to the tool's answer."""
    url, walls = f"{server.url.removesuffix('/copilotkit')}/copilotkit", []
    with httpx2.Client(timeout=60, headers=_ACCEPT) as client:
        before = server.cpu_ms()
        for number in range(runs):
            body["variables"]["data"]["threadId"] = f"tools-{number}-{time.monotonic_ns()}"
            since = time.perf_counter()
            told = client.post(url, json=body).text
            assert _ANSWER in told, told[:2_000]
            if _REPLY not in told:
                told = client.post(url, json=_with_result(body)).text
            walls.append((time.perf_counter() - since) * 1_000)
            assert _REPLY in told, told[:2_000]
        used = server.cpu_ms() - before
    return ToolFigures(used / runs, statistics.median(walls))


def _with_result(body: dict[str, Any]) -> dict[str, Any]:
    """Return what the client sends next to a runtime that leaves the model's reply to it."""
    sent: dict[str, Any] = json.loads(json.dumps(body))
    messages = sent["variables"]["data"]["messages"]
    _, name, arguments = messages[0]["textMessage"]["content"].split(":", 2)
    at = {"createdAt": messages[0]["createdAt"]}
    call = {"name": name, "arguments": arguments, "parentMessageId": "m1"}
    result = {"actionExecutionId": "call", "actionName": name, "result": _ANSWER}
    messages += [
        {"id": "call", **at, "actionExecutionMessage": call},
        {"id": "result-call", **at, "resultMessage": result},
    ]
    return sent


def _median(found: Sequence[ToolFigures]) -> ToolFigures:
    return ToolFigures(
        statistics.median(one.cpu_ms for one in found),
        statistics.median(one.wall_ms for one in found),
    )
