"""Engines that people use for the same jobs, on the same chunks. They see every document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from bench import corpus, reference
from bench.clock import Figures, Meter, folder_bytes, time_each_call
from bench.reads import compare
from bench.text_peers import Fts5, Tantivy
from bench.vector_peers import Lance, Numpy
from sextant.types import Put

_BATCH = 1_000
"""Documents in one commit: far more than the store gets, since small commits hurt some peers."""


class Peer(Protocol):
    """Takes chunks in, and answers some of the searches, named as those of the store are."""

    def add(self, puts: Sequence[Put]) -> None:
        """Take documents in, durably where it can."""

    def settle(self) -> None:
        """Finish what is left to do before reading."""

    def searches(self) -> dict[str, reference.Search]:
        """Return the searches that it can do."""


async def peer(root: str, name: str, size: int) -> Figures:
    """Fill a peer, time its searches, and compare them with brute force."""
    folder = Path(root, f"{name}-{size}")
    made: Peer = _PEERS[name](folder)
    meter, chunks = Meter(), 0
    stream = corpus.documents(0, size)
    while batch := meter.apart(lambda: list(islice(stream, _BATCH))):
        made.add(batch)
        chunks += sum(len(put.chunks) for put in batch)
    made.settle()
    figures: Figures = {
        "ms_per_chunk": meter.seconds() * 1e3 / chunks,
        "disk_mb": folder_bytes(folder, "*") / 1e6,
        "legs": {},
        "agreement": {},
    }
    answers, asked = reference.load(root, size), reference.load_queries(root, size)
    for search, ask in made.searches().items():
        figures["legs"][search] = await time_each_call(ask, asked)
        right = answers.rankings[_as_seen_by_all(search)]
        found = [ask(pair) for pair in asked[: len(right)]]
        figures["agreement"][search] = compare(found, right)
    return figures


def _as_seen_by_all(search: str) -> str:
    leg, *rest = search.split(",")
    return ",".join([f"{leg} all", *rest])


_PEERS: dict[str, Callable[[Path], Peer]] = {
    "FTS5": Fts5,
    "tantivy": Tantivy,
    "LanceDB": Lance,
    "numpy": Numpy,
}
