"""One store that grows source by source, and what a document more costs when it is large.

The set is taken in ten parts. The first and the last parts come one by one, each a folder of its
own, so that the same documents (under other names) meet a small and a large store; what lies
between comes in folders of up to a whole set, as copies of it.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.clock import Figures, memory
from bench.ingesting import documents
from bench.ingesting.cost import Cost, cpu_seconds
from bench.ingesting.whole import SCOPE, SETTINGS, counted, figured, open_at
from sextant.ingest.flow import AS_USUAL, ingest
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.sources import place_of

PARTS, SINGLE = 10, 4
_CHUNKS_OF_SET = 26_600
_ADDED, _BY_COMMAND = 12, 3


@dataclass(frozen=True, slots=True)
class Slice:
    """What is added at once: some parts of one copy."""

    copy: int
    parts: Sequence[int]

    def write(self, root: Path) -> Path:
        """Write its documents into a folder of its own."""
        name = f"copy-{self.copy}-parts-{self.parts[0]}-to-{self.parts[-1]}"
        for number in self.parts:
            own = documents.part(documents.pages(), number, PARTS)
            documents.write((documents.copy(page, self.copy) for page in own), root / name)
        return root / name


def slices(chunks: int) -> Iterator[Slice]:
    """Yield what to add until there are so many chunks."""
    single = [[number] for number in range(SINGLE)]
    last = max(1, round((chunks - _CHUNKS_OF_SET * SINGLE / PARTS) / _CHUNKS_OF_SET))
    yield from (Slice(0, one) for one in single)
    yield Slice(0, range(SINGLE, PARTS))
    yield from (Slice(copy, range(PARTS)) for copy in range(1, last))
    yield from (Slice(last, one) for one in single)


async def grow(root: str, chunks: int) -> Figures:
    """Let one store grow, each slice from opening to closing; keep it small and large."""
    store, held, steps = f"{root}/large", 0, list[Figures]()
    for one in slices(chunks):
        folder = one.write(Path(root))
        with Cost() as cost:
            opened = await open_at(store)
            keeper = Keeper(opened, None, SCOPE)
            report = await ingest(keeper, [place_of(str(folder))], AS_USUAL, SETTINGS)
            await opened.admin.close()
        step = {
            **counted(report),
            **figured(cost, report),
            "copy": one.copy,
            "parts": list(one.parts),
            "held_before": held,
            "ms_per_chunk": cost.cpu_s * 1e3 / report.chunks,
            "ms_per_document": cost.cpu_s * 1e3 / report.written,
            "peak_mb": memory()["VmHWM"],
            "left_mb": memory()["RssAnon"],
        }
        held += report.chunks
        steps.append(step)
        shutil.rmtree(folder)
        _say(f"{held:,} chunks, {step['ms_per_chunk']:.2f} CPU ms a chunk")
        if len(steps) == 1:
            shutil.copytree(store, f"{root}/small")
    return {"slices": steps, "ratio": _ratio(steps), "copies": steps[-1]["copy"] + 1}


def _ratio(steps: Sequence[Figures]) -> float:
    """Compare the parts that came to a small store with the same ones that came last.

    The very first does not count: nothing was there, not even the database.
    """
    return _seconds_a_chunk(steps[1 - SINGLE :]) / _seconds_a_chunk(steps[1:SINGLE])


def _seconds_a_chunk(steps: Sequence[Figures]) -> float:
    return float(sum(one["cpu_s"] for one in steps) / sum(one["chunks"] for one in steps))


async def add_one(root: str, copy: int) -> Figures:
    """Add the same new documents one by one to a small and a large store."""
    files = list(_new_files(Path(root, "new"), copy))
    places = {"small": Path(root, "small"), "large": Path(root, "large")}
    figures: Figures = {name: await _in_one_process(str(at), files) for name, at in places.items()}
    for name, at in places.items():
        figures[name]["command"] = _by_command(at, files[_ADDED:])
    return figures


def _new_files(folder: Path, copy: int) -> Iterator[Path]:
    """Write documents of a copy that is not there yet, each a source with a name of its own."""
    chosen = [one for one in documents.pages() if 4_000 <= len(one.text) <= 8_000]
    every = len(chosen) // (_ADDED + _BY_COMMAND)
    for number, page in enumerate(chosen[::every][: _ADDED + _BY_COMMAND]):
        made = documents.copy(page, copy)
        written = documents.write([made], folder / f"source-{number}") / page.path
        yield written.rename(written.with_name(f"{number}-{written.name}"))


async def _in_one_process(store: str, files: Sequence[Path]) -> Figures:
    """Add by calling ingest again and again, as a server or a watcher does."""
    opened = await open_at(store)
    keeper = Keeper(opened, None, SCOPE)
    first, *rest = [await _added(keeper, file) for file in files[:_ADDED]]
    await opened.admin.close()
    return {
        "first_ms": first,
        "median_ms": statistics.median(rest),
        "mean_ms": statistics.fmean(rest),
        "peak_mb": memory()["VmHWM"],
    }


async def _added(keeper: Keeper, file: Path) -> float:
    with Cost() as cost:
        await ingest(keeper, [place_of(str(file))], AS_USUAL, SETTINGS)
    return cost.cpu_s * 1e3


def _by_command(store: Path, files: Sequence[Path]) -> float:
    """Add by the command line, which starts, embeds and ends; return the median of CPU ms."""
    taken = []
    quiet = {**os.environ, "SEXTANT_STORE": f"sqlite:{store}"}
    for file in files:
        before = cpu_seconds()
        command = [sys.executable, "-m", "sextant", "ingest", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=store.parent, env=quiet)
        taken.append((cpu_seconds() - before) * 1e3)
    return statistics.median(taken)


def _say(what: str) -> None:
    print(f"…   {what}", file=sys.stderr, flush=True)
