"""The whole measurement, in order: grow, check against brute force, time, compare, kill."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import report, task
from bench.clock import Figures

PEERS = ("FTS5", "tantivy", "LanceDB", "numpy")
_PEERS_UP_TO = 100_000
_OPENINGS = 3
_KILLS = 5


def main() -> None:
    """Measure and report."""
    options = _options()
    sizes = sorted({int(size) for size in options.sizes.split(",")})
    root = options.work or tempfile.mkdtemp(prefix="sextant-bench-")
    Path(root).mkdir(parents=True, exist_ok=True)
    try:
        results = measure(root, sizes, [] if options.no_peers else list(PEERS))
    finally:
        if not options.work:
            shutil.rmtree(root)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    report.show(results, PEERS)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="chunks, with commas")
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--work", help="an empty folder to work in, left as it is at the end")
    parser.add_argument("--no-peers", action="store_true", help="measure the store alone")
    return parser.parse_args()


def measure(root: str, sizes: list[int], peers: list[str]) -> dict[str, Any]:
    """Measure everything; the stores that are written to once more come last."""
    _say(f"ingest up to {sizes[-1]:,} chunks")
    grown = task.call("ingest", root=root, sizes=sizes)
    results = {str(size): {"ingest": one} for size, one in zip(sizes, grown, strict=True)}
    for size, figures in zip(sizes, results.values(), strict=True):
        figures |= _read(root, size)
        figures["peers"] = {name: _peer(root, name, size) for name in peers if size <= _PEERS_UP_TO}
    _say("add single documents")
    added = task.call("add", root=root, sizes=sizes)
    for size, figures, one in zip(sizes, results.values(), added, strict=True):
        figures["add"] = _as_multiples(one, added[0]) if len(sizes) > 1 else one
        figures["recovery"] = _recover(f"{root}/{size}")
    return results


def _read(root: str, size: int) -> dict[str, Any]:
    _say(f"brute force over {size:,} chunks")
    task.call("answer", root=root, size=size)
    _say(f"read from {size:,} chunks")
    opened = [task.timed_open(f"{root}/{size}") for _ in range(_OPENINGS)]
    return {
        "open": {name: statistics.median(one[name] for one in opened) for name in opened[0]},
        "resident": task.call("resident", root=root, size=size),
        "legs": task.call("legs", root=root, size=size),
        "bare": task.call("bare", root=root, size=size),
        "agreement": task.call("agreement", root=root, size=size),
    }


def _peer(root: str, name: str, size: int) -> Figures:
    _say(f"{name} with {size:,} chunks")
    figures: Figures = task.call("peer", root=root, name=name, size=size)
    shutil.rmtree(Path(root, f"{name}-{size}"))
    return figures


def _as_multiples(added: Figures, least: Figures) -> Figures:
    """Add what each step costs as a multiple of what it costs in the smallest store."""
    return {
        step: {**figures, "ratio": figures["mean"] / least[step]["mean"]}
        for step, figures in added.items()
    }


def _recover(folder: str) -> Figures:
    """Kill a writer again and again, and open after each kill."""
    _say(f"kill writers of {folder}")
    opened = []
    for number in range(_KILLS):
        last = task.kill_while_writing(folder, number)
        opened.append(task.timed_open(folder, last))
    seconds = [one["process_cpu_s"] for one in opened]
    return {
        "worst": max(seconds),
        "median": statistics.median(seconds),
        "found": sum(one["found"] for one in opened) / len(opened),
        "each": opened,
    }


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)
