"""Fit the judge's coefficients: python bench/fit_judge.py --stores FOLDER

Every question of the public sets is asked twice, with its gold passages in the store and without;
so is every training question of the sample. The signs that the judge saw are fitted by logistic
regression, each set counting the same. Printed is how well a fit to the other sets tells the two
apart on each set; written is a fit to all of them. Stores are kept in FOLDER for the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.curves import auroc
from bench.asking.fitting import fitted, left_out, signs
from bench.asking.logistic import Fit
from bench.asking.rows import Row, rows_of
from bench.asking.sample import NAME, sample_rows
from bench.asking.sets import SETS
from sextant.ask.judging.signs import NAMES
from sextant.ask.question import Question

TARGET = Path(__file__).parents[1] / "src/sextant/ask/judging/coefficients.json"
_DAY = datetime(2026, 10, 31, tzinfo=UTC)
_WRONG = 4.0
"""An answer that should not have been given costs as much as so many that were held back."""


def main() -> None:
    """Ask, fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--rows", type=Path, help="Keep what was asked here, and read it again.")
    parser.add_argument("--limit", type=int, help="Questions of each set.")
    parser.add_argument("--write", action="store_true", help="Write the coefficients.")
    options = parser.parse_args()
    rows = _rows(options.stores, options.rows, options.limit)
    for name in sorted({row.set for row in rows}):
        print(f"{name:10} AUROC when fitted to the others {_auroc(rows, name):.3f}")
    found = fitted(rows)
    threshold = _threshold(rows, found)
    for name, weight in zip(NAMES, found.weights, strict=True):
        print(f"{name:20} {weight:8.3f}")
    print(f"threshold {threshold}")
    if options.write:
        _write(found, threshold)


def _rows(stores: Path, kept: Path | None, limit: int | None) -> list[Row]:
    if kept and kept.exists():
        return [Row(**one) for one in json.loads(kept.read_text())]
    rows = asyncio.run(_ask(stores, limit))
    if kept:
        kept.write_text(json.dumps([asdict(row) for row in rows]))
    return rows


async def _ask(stores: Path, limit: int | None) -> list[Row]:
    rows = await sample_rows(stores, Question("", now=_DAY))
    for name in SETS:
        rows += await rows_of(name, stores, limit)
        print(f"{name}: asked", flush=True)
    return rows


def _auroc(rows: Sequence[Row], name: str) -> float:
    held = [row.held for row in rows if row.set == name]
    pairs = list(zip(held, left_out(rows, name), strict=True))
    return auroc([own for one, own in pairs if one], [own for one, own in pairs if not one])


def _threshold(rows: Sequence[Row], found: Fit) -> float:
    """Return from which confidence on to answer, by what the sample's training questions cost."""
    own = [row for row in rows if row.set == NAME]
    confidence, held = found.confidence(signs(own)), np.array([row.held for row in own])
    right = held & np.array([row.cites_gold for row in own])
    costs = {
        share: _WRONG * np.mean(confidence[~held] >= share) + np.mean(confidence[right] < share)
        for share in np.round(np.arange(0.05, 0.96, 0.01), 2).tolist()
    }
    least = min(costs.values())
    return float(np.median([share for share, cost in costs.items() if cost == least]))


def _write(found: Fit, threshold: float) -> None:
    weights = {name: round(one, 4) for name, one in zip(NAMES, found.weights, strict=True)}
    known = {"bias": round(found.bias, 4), "threshold": threshold, "weights": weights}
    TARGET.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
