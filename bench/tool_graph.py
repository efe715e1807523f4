"""Measure the tool graph: related tools, alternatives and use, embedded beside one over Bolt.

``python bench/tool_graph.py`` makes catalogues of 500 and 5,000 tools with relations and sessions,
writes them to the embedded store and to ArcadeDB, which speaks Bolt in a process of its own, and
asks both the same in turns. ``--bolt URL`` takes a server that runs, such as a Neo4j, with the user
and the database of the settings and SEXTANT_NEO4J_PASSWORD. Of the embedded graph CPU time counts,
of the other one the time until it has answered.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.report import Bar
from sextant.build import open_store
from sextant.ports import ToolGraph
from sextant.settings import Settings, ToolboxSettings, load_settings
from sextant.types import (
    RelatedQuery,
    Scope,
    StoredTool,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
    ToolUse,
    UsedTool,
)

BATCH = 100
"""Uses that are recorded at once, as the bar has it."""
SESSIONS = 2_000
PART = 2_000
"""Tools, and relations, that are written at once."""
SERVERS = 50
"""So that one of 5,000 tools has a hundred beside it, whose login all of them need."""
START = datetime(2026, 1, 1, tzinfo=UTC)
EMBEDDED_BARS = {"related": 2.0, "alternatives": 1.0, "add usage": 1.0, "record uses": 1.0}
BOLT_BARS = {"related": 50.0, "alternatives": 30.0, "add usage": 10.0}
NO_BAR = float("inf")
"""Neither related tools of five servers at once, each with a login that leads to all of its tools,
nor sessions over Bolt have one."""

Call = Callable[[ToolGraph, Scope, random.Random, list[str]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds of one call, or of one use in a batch."""

    cpu: float
    wall: float


def main() -> None:
    """Measure both and report; the exit status tells what is over its bar."""
    options = _options()
    found = {}
    with _bolt(options.bolt) as bolt:
        for size in options.sizes:
            found[size] = asyncio.run(_measure(size, options.calls, bolt))
    sys.exit(0 if _show(found) else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 5_000], help="of catalogues")
    parser.add_argument("--calls", type=int, default=100, help="of each kind")
    parser.add_argument("--bolt", default="", help="the address of a server that runs")
    return parser.parse_args()


@contextmanager
def _bolt(address: str) -> Iterator[Settings]:
    """Yield settings for a graph over Bolt: the one that is named, or ArcadeDB for this run."""
    settings = replace(load_settings(), store="memory:")
    if address:
        yield replace(settings, toolbox=ToolboxSettings(address))
        return
    from tests.peers.running import running

    password = os.environ["SEXTANT_NEO4J_PASSWORD"] = secrets.token_hex(8)
    with running([sys.executable, "-m", "tests.peers.bolt_server", password]) as url:
        own = replace(settings.neo4j, user="root", database="neo4j", write_seconds=600.0)
        yield replace(settings, toolbox=ToolboxSettings(url), neo4j=own)


async def _measure(size: int, calls: int, bolt: Settings) -> dict[str, dict[str, Spent]]:
    """Fill both graphs alike and ask them the same, a call of each in turns."""
    with tempfile.TemporaryDirectory(prefix="sextant-tools-") as folder:
        embedded = Settings(store=f"sqlite:{folder}/store")
        stores = {"embedded": await open_store(embedded), "bolt": await open_store(bolt)}
        graphs = {name: store.tools for name, store in stores.items() if store.tools}
        scope, catalogue = Scope(f"bench-{secrets.token_hex(4)}"), make_catalogue(size)
        for graph in graphs.values():
            await _fill(graph, scope, catalogue)
        names = [one.tool.id for one in catalogue.puts]
        try:
            return {what: await _in_turns(what, graphs, scope, names, calls) for what in CALLS}
        finally:
            for store in stores.values():
                if store.tools:
                    await store.tools.close()
                await store.admin.close()


async def _fill(graph: ToolGraph, scope: Scope, catalogue: ToolChange) -> None:
    for start in range(0, len(catalogue.relations), PART):
        part = slice(start, start + PART)
        change = ToolChange(catalogue.puts[part], relations=catalogue.relations[part])
        await graph.change_tools(scope, change)
    names, chance = [one.tool.id for one in catalogue.puts], random.Random(7)
    for start in range(0, SESSIONS, BATCH):
        await graph.record_uses(scope, make_uses(chance, names, f"s{start}"))


