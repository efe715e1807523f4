"""Fit the judge's coefficients: python bench/fit_judge.py --stores FOLDER

Every question of the public sets is asked twice, with its gold passages in the store and without;
so is every training question of the sample, and a part of the sets' questions once more of small
stores. The signs that the judge saw are fitted by a sum that may bend. Printed is how well a fit
to the other sets tells the two apart on each set; written is a fit to all of them. Stores are kept
in FOLDER for the next time.

The encoder was taught by the sample and by the organisations, so what it is sure of there says
nothing: both are asked with weights that were taught without them, and their rows given with
--also. Of an organisation's question the judge should know whether all was said.

    python bench/fit_judge.py sample --taught FOLD --stores KEPT-FOLD --rows sample.json
    python bench/unseen.py city games … --taught FOLD --stores KEPT-FOLD --rows unseen.json
    python bench/unseen.py city games … --few --taught FOLD --stores KEPT-FOLD --rows few.json
    python bench/fit_judge.py 2wiki hotpotqa musique scifact --stores KEPT --also *.json --write
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.bent import Fit
from bench.asking.curves import auroc
from bench.asking.few import few_rows_of
from bench.asking.fitting import fitted, left_out
from bench.asking.rows import Row, read_rows, rows_of, write_rows
from bench.asking.sample import NAME as SAMPLE
from bench.asking.sample import sample_rows
from bench.asking.sets import SETS
from bench.asking.taught import take_weights
from sextant.ask.judging.signs import NAMES
from sextant.ask.question import Question

TARGET = Path(__file__).parents[1] / "src/sextant/ask/judging/read.json"
_DAY = datetime(2026, 10, 31, tzinfo=UTC)
_ENOUGH = 0.5
"""From here on the evidence is more likely to be there than not."""


def main() -> None:
    """Ask, fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[SAMPLE, *SETS], help="What to ask.")
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--taught", type=Path, help="Weights of bench/teach.py to use instead.")
    parser.add_argument("--rows", type=Path, help="Keep what was asked here, and read it again.")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="More rows to fit to.")
    parser.add_argument("--limit", type=int, help="Questions of each set.")
    parser.add_argument("--write", action="store_true", help="Write the coefficients.")
    options = parser.parse_args()
    if options.taught:
        take_weights(options.taught)
    rows = _rows(options.sets, options.stores, options.rows, options.limit)
    rows += [row for path in options.also for row in read_rows(path)]
    names = sorted({row.set for row in rows})
    for name in names if len(names) > 1 else ():
        print(f"{name:14} AUROC when fitted to the others {_auroc(rows, name):.3f}")
    if options.write:
        _write(fitted(rows))


def _rows(sets: Sequence[str], stores: Path, kept: Path | None, limit: int | None) -> list[Row]:
    if kept and kept.exists():
        return read_rows(kept)
    rows = asyncio.run(_ask(sets, stores, limit))
    if kept:
        write_rows(kept, rows)
    return rows


async def _ask(sets: Sequence[str], stores: Path, limit: int | None) -> list[Row]:
    rows: list[Row] = []
    for name in sets:
        if name == SAMPLE:
            rows += await sample_rows(stores, Question("", now=_DAY))
        else:
            rows += await rows_of(name, stores, limit)
            rows += await few_rows_of(name, stores)
        print(f"{name}: asked", flush=True)
    return rows


def _auroc(rows: Sequence[Row], name: str) -> float:
    held = [row.held for row in rows if row.set == name]
    pairs = list(zip(held, left_out(rows, name), strict=True))
    return auroc([own for one, own in pairs if one], [own for one, own in pairs if not one])


def _write(found: Fit) -> None:
    known = {"bias": found.bias, "threshold": _ENOUGH, "weights": _named(found.weights)}
    bends = [
        {"bias": one.bias, "height": one.height, "weights": _named(one.weights)}
        for one in found.bends
    ]
    TARGET.write_text(json.dumps(_rounded({**known, "bends": bends}), indent=1) + "\n")


def _named(weights: Sequence[float]) -> dict[str, float]:
    return dict(zip(NAMES, weights, strict=True))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, 4)


if __name__ == "__main__":
    main()
