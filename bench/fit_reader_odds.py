"""Fit how odds are to be read that MiniLM's net tells of the reader's pieces.

Every question of bench/documentation is searched for in a store of its set; MiniLM and the reader
both read the pieces of what is found. What the net says of MiniLM's pieces was fitted to questions,
so it is taken for right; fitted are a factor and a shift that make of the odds of the reader's
pieces the likeliest reading of it. Printed is what a fit to the other sets comes to on each.

    python bench/fit_reader_odds.py --stores FOLDER

Stores are kept in FOLDER, where bench/fit_blocks.py puts them, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.documentation.packages import HERE, names
from bench.fit_blocks import store_of
from sextant.build import open_embedder
from sextant.core import Sextant
from sextant.llms.minilm.answers import log_odds
from sextant.ports import DiscerningEmbedder
from sextant.settings import Settings
from sextant.text.passages import Embeddable, embeddable
from sextant.types import Scope

_FOUND = 20
_STEPS = 2_000
_RATE = 0.02

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Told:
    """The odds of the same pieces, as MiniLM has them and as the reader has them."""

    right: Floats
    own: Floats


def main() -> None:
    """Ask, fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stores", type=Path, required=True)
    options = parser.parse_args()
    told = {name: asyncio.run(_told(name, options.stores)) for name in names()}
    for name, own in told.items():
        others = _together([one for other, one in told.items() if other != name])
        print(f"{name:22} left out: {_summary(own, *fit(others))}")
    every = _together(list(told.values()))
    factor, shift = fit(every)
    print(f"{'all':22} fitted:   {_summary(every, factor, shift)}")
    print(f"factor {factor:.2f}, shift {shift:.2f}")


def fit(told: Told) -> tuple[float, float]:
    """Return the factor and the shift by which the odds are the likeliest."""
    right = _likelihood(told.right)
    learnt, mean, square = np.array([1.0, 0.0]), np.zeros(2), np.zeros(2)
    for step in range(1, _STEPS + 1):
        missed = _likelihood(learnt[0] * told.own + learnt[1]) - right
        slope = np.array([(missed * told.own).mean(), missed.mean()])
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        root = np.sqrt(square / (1 - 0.999**step)) + 1e-12
        learnt -= _RATE * mean / (1 - 0.9**step) / root
    return float(learnt[0]), float(learnt[1])


def _summary(told: Told, factor: float, shift: float) -> str:
    right = _likelihood(told.right)
    losses = [_loss(right, own) for own in (told.own, factor * told.own + shift, told.right)]
    before, after, least = losses
    alike = float(np.corrcoef(told.right, told.own)[0, 1])
    return f"log loss {before:.5f} → {after:.5f}, at best {least:.5f}; correlation {alike:.3f}"


def _loss(right: Floats, odds: Floats) -> float:
    return float((np.logaddexp(0, odds) - right * odds).mean())


def _likelihood(odds: Floats) -> Floats:
    likely: Floats = 1 / (1 + np.exp(-odds))
    return likely


def _together(told: Sequence[Told]) -> Told:
    return Told(
        np.concatenate([one.right for one in told]), np.concatenate([one.own for one in told])
    )


async def _told(name: str, folder: Path) -> Told:
    cases = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    minilm, reader = (_opened(scheme) for scheme in ("minilm:", "bge-fast:"))
    async with await store_of(name, folder) as sextant:
        found = {case["question"]: await _found(sextant, case["question"]) for case in cases}
    texts = list(dict.fromkeys(text for own in found.values() for text in own))
    pieces = [await _pieces(one, texts) for one in (minilm, reader)]
    told = []
    for question, own in found.items():
        (asked,) = await minilm.embed([question], "query")
        codes = [np.concatenate([by_text[text] for text in own]) for by_text in pieces]
        told.append(Told(*(log_odds(asked, one).astype(np.float64) for one in codes)))
    await minilm.close()
    await reader.close()
    return _together(told)


def _opened(scheme: str) -> DiscerningEmbedder:
    embedder = open_embedder(Settings(embedder=scheme))
    assert isinstance(embedder, DiscerningEmbedder)
    return embedder


async def _found(sextant: Sextant, question: str) -> list[Embeddable]:
    ranked = await sextant.search(Scope(), question)
    passages = [hit.passage for hit in ranked.hits[:_FOUND]]
    return [embeddable(one.document, one.chunk) for one in passages]


async def _pieces(
    embedder: DiscerningEmbedder, texts: Sequence[Embeddable]
) -> dict[Embeddable, NDArray[np.int8]]:
    whole, places = [one.text for one in texts], [one.places for one in texts]
    _, codes = await embedder.embed_pieces(whole, places)
    return dict(zip(texts, codes, strict=True))


if __name__ == "__main__":
    main()
