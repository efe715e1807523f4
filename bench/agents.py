"""What an agent costs beyond itself: CPU of a run of 200 pieces less that of the agent called bare.

``python -m bench.agents``: from the agent to a reader of the run's events, without a door. In
process, the agent is a function that yields the pieces, and bare is to read them. Elsewhere it is a
server in a process of its own that sends all pieces at once (burst) or each by itself (paced), as
CopilotKit's lines or as AG-UI; bare is a client that reads the same answer line by line and decodes
every event. Both take turns, reply by reply, and the medians are compared. The bars are for what a
run does with 200 pieces; where each is a packet, most of either figure is waking up 200 times.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from rich.console import Console

from bench.serving.processes import started
from bench.serving.remote_agent import PIECES
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.plugins import RunContext, agent
from sextant.settings import ChatSettings, RemoteEndpointSettings, Settings
from sextant.types import RunFinished, RunRequest, Scope, Speaker, TextAdded, TextMessage

IN_PROCESS_BAR_MS, REMOTE_BAR_MS = 1.0, 2.0
_WARM_UP_PART = 10  # of so many replies, one more comes before and is not measured
_PACED_PART = 10  # of so many replies, one where each piece is a packet, which takes 0.2 s and more
_SCOPE = Scope("bench", user="bench")
_KINDS = {"lines": "copilotkit", "events": "agui"}
_PACES = ("burst", "paced")
console = Console(width=100)
Reply = Callable[[], Awaitable[int]]
"""Has an agent reply once, and returns how many pieces came."""


@dataclass(frozen=True, slots=True)
class Case:
    """One way to reach an agent: bare, and through a run."""

    name: str
    bare: Reply
    run: Reply
    bar_ms: float | None
    is_paced: bool = False


async def _pieces() -> AsyncGenerator[str, None]:
    for number in range(PIECES):
        yield f"tok{number} "


@agent
async def teller(_: RunContext) -> AsyncGenerator[str, None]:
    """Tell the pieces."""
    for number in range(PIECES):
        yield f"tok{number} "


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--replies",
        type=int,
        default=200,
        help=f"of each agent, either way; one in {_PACED_PART} of those that are paced",
    )
    options = parser.parse_args()
    with started(["bench.serving.remote_agent"]) as server:
        asyncio.run(_measure(server.url, options.replies))


async def _measure(url: str, replies: int) -> None:
    console.print(f"{PIECES} pieces     bare ms    run ms    overhead ms")
    async with _opened(url) as sextant, httpx2.AsyncClient() as client:
        for case in _cases(sextant, client, url):
            bare, run = await _in_turns(case, replies)
            overhead = _judged(run - bare, case.bar_ms)
            console.print(f"{case.name:12}  {bare:8.2f}  {run:8.2f}    {overhead}", highlight=False)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Sextant]:
    """Open a Sextant without knowledge that has all agents."""
    remotes = tuple(
        RemoteEndpointSettings(f"{form}-{pace}", f"{url}/{form}/{pace}", kind)
        for form, kind in _KINDS.items()
        for pace in _PACES
    )
    chat = ChatSettings(grounding="off", remotes=remotes)
    async with await open_sextant(Settings(store="memory:", embedder="tiny:", chat=chat)) as own:
        own.copilot.register(teller)
        yield own


def _cases(sextant: Sextant, client: httpx2.AsyncClient, url: str) -> list[Case]:
    async def bare() -> int:
        return len([one async for one in _pieces()])

    found = [Case("in process", bare, _run(sextant, "teller"), IN_PROCESS_BAR_MS)]
    for pace in _PACES:
        for form in _KINDS:
            name = f"{form}-{pace}"
            address = f"{url}/{form}/{pace}" + ("/agents/execute" if form == "lines" else "")
            is_paced = pace == "paced"
            bar = None if is_paced else REMOTE_BAR_MS
            found.append(Case(name, _bare(client, address), _run(sextant, name), bar, is_paced))
    return found


def _run(sextant: Sextant, name: str) -> Reply:
    request = RunRequest((TextMessage("u1", Speaker.USER, "Tell me."),), agent=name)

    async def reply() -> int:
        run = await sextant.copilot.start(_SCOPE, request)
        events = [event async for batch in run.events() for event in batch]
        assert isinstance(events[-1], RunFinished), events[-1]
        return sum(isinstance(one, TextAdded) for one in events)

    return reply


def _bare(client: httpx2.AsyncClient, address: str) -> Reply:
    body: dict[str, Any] = {"threadId": "t1", "runId": "r1", "messages": [], "name": ""}

    async def reply() -> int:
        async with client.stream("POST", address, json=body) as answer:
            lines = [line async for line in answer.aiter_lines() if line]
        events = [json.loads(line.removeprefix("data: ")) for line in lines]
        return sum("content" in one or "delta" in one for one in events)

    return reply


def _judged(overhead: float, bar: float | None) -> str:
    if bar is None:
        return f"{overhead:.2f}"
    colour = "green" if overhead <= bar else "red"
    return f"[{colour}]{overhead:.2f}[/{colour}] (≤ {bar:g})"


async def _in_turns(case: Case, replies: int) -> tuple[float, float]:
    """Return the medians of the CPU ms of a reply, bare and through a run."""
    found: dict[str, list[float]] = {"bare": [], "run": []}
    measured = max(1, replies // _PACED_PART) if case.is_paced else replies
    warm_up = measured // _WARM_UP_PART + 1
    for turn in range(warm_up + measured):
        for name, reply in (("bare", case.bare), ("run", case.run)):
            before = time.process_time()
            assert await reply() == PIECES, case.name
            if turn >= warm_up:
                found[name].append((time.process_time() - before) * 1e3)
    return statistics.median(found["bare"]), statistics.median(found["run"])


if __name__ == "__main__":
    main()
