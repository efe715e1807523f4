"""Measure the line on knowledge that it was not made for: python bench/unseen.py --stores FOLDER

Six made-up organisations, each with two dozen documents and some 330 questions, a quarter of which
nothing answers, though something comes near. Said is a question whose every answering sentence is
in a statement of the answer; told is an answer that was not withheld for want of confidence.

Nothing was fitted to these six. The sixty-three in bench/knowledge taught the shipped encoder; what
it makes of one of them is seen with weights that bench/teach.py made with that one left out, in a
store of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.curves import auroc
from bench.asking.taught import take_weights
from bench.asking.unseen import Seen, kept_apart, seen, seen_few
from sextant.ask.question import Question

_DAY = datetime(2026, 10, 31, tzinfo=UTC)


def main() -> None:
    """Ask, and print tables by organisation and by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("organisations", nargs="*", default=kept_apart())
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="Questions of each organisation.")
    parser.add_argument("--few", action="store_true", help="Ask of small stores of seven pages.")
    parser.add_argument("--taught", type=Path, help="Weights of bench/teach.py to use instead.")
    options = parser.parse_args()
    if options.taught:
        take_weights(options.taught)
    found: list[Seen] = []
    for name in options.organisations:
        like = Question("", now=_DAY)
        if options.few:
            own = asyncio.run(seen_few(name, options.stores, like))
        else:
            own = asyncio.run(seen(name, options.stores, like, options.limit))
        _print(name, own)
        found += own
    print()
    for kind in dict.fromkeys(one.asked.kind for one in found):
        _print(kind, [one for one in found if one.asked.kind == kind])
    _print("all", found)
    said, unsaid = ([one.confidence for one in found if one.said is own] for own in (True, False))
    print(f"AUROC of the confidence, said against not said: {auroc(said, unsaid):.3f}")
    known, near = (
        [one.confidence for one in found if bool(one.asked.quotes) is own] for own in (True, False)
    )
    print(f"AUROC of the confidence, answerable against near misses: {auroc(known, near):.3f}")


def _print(name: str, found: Sequence[Seen]) -> None:
    answerable = [one for one in found if one.asked.quotes]
    others = [one for one in found if not one.asked.quotes]
    told = [one for one in answerable if one.told]
    parts = [f"{name:13} {len(found):5} asked, right {_of([one.is_right for one in found])}"]
    if answerable:
        parts.append(f"said {_of([one.said for one in answerable])}")
        parts.append(f"told {_of([one.told for one in answerable])}")
        parts.append(f"of these said {_of([one.said for one in told])}")
    if others:
        parts.append(f"unanswerable, told all the same {_of([one.told for one in others])}")
    print(", ".join(parts), flush=True)


def _of(flags: Sequence[bool]) -> str:
    return f"{sum(flags) / len(flags):4.0%}" if flags else "none"


if __name__ == "__main__":
    main()
