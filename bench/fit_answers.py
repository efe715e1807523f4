"""Fit what an answer goes by: python bench/fit_answers.py --stores FOLDER [--write]

Every question of bench/documentation and every training question of the sample is asked once; what
was found for it is kept in FOLDER beside the stores. Fitted are the signs of a passage, so that
those which hold the answer are the likeliest (a softmax), and then the signs of what is shown, so
that what holds the answer is told as known (a logistic sum, in which a question that nothing
answers weighs more); that again by words alone, for embedders that tell no odds of pieces. Printed
is for each set what a fit to all others makes of it; written is a fit to all of them.

The rules are those of ../shared/eval/answers.py: shown is what holds every string of ``must``, none
of ``must_not``, cites the main page and has at most 2,500 characters; right is what is shown and
told as known. Of the sample the length is free.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.asked import SAMPLE, Asked, ask_documentation, ask_sample
from bench.documentation.packages import names
from sextant.ask import fitted as fitted_numbers
from sextant.ask.blocks import Block, cut_blocks
from sextant.ask.cite import lines_of
from sextant.ask.evaluate.cases import Case
from sextant.ask.evaluate.score import holds, is_named
from sextant.ask.fitted import Fitted
from sextant.ask.score import NAMES, measure_passages
from sextant.ask.verdict import ShownSigns, confidence_of, measure_shown
from sextant.types import Hit, Statement

TARGET = Path(fitted_numbers.__file__).with_name("weights.json")
LONGEST = 2_500
"""Characters of an answer that is read to its end."""

_UNANSWERABLE = 3.0
"""What a question that nothing answers weighs: there are five times as many others."""

_OF_SAMPLE = 0.5
"""What a question of the sample weighs: its pages are short and alike. With 0 to 1 the sets that
are left out are shown 264 to 266 answers, and the sample 124 to 128 of 173."""

_SHRINKAGE = 3.0
"""Of 1, 3 and 8 the sets that are left out have hardly another likelihood."""

_STEPS, _RATE = 300, 0.1
_LEAST_BELIEF = 1e-3
SHOWN = tuple(item.name for item in fields(ShownSigns))
UNREAD = tuple(name for name in SHOWN if name != "meant")
"""What is known without odds."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The signs of what is shown for a question, whether it holds the answer, and its weight."""

    signs: ShownSigns
    is_right: bool
    is_answerable: bool
    weight: float


@dataclass(frozen=True, slots=True)
class Measures:
    """The signs of passages, the log of how far each is believed, and which hold the answer."""

    signs: np.ndarray
    belief: np.ndarray
    right: np.ndarray
    weight: float


Rows = Mapping[str, Sequence[Asked]]


def main() -> None:
    """Ask, fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="Write the weights.")
    options = parser.parse_args()
    rows = {name: ask_documentation(name, options.stores) for name in names()}
    rows[SAMPLE] = ask_sample(options.stores)
    left_out = {name: fit_passages(_without(rows, name)) for name in rows}
    for is_read in (True, False):
        print("By odds of pieces and words:" if is_read else "By words alone:")
        _print_left_out(rows, left_out, is_read=is_read)
    told = json.dumps(asdict(fit(rows)), indent=1)
    print(told)
    if options.write:
        TARGET.write_text(told + "\n")


def fit(rows: Rows) -> Fitted:
    """Return weights that are fitted to these questions: of passages, then of what is shown."""
    passage = fit_passages(rows)
    read = fit_verdict(_all_shown(rows, passage, is_read=True), SHOWN)
    unread = fit_verdict(_all_shown(rows, passage, is_read=False), UNREAD)
    return Fitted(passage, read, unread)


def _without(rows: Rows, name: str) -> Rows:
    return {other: own for other, own in rows.items() if other != name}


def _print_left_out(
    rows: Rows, left_out: Mapping[str, Mapping[str, float]], *, is_read: bool
) -> None:
    """Print of each set what weights that are fitted to the others make of it, and of all."""
    every: list[tuple[Shown, bool]] = []
    for name, own in rows.items():
        passage, others = left_out[name], _without(rows, name)
        shown = _all_shown(others, passage, is_read=is_read)
        verdict = fit_verdict(shown, SHOWN if is_read else UNREAD)
        judged = [
            (one, _is_told(one, verdict, is_read=is_read))
            for one in _all_shown({name: own}, passage, is_read=is_read)
        ]
        print(f"{name:22} {_counts(judged)}", flush=True)
        every += judged if name != SAMPLE else []
    print(f"{'documentation':22} {_counts(every)}")


def _is_told(one: Shown, verdict: Mapping[str, float], *, is_read: bool) -> bool:
    with patch("sextant.ask.verdict.fitted", lambda: Fitted({}, verdict, verdict)):
        return confidence_of(one.signs, is_read=is_read) >= 0.5


def _counts(rows: Sequence[tuple[Shown, bool]]) -> str:
    answerable = [(one.is_right, told) for one, told in rows if one.is_answerable]
    others = [told for one, told in rows if not one.is_answerable]
    right = sum(shown and told for shown, told in answerable)
    wrong = sum(told and not shown for shown, told in answerable)
    shown = sum(shown for shown, _ in answerable)
    return (
        f"of {len(answerable)} right {right}, told wrongly {wrong}, shown {shown}; "
        f"of {len(others)} unanswerable told {sum(others)}"
    )


def fit_passages(rows: Rows) -> dict[str, float]:
    """Return what each sign of a passage counts for, so that what is right is likeliest."""
    every = [_measured(one, _weight(name)) for name, own in rows.items() for one in own]
    every = [one for one in every if one.right.any()]
    scale = np.concatenate([one.signs for one in every]).std(axis=0) + 1e-6
    total = sum(one.weight for one in every)
    weights, mean, square = (np.zeros(len(NAMES)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        pull = sum((_pull(one, scale, weights) for one in every), np.zeros(len(NAMES)))
        slope = (_SHRINKAGE * weights - pull) / total
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return _named(NAMES, weights / scale)


def _weight(name: str) -> float:
    return _OF_SAMPLE if name == SAMPLE else 1.0


_MEASURED: dict[int, Measures] = {}
"""What was measured of a question, which no weights change."""


def _measured(one: Asked, weight: float) -> Measures:
    if id(one) not in _MEASURED:
        text = one.parts[0]
        own = measure_passages(text, one.hits, one.odds_of(text, True), one.readings, one.day)
        belief = np.maximum([hit.belief for hit in own], _LEAST_BELIEF)
        _MEASURED[id(one)] = Measures(
            np.array([hit.signs.row() for hit in own]),
            np.log(belief),
            np.array([_holds_answer(one.case, hit) for hit in one.hits]),
            weight,
        )
    return _MEASURED[id(one)]


def _pull(one: Measures, scale: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return in which direction the right passages of a question become more likely."""
    signs = one.signs / scale
    scores = signs @ weights + one.belief
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    own = shares * one.right / (shares * one.right).sum()
    pull: np.ndarray = one.weight * ((own - shares) @ signs)
    return pull


