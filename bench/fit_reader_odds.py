"""Fit how odds are to be read that MiniLM's net tells of the reader's pieces.

Every question of bench/documentation is searched for in a store of its set; MiniLM and the reader
both read the pieces of what is found. The reader's pieces lie a little nearer to the middle, so the
best of them get lower odds than MiniLM's: fitted are a factor and a shift by which the best five of
each question have MiniLM's mean and spread. Printed is what a fit to the other sets makes of each.

    python bench/fit_reader_odds.py --stores FOLDER

Stores are kept in FOLDER, where bench/fit_answers.py puts them, too.
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

from bench.asking.asked import store_of
from bench.documentation.packages import HERE, names
from sextant.build import open_embedder
from sextant.core import Sextant
from sextant.llms.minilm.answers import log_odds
from sextant.ports import DiscerningEmbedder
from sextant.settings import Settings
from sextant.text.passages import Embeddable, embeddable
from sextant.types import Scope

_FOUND = 20
_BEST = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Told:
    """The best odds of each question, as MiniLM has them and as the reader has them."""

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
    """Return the factor and the shift that give the odds the mean and spread of MiniLM's."""
    factor = float(told.right.std() / told.own.std())
    return factor, float(told.right.mean() - factor * told.own.mean())


def _summary(told: Told, factor: float, shift: float) -> str:
    fitted = factor * told.own + shift
    means = [f"{one.mean():.2f} ± {one.std():.2f}" for one in (told.own, fitted, told.right)]
    alike = float(np.corrcoef(told.right, told.own)[0, 1])
    return f"{means[0]} → {means[1]}, MiniLM {means[2]}; correlation {alike:.3f}"


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
        told.append(Told(*(_best(log_odds(asked, one)) for one in codes)))
    await minilm.close()
    await reader.close()
    return _together(told)


def _best(odds: NDArray[np.float32]) -> Floats:
    best: Floats = np.sort(odds)[-_BEST:].astype(np.float64)
    return best


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
