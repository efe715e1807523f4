"""The whole measurement of ingest, in order: the set, again, with vectors, growing, the peers."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.clock import Figures
from bench.ingesting import apart, documents, tables
from bench.ingesting.peers import PEERS

_EVERY = 80
"""Of so many documents one is embedded; together they make about the chunks that are wanted."""
_QUICK_GROWTH = 20_000
_QUICK_PARTS = 5


def main() -> None:
    """Measure and report."""
    options = _options()
    root = Path(tempfile.mkdtemp(prefix="sextant-bench-ingest-"))
    try:
        results = _measure(root, options)
    finally:
        shutil.rmtree(root)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    tables.show(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the set, less growth")
    parser.add_argument("--no-peers", action="store_true", help="measure Sextant alone")
    parser.add_argument("--peers-python", default=sys.executable, help="where the peers are")
    parser.add_argument("--growth", type=int, help="chunks to grow to; 0 leaves it out")
    parser.add_argument("--json", help="write every figure to this file")
    options = parser.parse_args()
    if options.growth is None:
        options.growth = _QUICK_GROWTH if options.quick else 100_000
    return options


def _measure(root: Path, options: argparse.Namespace) -> dict[str, Any]:
    results: dict[str, Any] = {"sample": _sample(root)}
    if not documents.available():
        _say(f"There is no {documents.SET.name} beside the checkout: only the sample is measured.")
        return results
    whole = documents.pages()
    chosen = documents.part(whole, 0, _QUICK_PARTS) if options.quick else list(whole)
    source = documents.write(chosen, root / "k8s-docs")
    results["set"] = _set(root, source)
    results["set"]["embedded"] = _embedded(root)
    if not options.no_peers:
        results["peers"] = {name: _peer(root, name, source, options.peers_python) for name in PEERS}
    if options.growth:
        results["growth"] = _growth(root, options.growth)
        if not options.quick:
            results["growth"] |= _whole_ratio(results["growth"], results["set"]["first"])
    return results


def _sample(root: Path) -> Figures:
    _say("the sample knowledge, without vectors and with them")
    source = str(documents.SAMPLE)
    return {
        "first": apart.call("take_in", store=str(root / "sample"), source=source),
        "again": apart.call("take_in", store=str(root / "sample"), source=source),
        "embedded": apart.call("embedded", store=str(root / "embedded-sample"), source=source),
    }


def _set(root: Path, source: Path) -> Figures:
    _say("the whole set, then again, then step by step")
    first = apart.call("take_in", store=str(root / "set"), source=str(source))
    again = apart.call("take_in", store=str(root / "set"), source=str(source))
    steps = apart.call("stages", store=str(root / "staged"), source=str(source))
    shutil.rmtree(root / "set")
    shutil.rmtree(root / "staged")
    return {"first": first, "again": again, "stages": steps}


def _embedded(root: Path) -> Figures:
    _say("a sample of it with vectors, and the same without")
    chosen = documents.pages()[::_EVERY]
    source = str(documents.write(chosen, root / "some"))
    plain = apart.call("take_in", store=str(root / "plain-some"), source=source)
    figures: Figures = apart.call("embedded", store=str(root / "embedded-some"), source=source)
    return {**figures, "plain_cpu_s": plain["cpu_s"]}


def _growth(root: Path, chunks: int) -> Figures:
    _say(f"growth to {chunks:,} chunks")
    place = root / "growth"
    place.mkdir()
    grown: Figures = apart.call("grow", root=str(place), chunks=chunks)
    _say("single documents")
    grown["one"] = apart.call("add_one", root=str(place), copy=grown["copies"])
    return grown


def _whole_ratio(grown: Figures, first: Figures) -> Figures:
    """Compare the last copy that was added at once with the set in an empty store."""
    steps = [one for one in grown["slices"] if one["documents"] == first["documents"]]
    if not steps:
        return {}
    return {"whole_ratio": first["chunks_per_cpu_s"] / steps[-1]["chunks_per_cpu_s"]}


def _peer(root: Path, name: str, source: Path, python: str) -> Figures:
    _say(name)
    folder = root / name
    folder.mkdir()
    try:
        figures: Figures = apart.call(
            "peer", python=python, name=name, source=str(source), folder=str(folder)
        )
    except subprocess.CalledProcessError:  # what it said of itself stands on the screen
        figures = {"missing": "it failed"}
    shutil.rmtree(folder)
    return figures


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)
