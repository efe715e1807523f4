"""Fit what tells that a passage holds the answer: python bench/fit_blocks.py --stores FOLDER

Every question of bench/documentation is asked; the signs of the passages that were found are fitted
so that those which hold the answer are the likeliest. Printed is, for each set, what a fit to the
other three makes of it; written is a fit to all of them. Stores are kept in FOLDER.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.documentation.packages import HERE, names, pages_of
from sextant.ask.blocks import compose
from sextant.ask.blocks.choose import Likely, likely
from sextant.ask.blocks.signs import NAMES, PassageSigns
from sextant.ask.evaluate.score import holds, is_named
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.settings import Settings
from sextant.types import Hit, Scope

TARGET = Path(__file__).parents[1] / "src/sextant/ask/blocks/fitted.json"
_SHRINKAGE = 3.0
"""Of 1, 3 and 8 the sets that are left out have hardly another likelihood: 0.941, 0.934, 0.932."""

_STEPS, _RATE = 500, 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """The signs of the passages that a question found, and which of them hold the answer."""

    signs: np.ndarray
    right: np.ndarray


def main() -> None:
    """Ask, fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="Write the coefficients.")
    options = parser.parse_args()
    rows = {name: asyncio.run(_asked(name, options.stores)) for name in names()}
    for name, own in rows.items():
        others = [one for other in rows if other != name for one in rows[other]]
        print(f"{name:22} left out: {_summary(own, fit(others))}")
    every = [one for own in rows.values() for one in own]
    weights = fit(every)
    print(f"{'all':22} fitted:   {_summary(every, weights)}")
    told = {name: round(float(own), 2) for name, own in zip(NAMES, weights, strict=True)}
    print(json.dumps(told))
    if options.write:
        TARGET.write_text(json.dumps({"weights": told}, indent=1) + "\n")


async def _asked(name: str, folder: Path) -> list[Asked]:
    """Ask the questions of a set that have an answer."""
    cases = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    async with await store_of(name, folder) as sextant:
        found = [await _signs(sextant, case) for case in cases if case["kind"] != "unanswerable"]
    return [one for one in found if one is not None]


async def store_of(name: str, folder: Path) -> Sextant:
    """Return a store of a set, which is made where there is none yet."""
    store = folder / name / "store"
    is_new = not store.exists()
    sextant = await open_sextant(replace(Settings(), store=f"sqlite:{store}"))
    if is_new:
        await sextant.ingest(Scope(), [str(pages_of(name, folder))])
    return sextant


async def _signs(sextant: Sextant, case: Mapping[str, Any]) -> Asked | None:
    seen: list[Asked] = []

    def listen(
        hits: Sequence[Hit], signs: Sequence[PassageSigns], worths: Sequence[float]
    ) -> list[Likely]:
        right = np.array([_holds_answer(case, hit) for hit in hits])
        seen.append(Asked(np.array([one.row() for one in signs]), right))
        return likely(hits, signs, worths)

    with patch.object(compose, "likely", listen):
        await sextant.ask(Scope(), case["question"])
    return seen[0] if seen else None


def _holds_answer(case: Mapping[str, Any], hit: Hit) -> bool:
    """Whether a passage has all that must be told; of two pages, what is quoted of one."""
    text, document = hit.passage.chunk.text, hit.passage.document.id
    if case["kind"] == "two-page":
        is_page = any(is_named(path, document) for path in case["documents"])
        return is_page and any(_folded(one) in _folded(text) for one in case["quotes"].values())
    return is_named(case["documents"][0], document) and all(
        holds(text, one) for one in case["must"]
    )


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def fit(rows: Sequence[Asked]) -> np.ndarray:
    """Return what each sign counts for, so that what is right is as likely as it gets."""
    every = np.concatenate([one.signs for one in rows])
    scale = every.std(axis=0) + 1e-6
    weights, mean, square = (np.zeros(len(NAMES)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        slope = _SHRINKAGE * weights / len(rows) - sum(
            _pull(one.signs / scale, one.right, weights) for one in rows
        ) / len(rows)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    fitted: np.ndarray = weights / scale
    return fitted


def _pull(signs: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return in which direction the right passages of a question become more likely."""
    if not right.any():
        return np.zeros_like(weights)
    shares = _shares(signs @ weights)
    own = shares * right / (shares * right).sum()
    pull: np.ndarray = (own - shares) @ signs
    return pull


def _shares(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    shares: np.ndarray = raised / raised.sum()
    return shares


def _summary(rows: Sequence[Asked], weights: np.ndarray) -> str:
    """Return how likely the right passages are, and how often one is among the first."""
    orders = [one.right[np.argsort(-(one.signs @ weights))] for one in rows]
    among = [sum(bool(own[:most].any()) for own in orders) for most in (1, 2, 3)]
    asked = [one for one in rows if one.right.any()]
    missed = [-np.log((_shares(one.signs @ weights) * one.right).sum()) for one in asked]
    return f"of {len(rows)} among the first 1, 2, 3: {among}, log loss {np.mean(missed):.3f}"


if __name__ == "__main__":
    main()
