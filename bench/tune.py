"""Vary the numbers that retrieval hangs on: python bench/tune.py --stores FOLDER

Every question of the public sets is asked under every setting, through the line as users call it.
Printed is, set by set: plain BM25; what is shipped; the lowest and the highest figure when one
number is changed; and what settings score that were chosen without the questions that they are
scored on: by the other three sets, and by the other half of all questions. They are chosen among
the neighbours of what is shipped, and among settings drawn from wide ranges, which do not know what
is shipped. Stores are kept in FOLDER for the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.sets import SETS
from bench.tuning.asking import Scored, Scores, measure_of, scored
from bench.tuning.choosing import Chosen, Tables, left_out, two_fold
from bench.tuning.grid import changes, drawn, near
from sextant.retrieval.tuning import Tuning

_DRAWN = 24
_WAYS: dict[str, Callable[[Tables], dict[str, Chosen]]] = {
    "by the other three sets": left_out,
    "by the other half of the questions": two_fold,
}


def main() -> None:
    """Ask, choose, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--drawn", type=int, default=_DRAWN, help="Settings drawn at random.")
    parser.add_argument("--limit", type=int, help="Questions of each set.")
    options = parser.parse_args()
    close, wide = near(), drawn(options.drawn)
    tunings = close | wide
    found = asyncio.run(_ask(options.stores, list(tunings.values()), options.limit))
    tables = {name: own.settings for name, own in found.items()}
    around = {name: own[: len(close)] for name, own in tables.items()}
    _print_figures(found, around)
    apart = {name: own[len(close) :] for name, own in tables.items()}
    which = [*_print_chosen("near", around, close), *_print_chosen("drawn", apart, wide)]
    print("\n" + "\n".join(which))
    _print_settings(tables, tunings)


async def _ask(stores: Path, tunings: Sequence[Tuning], limit: int | None) -> dict[str, Scored]:
    found: dict[str, Scored] = {}
    for name in SETS:
        found[name] = await scored(name, stores, tunings, limit)
        print(f"{name}: asked", file=sys.stderr, flush=True)
    return found


def _print_figures(found: Mapping[str, Scored], close: Tables) -> None:
    means = {name: own.mean(axis=1) for name, own in close.items()}
    print("|  | " + " | ".join(f"{name} {measure_of(name)}" for name in found) + " |")
    print("|---" * (len(found) + 1) + "|")
    _print_row("questions", [str(len(own.words)) for own in found.values()])
    words = [f"{own.words.mean():.1f}" for own in found.values()]
    _print_row("plain BM25: the keyword leg alone", words)
    _print_row("**as shipped**", [f"**{own[0]:.1f}**" for own in means.values()])
    _print_row("· standard error", [f"{_error(own[0]):.1f}" for own in close.values()])
    spans = [f"{own.min():.1f} to {own.max():.1f}" for own in means.values()]
    _print_row("· one number changed, lowest to highest", spans)


def _print_chosen(kind: str, tables: Tables, tunings: Mapping[str, Tuning]) -> list[str]:
    """Print a row for each way of choosing, and return in words what was chosen."""
    labels, told = list(tunings), list[str]()
    for way, choose in _WAYS.items():
        chosen = choose(tables)
        _print_row(f"{kind}, chosen {way}", [f"{one.figure:.1f}" for one in chosen.values()])
        names = {name: [labels[at] for at in one.settings] for name, one in chosen.items()}
        pairs = "; ".join(f"{name}: {' / '.join(own)}" for name, own in names.items())
        told.append(f"- {kind}, {way}: {pairs}")
    return told


def _print_settings(tables: Tables, tunings: Mapping[str, Tuning]) -> None:
    print("\n| setting | " + " | ".join(tables) + " | mean |\n" + "|---" * (len(tables) + 2) + "|")
    for at, (label, tuning) in enumerate(tunings.items()):
        figures = [float(own[at].mean()) for own in tables.values()]
        told = changes(tuning) if label.startswith("drawn") else ""
        name = f"{label}: {told}" if told else label
        _print_row(name, [f"{one:.1f}" for one in (*figures, float(np.mean(figures)))])


def _print_row(name: str, cells: Sequence[str]) -> None:
    print(f"| {name} | " + " | ".join(cells) + " |")


def _error(scores: Scores) -> float:
    return float(scores.std(ddof=1) / np.sqrt(len(scores)))


if __name__ == "__main__":
    main()
