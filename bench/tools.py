"""Tool selection: the adapter for its scorer, what a selection costs, and what it saves.

The scorer makes ``Selector()``, calls ``load`` once with a catalogue and its declared edges,
``record`` for every logged use and ``select`` for every request. It gets the default install,
through the class Toolbox, over a store in a folder of its own; one setting for all sets.

    python ../shared/eval/tool_selection.py --factory bench.tools:Selector ultratool --no-edges
    python -m bench.tools latency
    python -m bench.tools tokens livemcp.tools.jsonl.gz livemcp.queries.jsonl.gz
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.settings import Settings
from sextant.text.words import Words
from sextant.toolbox.embedding import embed_tools
from sextant.toolbox.fit.forms import write_form
from sextant.toolbox.fit.tokens import count_tokens
from sextant.toolbox.flow import select
from sextant.toolbox.index import ToolIndex, make_index
from sextant.toolbox.match.score import Wanted
from sextant.types import (
    Detail,
    Scope,
    StoredTool,
    Tool,
    ToolChange,
    ToolLink,
    ToolRelation,
    ToolRequest,
    ToolUse,
    UsedTool,
)

Row = Mapping[str, Any]
_SCOPE = Scope()
_BATCH = 500
_KINDS = frozenset(ToolLink)
_WIDTH = 384
_ROUNDS = 5  # on busy cores the best round says what the work itself takes
_WORDS_A_TOOL = 40  # livemcp's descriptions have 37 on average
_SOUNDS = [
    "ba",
    "cor",
    "di",
    "fen",
    "gu",
    "hal",
    "ko",
    "lim",
    "mo",
    "nar",
    "pe",
    "ris",
    "so",
    "tuv",
]
_WORDS = [f"{first}{second}{third}" for first in _SOUNDS for second in _SOUNDS for third in _SOUNDS]
_RANKS = [1 / (rank + 1) for rank in range(len(_WORDS))]
"""How often each word comes: by Zipf's law, as in any language."""


class Selector:
    """A toolbox in a folder of its own, gone with the process."""

    def __init__(self, store: str = "") -> None:
        self._runner = asyncio.Runner()
        self._place = tempfile.TemporaryDirectory(prefix="sextant-bench-")
        settings = replace(Settings(), store=store or f"sqlite:{self._place.name}/store")
        self.core: Sextant = self._runner.run(open_sextant(settings))
        self._log: list[ToolUse] = []
        self._recorded = 0

    def load(self, tools: Sequence[Row], edges: Sequence[Row]) -> None:
        """Take in a catalogue with what is declared of its tools."""
        self._runner.run(self._load([tool_of(row) for row in tools], relations_of(edges)))

    async def _load(self, tools: Sequence[Tool], relations: Sequence[ToolRelation]) -> None:
        graph = self.core.toolbox.graph
        for start in range(0, len(tools), _BATCH):
            puts = await embed_tools(self.core.embedder, tools[start : start + _BATCH])
            await graph.change_tools(_SCOPE, ToolChange(puts=puts))
        for start in range(0, len(relations), _BATCH):
            change = ToolChange(relations=tuple(relations[start : start + _BATCH]))
            await graph.change_tools(_SCOPE, change)

    def record(self, query: str, tool_ids: Sequence[str]) -> None:
        """Note one use; uses are written together before the next selection."""
        self._recorded += 1
        calls = tuple(UsedTool(own) for own in tool_ids)
        self._log.append(ToolUse(f"use-{self._recorded}", calls, query))

    def select(self, query: str, k: int) -> list[str]:
        """Return the ids of the tools for a request, best first."""
        if self._log:
            self._runner.run(self._learn())
        request = ToolRequest(query, k)
        selection = self._runner.run(self.core.toolbox.select(_SCOPE, request))
        return [one.tool.id for one in selection.ranked]

    def count(self, query: str, k: int) -> int:
        """Return how many tokens the tools for a request are, in full."""
        request = ToolRequest(query, k)
        return self._runner.run(self.core.toolbox.select(_SCOPE, request)).tokens

    async def _learn(self) -> None:
        for start in range(0, len(self._log), _BATCH):
            await self.core.toolbox.record_uses(_SCOPE, self._log[start : start + _BATCH])
        self._log.clear()
        await self.core.toolbox.learn(_SCOPE)


