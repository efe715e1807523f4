"""Choose when a sentence counts as said by what it cites: ``python bench/grounding.py``

Pairs are made from the sample knowledge: its sentences, light paraphrases of them and answers that
people wrote (said), and the same with a number, a name, a negation or more changed (not said). The
thresholds are chosen on half of the documents, and the figures are those of the other half.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from bench.grounded.pairs import Pair, pairs_of
from sextant.ask.evaluate.cases import Case, read_cases
from sextant.ask.grounding.checking import nearness
from sextant.ask.grounding.evidence import pieces_of
from sextant.ask.grounding.support import DOUBTFUL, NEAR, SURE, support
from sextant.build import open_embedder, open_sextant
from sextant.settings import Settings, load
from sextant.text.words import Words
from sextant.types import OPERATOR, Passage, Scope

SCOPE = Scope(roles=frozenset({OPERATOR}))


@dataclass(frozen=True, slots=True)
class Measured:
    """A pair, its share of words, and how near in sense it lies."""

    pair: Pair
    share: float
    near: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on a sentence is said, is doubtful, and is near enough."""

    sure: float
    doubtful: float
    near: float

    def lets(self, one: Measured) -> bool:
        """Whether a sentence gets through."""
        in_doubt = self.doubtful <= one.share < self.sure and one.near >= self.near
        return one.share >= self.sure or in_doubt


def main() -> None:
    """Measure, choose, and print what that does to sentences that nobody chose by."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", default="", help="Print the mistakes of this kind.")
    options = parser.parse_args()
    measured = asyncio.run(_measure())
    train = [one for one in measured if not one.pair.is_test]
    test = [one for one in measured if one.pair.is_test]
    shipped, chosen = Thresholds(SURE, DOUBTFUL, NEAR), _choose(train)
    print(f"pairs: {len(train)} for training, {len(test)} for testing")
    print(f"chosen on training: {chosen}\nshipped:            {shipped}")
    for name, rows in (("training", train), ("test", test)):
        print(f"\n{name}, as shipped: {_figures(shipped, rows)}")
    words_alone = Thresholds(SURE, SURE, 2.0)
    print(f"test, by words alone: {_figures(words_alone, test)}")
    _print_kinds(shipped, test)
    for one in measured:
        if one.pair.made == options.show and shipped.lets(one) != one.pair.is_said:
            print(f"{one.share:.2f} {one.near:.2f} {one.pair.text}")


async def _measure() -> list[Measured]:
    words, embedder = Words(), open_embedder(Settings())
    measured = []
    for pair in pairs_of(await _passages(), _cases()):
        pieces = [piece for one in pair.cited for piece in pieces_of(one, words)]
        found = support(pair.text, pieces, words)
        near = await nearness(embedder, found) if 0.3 < found.share < 1 else 0.0
        measured.append(Measured(pair, found.share, near))
    await embedder.close()
    return measured


async def _passages() -> list[Passage]:
    """Return the chunks of the sample knowledge as they are taken in."""
    with tempfile.TemporaryDirectory() as folder, as_file(files("sextant") / "sample") as sample:
        given = {"SEXTANT_STORE": f"sqlite:{folder}/store", "SEXTANT_EMBEDDER": "tiny:16"}
        async with await open_sextant(load(sample, given).settings) as sextant:
            await sextant.ingest(SCOPE, [str(sample / "knowledge")])
            told = sextant.export(SCOPE, vectors=False)
            ids = [str(record["id"]) async for kind, record in told if kind == "chunks"]
            found = await sextant.store.truth.passages(SCOPE, ids)
    return [found[one] for one in sorted(found)]


def _cases() -> list[Case]:
    text = (files("sextant") / "sample" / "questions.jsonl").read_text(encoding="utf-8")
    return [case for case in read_cases(text) if case.is_answerable]


def _choose(rows: Sequence[Measured]) -> Thresholds:
    """Return the thresholds with the best F½: what gets through wrongly weighs twice."""
    grid = product(np.arange(0.7, 1.01, 0.05), np.arange(0.6, 1.01, 0.1), np.arange(0.5, 1.0, 0.05))
    ways = [Thresholds(*(round(float(one), 2) for one in way)) for way in grid if way[1] <= way[0]]
    return max(ways, key=lambda way: (round(_f_half(way, rows), 4), way.sure, way.near))


def _f_half(way: Thresholds, rows: Sequence[Measured]) -> float:
    """Return F½ as if as many sentences were said as not."""
    recall, false = _rates(way, rows)
    precision = recall / (recall + false)
    return 1.25 * precision * recall / (0.25 * precision + recall)


def _rates(way: Thresholds, rows: Sequence[Measured]) -> tuple[float, float]:
    """Return the share of what is said, and of what is not, that gets through."""
    said = [way.lets(one) for one in rows if one.pair.is_said]
    unsaid = [way.lets(one) for one in rows if not one.pair.is_said]
    return float(np.mean(said)), float(np.mean(unsaid))


def _figures(way: Thresholds, rows: Sequence[Measured]) -> str:
    recall, false = _rates(way, rows)
    right = sum(way.lets(one) for one in rows if one.pair.is_said)
    wrong = sum(way.lets(one) for one in rows if not one.pair.is_said)
    told = f"precision {right / (right + wrong):.3f}, recall {recall:.3f}"
    return f"{told}, unsaid let through {false:.3f} (of as many: {recall / (recall + false):.3f})"


def _print_kinds(way: Thresholds, rows: Sequence[Measured]) -> None:
    kinds = dict.fromkeys((not one.pair.is_said, one.pair.made) for one in rows)
    for is_wrong, made in sorted(kinds):
        own = [one for one in rows if one.pair.made == made]
        through = sum(map(way.lets, own))
        print(
            f"  {'not said' if is_wrong else 'said':9} {made:18} {through:4} of {len(own):4} pass"
        )


if __name__ == "__main__":
    main()
