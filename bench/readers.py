"""Time what every reader takes for a file of each hostile shape, and for one twice as long.

``python bench/readers.py`` prints the slowest shapes of each format and those whose time grows
faster than the file: what happens inside regular expressions and parsers in C, where the counting
of ``tests/ingest/read/test_growth.py`` does not see.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.ingest.read.shapes import PATHS, Make, shapes_of

from sextant.errors import SextantError
from sextant.ingest.read import read
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.ingest.shaping.shape import Shaping, drafts_of
from sextant.ingest.values import Item
from sextant.limits import Limits

SHAPING = Shaping("docs", Ruling(), 800, Limits())
GROWTH = 2.6
"""Twice the time, and what other work on the machine adds."""
LEAST_S = 0.02
"""Shorter times say nothing of growth."""
SLOWEST = 3


def main() -> None:
    """Measure and report."""
    options = _options()
    for path in options.paths or PATHS:
        office = path.endswith(("docx", "pptx", "xlsx"))
        _report(path, options.signs // 20 if office else options.signs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", help="formats by an example's name, such as a.md")
    parser.add_argument("--signs", type=int, default=50_000, help="of the shorter file")
    return parser.parse_args()


def _report(path: str, signs: int) -> None:
    _seconds(path, shapes_of(path)["names"](100))
    times = {name: _pair(path, make, signs) for name, make in shapes_of(path).items()}
    slowest = sorted(times, key=lambda name: -times[name][1])[:SLOWEST]
    told = ", ".join(f"{name} {times[name][1] / signs * 5e5:.2f} s/MB" for name in slowest)
    print(f"{path}: {len(times)} shapes of {2 * signs:,} signs; slowest: {told}", flush=True)
    for name, (short, long) in times.items():
        if short > LEAST_S and long > GROWTH * short:
            print(
                f"  {name}: {short:.3f} s, then {long:.3f} s: {long / short:.1f} times", flush=True
            )


def _pair(path: str, make: Make, signs: int) -> tuple[float, float]:
    """Return the best of two times for a file, and for one twice as long."""
    first, second = make(signs), make(2 * signs)
    pairs = [(_seconds(path, first), _seconds(path, second)) for _ in range(2)]
    return min(one for one, _ in pairs), min(one for _, one in pairs)


def _seconds(path: str, data: bytes) -> float:
    item = Item(path, lambda: data, len(data))
    began = time.process_time()
    with suppress(SextantError):
        drafts_of(item, read(path, data), "", SHAPING, Marks())
    return time.process_time() - began


if __name__ == "__main__":
    main()