def tool_of(row: Row) -> Tool:
    """Return a row of a catalogue as a tool."""
    schema = row.get("schema") or _schema(row.get("params") or ())
    return Tool(
        row["id"],
        row["name"],
        row.get("category") or "",
        row.get("description") or "",
        schema,
        server=row.get("server") or "",
    )


def _schema(params: Sequence[Row]) -> dict[str, Any]:
    own = {
        str(one["name"]): {"type": one.get("type"), "description": one.get("description")}
        for one in params
    }
    required = [str(one["name"]) for one in params if one.get("required")]
    return {"type": "object", "properties": own, "required": required}


def relations_of(edges: Sequence[Row]) -> list[ToolRelation]:
    """Return declared edges as relations; every kind of dependency is one that is required."""
    found = {}
    for row in edges:
        kind = ToolLink(row["type"]) if row["type"] in _KINDS else ToolLink.DEPENDS_ON
        one = ToolRelation(row["src"], row["dst"], kind)
        if one.source != one.target:
            found[one.key] = one
    return list(found.values())


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a packed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def measure_latency(sizes: Sequence[int], calls: int = 30) -> None:
    """Print what a selection costs without embedding, at several sizes of a catalogue."""
    for size in sizes:
        index = made_up_index(size)
        wanted = [made_up_request(number) for number in range(calls)]
        request = ToolRequest("made up", k=5, token_budget=2_000)
        for one in wanted:
            select(index, request, one)
        spent = min(_time_calls(index, request, wanted) for _ in range(_ROUNDS))
        print(f"{size:>7} tools  {spent:6.2f} CPU ms a selection, best of {_ROUNDS} rounds")


def _time_calls(index: ToolIndex, request: ToolRequest, wanted: Sequence[Wanted]) -> float:
    start = process_time()
    for one in wanted:
        select(index, request, one)
    return 1_000 * (process_time() - start) / len(wanted)


def made_up_index(size: int) -> ToolIndex:
    """Return an index of tools with descriptions of real length, and vectors at random."""
    chance = random.Random(size)
    vectors = np.random.default_rng(size).normal(size=(size, 2, _WIDTH)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    stored = []
    for number in range(size):
        name = "_".join(chance.choices(_WORDS, k=2))
        text = " ".join(chance.choices(_WORDS, _RANKS, k=_WORDS_A_TOOL))
        schema = {"properties": {own: {"type": "string"} for own in chance.sample(_WORDS, 4)}}
        tool = Tool(f"s{number % 40}.{name}_{number}", name, name[:3], text, schema)
        stored.append(StoredTool(tool, vectors[number]))
    stored.sort(key=lambda one: one.tool.id)
    relations = [
        ToolRelation(one.tool.id, chance.choice(stored).tool.id, ToolLink.DEPENDS_ON)
        for one in chance.sample(stored, size // 5)
    ]
    return make_index(stored, relations, frozenset(), Words(), _WIDTH)


def made_up_request(number: int) -> Wanted:
    """Return a request of three clauses."""
    chance = random.Random(number)
    clauses = tuple(" ".join(chance.choices(_WORDS, _RANKS, k=9)) for _ in range(3))
    vectors = np.random.default_rng(number).normal(size=(4, _WIDTH)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Wanted(" and ".join(clauses), clauses, vectors)


def count_saved(path: Path, requests: Path, k: int = 5) -> None:
    """Print how many tokens all tools of a catalogue are, and the k that are selected of them."""
    selector = Selector()
    rows = read_rows(path)
    selector.load(rows, ())
    whole = sum(count_tokens(write_form(tool_of(row), Detail.FULL)) for row in rows)
    texts = [row["query"] for row in read_rows(requests)]
    kept = [selector.count(text, k) for text in texts]
    mean = sum(kept) / len(kept)
    print(f"{len(rows)} tools {whole} tokens; {k} selected {mean:.0f}, {mean / whole:.2%} of them")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    latency = commands.add_parser("latency")
    latency.add_argument("--sizes", type=int, nargs="+", default=[500, 5_000, 50_000])
    tokens = commands.add_parser("tokens")
    tokens.add_argument("catalogue", type=Path)
    tokens.add_argument("requests", type=Path)
    args = parser.parse_args()
    if args.command == "latency":
        measure_latency(args.sizes)
    else:
        count_saved(args.catalogue, args.requests)


if __name__ == "__main__":
    main()
