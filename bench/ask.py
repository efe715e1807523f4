"""Measure what an answer costs, step by step: ``python bench/ask.py --sizes 10000,100000``.

The corpus is that of ``bench/store.py``: real sentences, titles and questions, with made-up
vectors, of the pieces too. CPU time is that of the whole process, threads included. Stores are
kept with --stores.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import corpus, real
from bench.asking.sets import SCOPE, settings
from sextant.ask import flow
from sextant.ask.question import Means, Question
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.retrieval.feedback.folding import Folded
from sextant.text.passages import embeddables
from sextant.text.words import Words
from sextant.types import Answer, Pieces, Put

_BATCH = 200
_WARM_UP = 20


def main() -> None:
    """Measure at every size, and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--stores", type=Path, help="Keep the stores here.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, options.sizes.split(",")):
            place = (options.stores or Path(folder)) / f"ask-{size}"
            asyncio.run(_measure(place, size, options.questions))


async def _measure(place: Path, size: int, count: int) -> None:
    async with await open_sextant(settings(place)) as sextant:
        await _fill(sextant, size)
        words = Words(sextant.settings.keyword.language)
        means = Means(sextant.store, sextant.embedder, sextant.settings, words, time.process_time)
        asked = real.questions(count + _WARM_UP)
        for text in asked[:_WARM_UP]:
            await flow.ask(means, SCOPE, Question(text), Folded())
        costs, answers = [], []
        for text in asked[_WARM_UP:]:
            begun = time.process_time()
            answers.append(await flow.ask(means, SCOPE, Question(text), Folded()))
            costs.append(1000 * (time.process_time() - begun))
    _print(size, costs, answers)


async def _fill(sextant: Sextant, size: int) -> None:
    if (await sextant.store.truth.counts(SCOPE)).chunks >= size:
        return
    batch, dice = [], np.random.default_rng(size)
    for put in corpus.documents(0, size):
        batch.append(_with_pieces(put, dice))
        if len(batch) == _BATCH:
            await sextant.write(SCOPE, batch)
            batch = []
    await sextant.write(SCOPE, batch)


def _with_pieces(put: Put, dice: np.random.Generator) -> Put:
    """Give every piece a vector, as an embedder would that reads the text."""
    spans = [np.array(one.spans, np.int32).reshape(-1, 2) for one in embeddables(put)]
    codes = [dice.integers(-127, 128, (len(own), corpus.WIDTH), np.int8) for own in spans]
    return replace(put, pieces=tuple(map(Pieces, spans, codes)))


def _print(size: int, costs: list[float], answers: list[Answer]) -> None:
    steps: dict[str, float] = defaultdict(float)
    for answer in answers:
        for step in answer.trace.steps:
            steps[step.name] += step.milliseconds / len(answers)
    spread = statistics.quantiles(costs, n=20)
    print(f"\n{size} chunks, {len(costs)} questions, CPU ms an answer")
    print(f"median {statistics.median(costs):.1f}  mean {statistics.fmean(costs):.1f}", end="  ")
    print(f"of twenty the slowest {spread[-1]:.1f}")
    for name, cost in steps.items():
        print(f"  {name:10} {cost:6.2f}")


if __name__ == "__main__":
    main()