def _holds_answer(case: Case, hit: Hit) -> bool:
    """Whether a passage has all that must be told; of two pages, what is quoted of one."""
    if not case.is_answerable or not case.documents:
        return False
    text, document = hit.passage.chunk.text, hit.passage.document.id
    if case.kind == "two-page":
        is_page = any(is_named(path, document) for path in case.documents)
        return is_page and any(_folded(one) in _folded(text) for one in case.quotes.values())
    is_main = any(is_named(path, document) for path in case.documents[:1])
    return is_main and all(holds(text, one) for one in case.must)


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _all_shown(rows: Rows, passage: Mapping[str, float], *, is_read: bool) -> list[Shown]:
    """Return what is shown for each question, by these weights of passages."""
    with _by(Fitted(passage, {}, {})):
        return [
            _shown(one, _weight(name), is_read=is_read) for name, own in rows.items() for one in own
        ]


def _by(known: Fitted) -> AbstractContextManager[object]:
    """Let passages be scored by these weights."""
    return patch("sextant.ask.score.fitted", lambda: known)


def _shown(one: Asked, weight: float, *, is_read: bool) -> Shown:
    scored = one.scored(is_read=is_read)
    blocks = cut_blocks(scored, one.readings)
    signs = measure_shown(one.parts, scored, blocks, one.readings) if blocks else ShownSigns()
    most = LONGEST if weight == 1.0 else sys.maxsize
    return Shown(signs, _is_shown(one.case, blocks, most), one.case.is_answerable, weight)


def _is_shown(case: Case, blocks: Sequence[Block], most: int = LONGEST) -> bool:
    """Whether what is told holds the answer, from where it must, and is not too long."""
    text = "\n\n".join(map(_text_of, blocks))
    cited = [block.quote.passage.document.id for block in blocks]
    return (
        case.is_answerable
        and len(text) <= most
        and all(holds(_folded(text), one) for one in case.must)
        and not any(holds(_folded(text), one) for one in case.must_not)
        and (not case.documents or any(is_named(case.documents[0], one) for one in cited))
    )


def _text_of(block: Block) -> str:
    label = block.quote.passage.document.title
    headings = () if block.goes_on else block.headings
    return lines_of(Statement(block.markdown, (label,), block=not block.is_row, headings=headings))


def fit_verdict(rows: Sequence[Shown], signs: Sequence[str]) -> dict[str, float]:
    """Return what each sign of what is shown counts for: a logistic sum, by Newton's steps."""
    known = np.array([[getattr(one.signs, name) for name in signs] for one in rows])
    right = np.array([float(one.is_right) for one in rows])
    weight = np.array([one.weight * (1 if one.is_answerable else _UNANSWERABLE) for one in rows])
    middle, scale = known.mean(axis=0), known.std(axis=0) + 1e-6
    columns = np.column_stack([np.ones(len(rows)), (known - middle) / scale])
    shrinkage = np.diag([1e-6, *[_SHRINKAGE] * len(signs)])
    found = np.zeros(columns.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-columns @ found))
        slope = columns.T @ (weight * (right - likely)) - shrinkage @ found
        curve = (columns * (weight * likely * (1 - likely))[:, None]).T @ columns + shrinkage
        found += np.linalg.solve(curve, slope)
    own = found[1:] / scale
    return _named(("bias", *signs), [found[0] - float((own * middle).sum()), *own])


def _named(signs: Sequence[str], values: Iterable[float]) -> dict[str, float]:
    return {name: round(float(own), 3) for name, own in zip(signs, values, strict=True)}


if __name__ == "__main__":
    main()
