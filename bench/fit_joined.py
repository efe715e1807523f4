"""Fit what joins two pieces: python bench/fit_joined.py city games … --taught FOLD --stores KEPT

The questions are those of organisations whose answer stands in two places, asked with weights that
were taught without these organisations. Printed is how often the two that stand highest are right
when fitted to four fifths of the organisations and asked of the others; written is a fit to all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.choosing import Array, fitted
from bench.asking.joints import Joinable, joinables
from bench.asking.taught import take_weights
from sextant.ask.evidence.joined import Signs
from sextant.ask.question import Question

TARGET = Path(__file__).parents[1] / "src/sextant/ask/evidence/joined.json"
_DAY = datetime(2026, 10, 31, tzinfo=UTC)
_FOLDS = 5
_SAID = 0.75
"""Of so many of these questions the two pieces that stand highest are said."""


def main() -> None:
    """Look, fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("organisations", nargs="+")
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--taught", type=Path, required=True, help="Weights of bench/teach.py.")
    parser.add_argument("--write", action="store_true", help="Write the weights.")
    options = parser.parse_args()
    take_weights(options.taught)
    asked = asyncio.run(_look(options.organisations, options.stores))
    _print(asked, options.organisations)
    bias, weights = fitted(asked)
    names = [item.name for item in fields(Signs)]
    known = {"bias": bias, **dict(zip(names, weights.tolist(), strict=True))}
    known["enough"] = _enough(asked, bias, weights)
    told = json.dumps({name: round(one, 3) for name, one in known.items()}, indent=1)
    print(told)
    if options.write:
        TARGET.write_text(f"{told}\n")


def _enough(asked: Sequence[Joinable], bias: float, weights: Array) -> float:
    """Return the score from which on two pieces are said together."""
    every = ([bias + float(own @ weights) for own in map(np.asarray, one.signs)] for one in asked)
    highest = sorted(max(scores, default=-inf) for scores in every)
    return highest[round(len(highest) * (1 - _SAID))]


async def _look(organisations: Sequence[str], stores: Path) -> list[Joinable]:
    like = Question("", now=_DAY)
    return [one for name in organisations for one in await joinables(name, stores, like)]


def _print(asked: Sequence[Joinable], organisations: Sequence[str]) -> None:
    reach = [any(one.right) for one in asked]
    best, said, told = 0, 0, 0
    for fold in range(_FOLDS):
        own = set(organisations[fold::_FOLDS])
        others = [one for one in asked if one.organisation not in own]
        bias, weights = fitted(others)
        enough = _enough(others, bias, weights)
        for one in (one for one in asked if one.organisation in own and one.signs):
            scores = np.asarray(one.signs) @ weights + bias
            is_right = one.right[int(scores.argmax())]
            best += is_right
            told += bool(scores.max() >= enough)
            said += bool(scores.max() >= enough) and is_right
    total = len(asked)
    print(f"{total} questions; among what is joined are both pieces of {sum(reach) / total:.1%}")
    print(f"the highest two are right {best / total:.1%}")
    print(f"said together {told / total:.1%}, and right {said / total:.1%}")


if __name__ == "__main__":
    main()
