"""Measure whether the confidence knows what is missing: python bench/abstain.py --stores FOLDER

Every question of the public sets is asked twice: of a store that holds its gold passages, and of
one that does not. AUROC says how often the first answer is the surer one; the curve says how many
answers are wrong when only the surest are given. Wrong is an answer that cites no gold passage.
Nothing was fitted to these sets.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.curves import (
    Point,
    at_coverages,
    auroc,
    miscalibration,
    picture,
    risk_by_coverage,
)
from bench.asking.rows import Row, read_rows, rows_of, write_rows
from bench.asking.sets import SETS

_COVERAGES = (0.1, 0.25, 0.5, 0.75, 1.0)


def main() -> None:
    """Ask, print a table, and draw the curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--rows", type=Path, help="Keep what was asked here, and read it again.")
    parser.add_argument("--limit", type=int, help="Questions of each set.")
    parser.add_argument("--picture", type=Path, default=Path("bench/abstain.svg"))
    options = parser.parse_args()
    rows = _rows(options)
    curves: dict[str, Sequence[Point]] = {}
    for name in options.sets:
        own = [row for row in rows if row.set == name]
        confidence = [row.confidence for row in own]
        curves[name] = risk_by_coverage(confidence, [not row.cites_gold for row in own])
        _print(name, own, confidence, curves[name])
    options.picture.write_text(picture(curves))
    print(f"drawn in {options.picture}")


def _rows(options: argparse.Namespace) -> list[Row]:
    if options.rows and options.rows.exists():
        return read_rows(options.rows)
    rows = [
        row
        for name in options.sets
        for row in asyncio.run(rows_of(name, options.stores, options.limit))
    ]
    if options.rows:
        write_rows(options.rows, rows)
    return rows


def _print(
    name: str, rows: Sequence[Row], confidence: Sequence[float], curve: Sequence[Point]
) -> None:
    held, without = ([row for row in rows if row.held == own] for own in (True, False))
    told = [row for row in rows if row.sufficient]
    points = at_coverages(curve, _COVERAGES)
    print(f"\n{name}: {len(held)} questions, each with its gold passages and without")
    print(f"  AUROC                             {_auroc(rows, confidence):.3f}")
    print(f"  calibration error                 {_error(rows, confidence):.3f}")
    print(f"  answered with the passages        {_share([row.sufficient for row in held]):.0%}")
    print(f"  answered without them             {_share([row.sufficient for row in without]):.0%}")
    print(f"  cites gold, of those answered     {_share([row.cites_gold for row in told]):.0%}")
    print("  coverage  " + "  ".join(f"{one.coverage:6.0%}" for one in points))
    print("  risk      " + "  ".join(f"{one.risk:6.0%}" for one in points))


def _auroc(rows: Sequence[Row], confidence: Sequence[float]) -> float:
    pairs = list(zip(rows, confidence, strict=True))
    held = [own for row, own in pairs if row.held]
    return auroc(held, [own for row, own in pairs if not row.held])


def _error(rows: Sequence[Row], confidence: Sequence[float]) -> float:
    return miscalibration(confidence, [row.held for row in rows])


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0


if __name__ == "__main__":
    main()
