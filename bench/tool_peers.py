"""What a selection costs beside others that choose tools, at three sizes, in turns, in one run.

    pip install faiss-cpu semantic-router graph-tool-call
    python -m bench.tool_peers

All have the same made-up tools of real length and the same requests, with vectors that are there
already; CPU ms a request, the best of some rounds. Ours scores the request and its three clauses by
words, names and meaning, adds what the tools need and fits them into a budget; FAISS compares the
request's vector with all, semantic-router does so in its own index, graph-tool-call finds by words
and follows its graph.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from time import process_time

import faiss
from graph_tool_call import ToolGraph, ToolSchema
from rich.console import Console
from rich.table import Table
from semantic_router.index import LocalIndex

from bench.tools import made_up_index, made_up_request
from sextant.toolbox.flow import select
from sextant.toolbox.index import ToolIndex
from sextant.toolbox.match.score import Wanted
from sextant.types import ToolRequest

_K = 5
_REQUEST = ToolRequest("made up", k=_K, token_budget=2_000)
_LARGEST_GRAPH = 5_000
"""Tools for graph-tool-call: at ten times as many, one request takes it seconds."""

Choose = Callable[[Wanted], object]


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 5_000, 50_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20)
    options = parser.parse_args()
    requests = [made_up_request(number) for number in range(options.requests)]
    table = Table("CPU ms a request", *(f"{size:,} tools" for size in options.sizes), box=None)
    found: dict[str, list[str]] = {}
    for size in options.sizes:
        index = made_up_index(size)
        peers = _peers(index)
        spent: dict[str, list[float]] = {name: [] for name in peers}
        for _ in range(options.rounds):
            for name, choose in peers.items():
                spent[name].append(_spent_ms(choose, requests))
        for name in ("ours", "FAISS", "semantic-router", "graph-tool-call"):
            told = f"{min(spent[name]):.2f}" if name in spent else "not tried"
            found.setdefault(name, []).append(told)
    for name, row in found.items():
        table.add_row(name, *row)
    Console(width=100).print(table)


def _peers(index: ToolIndex) -> dict[str, Choose]:
    vectors, ids = index.matchable.texts, [one.id for one in index.tools]
    flat = faiss.IndexFlatIP(vectors.shape[1])
    flat.add(vectors)
    router = LocalIndex()
    router.add(vectors.tolist(), ids, ids)
    peers: dict[str, Choose] = {
        "ours": lambda wanted: select(index, _REQUEST, wanted),
        "FAISS": lambda wanted: flat.search(wanted.vectors[:1], _K),
        "semantic-router": lambda wanted: router.query(wanted.vectors[0], top_k=_K),
    }
    if len(ids) <= _LARGEST_GRAPH:
        graph = ToolGraph()
        schemas = [ToolSchema(one.id, one.description) for one in index.tools]
        graph.add_tools(schemas, detect_dependencies=False)
        peers["graph-tool-call"] = lambda wanted: graph.retrieve(wanted.text, top_k=_K)
    return peers


def _spent_ms(choose: Choose, requests: Sequence[Wanted]) -> float:
    start = process_time()
    for one in requests:
        choose(one)
    return 1_000 * (process_time() - start) / len(requests)


if __name__ == "__main__":
    main()