async def _in_turns(
    what: str, graphs: dict[str, ToolGraph], scope: Scope, names: list[str], calls: int
) -> dict[str, Spent]:
    """Return the medians of so many calls; a third as many before them warm up what is compiled."""
    call, times = CALLS[what]
    spent: dict[str, list[Spent]] = {name: [] for name in graphs}
    for at in range(-calls // 3, max(1, calls // times * 2 if times > 1 else calls)):
        for name, graph in graphs.items():
            chance = random.Random(at)
            cpu, wall = time.process_time(), time.perf_counter()
            await call(graph, scope, chance, names)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            if at >= 0:
                spent[name].append(Spent(cpu * 1e3 / times, wall * 1e3 / times))
    return {
        name: Spent(
            statistics.median(one.cpu for one in each), statistics.median(one.wall for one in each)
        )
        for name, each in spent.items()
    }


async def _related(graph: ToolGraph, scope: Scope, chance: random.Random, names: list[str]) -> None:
    """Ask for tools of two servers, as one request needs them."""
    first, second = chance.sample(range(SERVERS), 2)
    given = [*chance.sample(names[first::SERVERS], 3), *chance.sample(names[second::SERVERS], 2)]
    await graph.related(scope, RelatedQuery(tuple(given)))


async def _related_far(
    graph: ToolGraph, scope: Scope, chance: random.Random, names: list[str]
) -> None:
    given = [chance.choice(names[at::SERVERS]) for at in chance.sample(range(SERVERS), 5)]
    await graph.related(scope, RelatedQuery(tuple(given)))


async def _alternatives(
    graph: ToolGraph, scope: Scope, chance: random.Random, names: list[str]
) -> None:
    await graph.alternatives(scope, chance.choice(names))


async def _add_usage(
    graph: ToolGraph, scope: Scope, chance: random.Random, names: list[str]
) -> None:
    await graph.add_usage(scope, {chance.choice(names): 1})


async def _record(graph: ToolGraph, scope: Scope, chance: random.Random, names: list[str]) -> None:
    await graph.record_uses(scope, make_uses(chance, names, secrets.token_hex(4)))


CALLS: dict[str, tuple[Call, int]] = {
    "related": (_related, 1),
    "related, five servers": (_related_far, 1),
    "alternatives": (_alternatives, 1),
    "add usage": (_add_usage, 1),
    "record uses": (_record, BATCH),
}
"""What is called, and how many uses one call counts for."""


def make_catalogue(size: int) -> ToolChange:
    """Return tools of fifty servers in twenty categories, each with companions and a double."""
    chance = random.Random(size)
    puts = tuple(_tool(at) for at in range(size))
    names = [one.tool.id for one in puts]
    relations = {one.key: one for at in range(size) for one in _relations(chance, at, names)}
    return ToolChange(puts, relations=tuple(relations.values()))


def _tool(at: int) -> StoredTool:
    """Return a tool with a schema of about a kilobyte, as those of public MCP servers have."""
    fields = {
        f"field_{each}": {"type": "string", "description": f"What field {each} of tool {at} is for"}
        for each in range(10)
    }
    schema = {"type": "object", "properties": fields}
    name = f"server{at % SERVERS}.tool{at}"
    return StoredTool(Tool(name, f"Tool {at}", f"category{at % 20}", f"Does {at}.", schema))


def _relations(chance: random.Random, at: int, names: list[str]) -> Iterator[ToolRelation]:
    """Yield what a tool needs, the login of its server, and with whom it is used."""
    name, login = names[at], names[at % SERVERS]
    if name != login:
        yield ToolRelation(name, login, ToolLink.DEPENDS_ON)
    beside = names[at % SERVERS :: SERVERS]
    others = [*_often(chance, beside, 3), *_often(chance, names, 3)]
    for step, other in enumerate(one for one in others if one != name):
        if step == 0:
            yield ToolRelation(name, other, ToolLink.ALTERNATIVE_TO, 0.8, reason="does the same")
        else:
            sure = round(chance.uniform(0.3, 0.95), 2)
            yield ToolRelation(name, other, ToolLink.OFTEN_USED_WITH, sure)


def _often(chance: random.Random, names: list[str], count: int) -> list[str]:
    """Choose some, the first ones more often than the last, as tools are used."""
    chosen: dict[str, None] = {}
    while len(chosen) < count:
        chosen[names[int(len(names) * chance.random() ** 2)]] = None
    return list(chosen)


def make_uses(chance: random.Random, names: list[str], prefix: str) -> list[ToolUse]:
    """Return a batch of sessions of two to five tools, of ten users over half a year."""
    uses = []
    for at in range(BATCH):
        start = START + timedelta(days=chance.randrange(180))
        calls = tuple(
            UsedTool(one, start + timedelta(seconds=30 * step))
            for step, one in enumerate(_often(chance, names, chance.randint(2, 5)))
        )
        user = f"user{chance.randrange(10)}"
        uses.append(ToolUse(f"{prefix}-{at}", calls, f"request {at}", user, start))
    return uses


def _show(found: dict[int, dict[str, dict[str, Spent]]]) -> bool:
    """Print the figures beside their bars, and say whether all hold."""
    table = Table("measure", "tools", "embedded CPU", "wall", "bar", "over Bolt, wall", "bar")
    holds = True
    for size, measures in found.items():
        for what, spent in measures.items():
            own, other = spent["embedded"], spent["bolt"]
            bars = Bar(EMBEDDED_BARS.get(what, NO_BAR)), Bar(BOLT_BARS.get(what, NO_BAR))
            holds &= bars[0].holds(own.cpu) and bars[1].holds(other.wall)
            table.add_row(
                what,
                f"{size:,}",
                _milliseconds(own.cpu, bars[0]),
                f"{own.wall:.2f}",
                _limit(bars[0]),
                _milliseconds(other.wall, bars[1]),
                _limit(bars[1]),
            )
    Console().print("Milliseconds of one call; of recording, for one use in a batch of a hundred.")
    Console().print(table)
    return holds


def _milliseconds(value: float, bar: Bar) -> str:
    return f"{value:.2f}" if bar.holds(value) else f"[red]{value:.2f}[/red]"


def _limit(bar: Bar) -> str:
    return "" if bar.limit == NO_BAR else f"{bar.limit:g}"


if __name__ == "__main__":
    main()
