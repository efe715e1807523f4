"""Teach the bundled encoder what answers a question: python bench/teach.py gather, and then fit

Gathered are the questions about made-up organisations and about the sample whose answering words
are known: for each part of one, the 24 pieces of text that rank best, and which of them answer it.
A fifth of the questions are near misses, which nothing answers. Texts and questions of the public
sets come along without their answers: of them the encoder must say what it always said.

    python bench/teach.py gather --stores KEPT --lessons lessons.json
    python bench/teach.py fit --lessons lessons.json --out taught --leave-out city games media
    python bench/teach.py fit --lessons lessons.json --write

Fitted is a change of low rank to every matrix, with the biases and norms, together with a small
head that gives the log odds that a piece is what a question asks for. Printed is how well that does
on what was left out, and how near the encoder stays on general texts that were kept apart. Whoever
writes it into the package also counts up the name in sextant.llms.minilm.IDENTITY: vectors change,
and stores must be embedded again. To gather takes ten minutes of CPU time, to fit a few on a
GPU; without one it takes a day.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.teaching.lessons import Course, General, Lessons, read_lessons, write_lessons

if TYPE_CHECKING:
    from bench.teaching.fitting import Taught
    from bench.teaching.measuring import Measured

_DAY = datetime(2026, 10, 31, tzinfo=UTC)
_EPOCHS = 5


def main() -> None:
    """Gather lessons, or fit to them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    gathering = commands.add_parser("gather", help="Ask, and keep what is looked at.")
    gathering.set_defaults(command=_gather)
    gathering.add_argument(
        "organisations", nargs="*", help="All, and the sample, if none is named."
    )
    gathering.add_argument("--stores", type=Path, required=True, help="Keep the stores here.")
    fitting = commands.add_parser("fit", help="Learn from lessons that were gathered.")
    fitting.set_defaults(command=_fit)
    target = fitting.add_mutually_exclusive_group(required=True)
    target.add_argument("--out", type=Path, help="Write what was learnt into this folder.")
    target.add_argument("--write", action="store_true", help="Write it into the package.")
    fitting.add_argument("--leave-out", nargs="*", default=[], help="Measure on these instead.")
    fitting.add_argument("--epochs", type=int, default=_EPOCHS)
    for one in (gathering, fitting):
        one.add_argument("--lessons", type=Path, required=True)
        one.add_argument("--limit", type=int, help="Questions of each organisation, for a try.")
    options = parser.parse_args()
    options.command(options)


def _gather(options: argparse.Namespace) -> None:
    from bench.teaching.gathering import COURSES, course_of
    from bench.teaching.general import general
    from sextant.ask.question import Question
    from sextant.llms.local_nets import wordpiece

    tokenizer, like = wordpiece.load(), Question("", now=_DAY)
    courses = []
    for name in options.organisations or COURSES:
        own = asyncio.run(course_of(name, options.stores, tokenizer, like, options.limit))
        answerable = [any(one.answers) for one in own.lessons if one.is_answerable]
        found = f"answers looked at for {sum(answerable)} of {len(answerable)}"
        print(f"{name:10} {len(own.lessons):4} lessons, {found}", flush=True)
        courses.append(own)
    write_lessons(options.lessons, Lessons(courses, general(tokenizer, options.limit)))


def _fit(options: argparse.Namespace) -> None:
    if find_spec("torch") is None:
        raise SystemExit("Teaching needs PyTorch, which the lock does not have: pip install torch")
    from bench.teaching.fitting import fit
    from bench.teaching.packing import TARGET, write

    lessons = read_lessons(options.lessons)
    unknown = set(options.leave_out).difference(one.name for one in lessons.courses)
    if unknown:
        raise SystemExit(f"No lessons are about {', '.join(sorted(unknown))}.")
    courses = [one.some(options.limit) for one in lessons.courses]
    learnt_from = [one for one in courses if one.name not in options.leave_out]
    taught = fit(learnt_from, lessons.general.learnt_from, options.epochs)
    _report(taught, [one for one in courses if one not in learnt_from], lessons.general.kept_apart)
    write(taught, TARGET if options.write else options.out)


def _report(taught: Taught, left_out: Sequence[Course], general: General) -> None:
    from bench.teaching.head import cosine
    from bench.teaching.measuring import measured, nearness

    encoder = taught.encoder()
    for name, texts in (("texts", general.texts), ("questions", general.questions)):
        near = nearness(encoder, taught.released, texts)
        print(f"general {name}: mean cosine to the original {near:.4f}")
    each = [(own.name, [own]) for own in left_out]
    together = [("all of these", left_out)] if len(each) > 1 else []
    for name, courses in [*each, *together]:
        _print(f"{name}, before, by cosine", measured(taught.released, cosine, courses))
        _print(f"{name}, taught", measured(encoder, taught.head.log_odds, courses))


def _print(name: str, found: Measured) -> None:
    from bench.teaching.measuring import AMONG

    shares = ", ".join(f"{own:.1%} in {most}" for most, own in zip(AMONG, found.among, strict=True))
    print(f"{name}: of {found.answered} answers {shares}; AUROC of near misses {found.auroc:.3f}")


if __name__ == "__main__":
    main()
