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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.curves import auroc
from bench.asking.fitting import fitted, left_out
from bench.asking.logistic import Fit
from bench.asking.rows import Row, rows_of
from bench.asking.sample import sample_rows
from bench.asking.sets import SETS
from sextant.ask.judging.signs import NAMES
from sextant.ask.question import Question

TARGET = Path(__file__).parents[1] / "src/sextant/ask/judging/coefficients.json"
_DAY = datetime(2026, 10, 31, tzinfo=UTC)
_ENOUGH = 0.5
"""From here on the evidence is more likely to be there than not."""


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
    for name, weight in zip(NAMES, found.weights, strict=True):
        print(f"{name:20} {weight:8.3f}")
    if options.write:
        _write(found)


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


def _write(found: Fit) -> None:
    weights = {name: round(one, 4) for name, one in zip(NAMES, found.weights, strict=True)}
    known = {"bias": round(found.bias, 4), "threshold": _ENOUGH, "weights": weights}
    TARGET.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
