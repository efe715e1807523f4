"""What it costs to put documents into the embedded store, at the start and when it is large."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bench import corpus
from bench.clock import Figures, Meter, folder_bytes, memory
from sextant.ports import Store
from sextant.query import DocumentsAny, Query
from sextant.settings import Settings
from sextant.stores.sqlite.store import open_store
from sextant.types import EmbedderIdentity, Put, Scope

SCOPE = Scope()
_BATCH = 32
_ADDED = 150


async def open_at(folder: str) -> Store:
    """Open a store of the bench's vectors."""
    return await open_store(folder, Settings(), EmbedderIdentity("random:384", corpus.WIDTH))


async def ingest(root: str, sizes: list[int]) -> list[Figures]:
    """Let one store grow, and keep it as it is at each size."""
    corpus.document(0)
    own = memory()["VmRSS"]
    growing = f"{root}/growing"
    figures: list[Figures] = []
    documents = chunks = 0
    for size in sizes:
        meter, started = Meter(), time.perf_counter()
        written, held = await _fill(growing, documents, size - chunks, meter)
        documents, chunks = documents + written, chunks + held
        figures.append(
            {
                "documents": documents,
                "chunks": chunks,
                "ms_per_document": meter.seconds() * 1e3 / written,
                "ms_per_chunk": meter.seconds() * 1e3 / held,
                "wall_s": time.perf_counter() - started,
                "net_peak_mb": memory()["VmHWM"] - own,
                "own_mb": own,
                **_disk(growing),
            }
        )
        _keep(growing, f"{root}/{size}", last=size == sizes[-1])
    return figures


async def _fill(folder: str, first: int, chunks: int, meter: Meter) -> tuple[int, int]:
    """Write documents and close, so that what goes on behind is counted; return how many."""
    store = await open_at(folder)
    stream = corpus.documents(first, chunks)
    documents = held = 0
    while batch := meter.apart(lambda: list(islice(stream, _BATCH))):
        await store.truth.write(SCOPE, batch)
        documents += len(batch)
        held += sum(len(put.chunks) for put in batch)
    await store.admin.close()
    return documents, held


def _disk(folder: str) -> Figures:
    return {
        "truth_mb": folder_bytes(Path(folder), "truth.db*") / 1e6,
        "segments_mb": folder_bytes(Path(folder), "*.seg") / 1e6,
        "segments": len(list(Path(folder).rglob("*.seg"))),
    }


def _keep(growing: str, kept: str, *, last: bool) -> None:
    if last:
        Path(growing).rename(kept)
    else:
        shutil.copytree(growing, kept)


async def add(root: str, sizes: list[int]) -> list[Figures]:
    """Add the same documents one at a time to each store in turn: acknowledged, then visible."""
    stores = [await open_at(f"{root}/{size}") for size in sizes]
    for store in stores:
        await store.index.search(SCOPE, Query("none"))
    write: list[list[float]] = [[] for _ in sizes]
    show: list[list[float]] = [[] for _ in sizes]
    for put in islice(_several_chunks(), _ADDED):
        for at, store in enumerate(stores):
            begun = time.process_time()
            await store.truth.write(SCOPE, [put])
            written = time.process_time()
            await store.index.search(SCOPE, Query(filter=DocumentsAny((put.document.id,)), k=1))
            write[at].append((written - begun) * 1e3)
            show[at].append((time.process_time() - begun) * 1e3)
    for store in stores:
        await store.admin.close()
    return [
        {"written": _middles(own), "visible": _middles(shown)}
        for own, shown in zip(write, show, strict=True)
    ]


def _several_chunks() -> Iterator[Put]:
    numbers = iter(range(corpus.FRESH, corpus.FRESH + 10_000))
    return (put for put in map(corpus.document, numbers) if 4 <= len(put.chunks) <= 6)


def _middles(values: list[float]) -> Figures:
    return {"median": statistics.median(values), "mean": statistics.fmean(values)}


async def write_on(folder: str, first: int) -> None:
    """Write until killed; print the number of each batch's last document once it is durable."""
    store = await open_at(folder)
    number = first
    while True:
        batch = [corpus.document(number + at) for at in range(_BATCH // 4)]
        await store.truth.write(SCOPE, batch)
        number += len(batch)
        print(number - 1, flush=True)
