"""Fit a vector for each stem to the sentence encoder: python bench/fit_likeness.py --write

Sentences of the public sets, nearly half of them technical, and single words are embedded by the
bundled model; vectors of stems are then fitted, by least squares with a ridge, so that those of a
text's stems add up to the text's own. Printed is how near they come on sentences that were kept
apart. Nothing of the sample knowledge and no question about it is read. A quarter of an hour of
CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.asking.sets import DATA, SETS, corpus, questions, settings
from bench.asking.squares import Bags, least_squares
from sextant.build import open_sextant
from sextant.text.prose.sentences import sentence_spans
from sextant.text.words import Words

TARGET = Path(__file__).parents[1] / "src/sextant/ask/evidence/marking/likeness.npz"
_DRAWN = {"k8s-docs": 20_000, "2wiki": 6_000, "hotpotqa": 6_000, "musique": 6_000, "scifact": 6_000}
_SHORTEST, _LONGEST = 15, 260
_APART = 2_000
_WORD = 0.15
"""What a single word counts for beside a sentence."""

_OFTEN = 3
_WIDTH = 192
_EXTREME = 99.9
"""So many of a hundred numbers are kept as they are; larger ones are cut to fit a byte."""

Array = NDArray[np.float32]


def main() -> None:
    """Embed, fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="Write the vectors.")
    options = parser.parse_args()
    sentences, single = _sentences(), _single_words()
    words = Words()
    stems = [list(dict.fromkeys(words.terms(text))) for text in (*sentences, *single)]
    known = _vocabulary(stems[: len(sentences)], stems[len(sentences) :])
    rows = [[known[stem] for stem in own if stem in known] for own in stems]
    targets = asyncio.run(_embedded([*sentences, *single]))
    counts = np.where(np.arange(len(rows)) < len(sentences), 1.0, _WORD)
    fitted_to = [at for at, own in enumerate(rows) if own and at >= _APART]
    middle = targets[fitted_to].mean(0)
    bags = Bags.of([rows[at] for at in fitted_to], counts[fitted_to], len(known))
    found = least_squares(bags, targets[fitted_to] - middle)
    apart = [at for at in range(_APART) if rows[at]]
    told = np.array([found[rows[at]].sum(0) * len(rows[at]) ** -0.5 for at in apart])
    print(f"{len(known)} stems; cosine to the encoder {_cosine(told + middle, targets[apart]):.3f}")
    if options.write:
        np.savez(TARGET, **_packed(list(known), found))


def _sentences() -> list[str]:
    """Return sentences and questions of the public sets, in an order of their own."""
    drawn = random.Random(1)
    found = [*_of_tools(), *(one.text for name in SETS for one in questions(name))]
    for name, most in _DRAWN.items():
        own = sorted({text for row in corpus(name) for text in _cut(str(row["text"]))})
        found += drawn.sample(own, min(most, len(own)))
    found = sorted(set(found))
    drawn.shuffle(found)
    return found


def _of_tools() -> list[str]:
    """Return what people ask of tools, and what tools are said to do."""
    found = []
    for path in sorted((DATA.parent / "tools").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        found += [str(row.get("query") or row.get("description") or "") for row in rows]
    return [text for text in found if _SHORTEST < len(text) < _LONGEST]


def _cut(text: str) -> list[str]:
    said = (" ".join(text[start:end].split()) for start, end in sentence_spans(text))
    return [one for one in said if _SHORTEST < len(one) < _LONGEST]


def _single_words() -> list[str]:
    """Return the whole words of the encoder's vocabulary."""
    lines = (files("sextant.llms.local_nets") / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return [line for line in lines if len(line) > 1 and line.isascii() and line.isalpha()]


def _vocabulary(texts: Sequence[Sequence[str]], single: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return a number for each stem that some texts have, or that is a word of the encoder."""
    often = Counter(stem for own in texts for stem in own)
    kept = {stem for stem, count in often.items() if count >= _OFTEN}
    kept.update(stem for own in single for stem in own)
    return {stem: at for at, stem in enumerate(sorted(kept))}


async def _embedded(texts: Sequence[str]) -> Array:
    with tempfile.TemporaryDirectory() as folder:
        async with await open_sextant(settings(Path(folder))) as sextant:
            parts = [
                await sextant.embedder.embed(texts[at : at + 1_000], "query")
                for at in range(0, len(texts), 1_000)
            ]
    return np.concatenate(parts)


def _cosine(told: Array, targets: Array) -> float:
    lengths = np.linalg.norm(told, axis=1) * np.linalg.norm(targets, axis=1)
    return float(((told * targets).sum(1) / lengths).mean())


def _packed(stems: Sequence[str], found: Array) -> dict[str, Any]:
    """Return the vectors in as many directions as matter, as bytes."""
    _, directions = np.linalg.eigh((found.T @ found).astype(float))
    narrow = found @ directions[:, ::-1][:, :_WIDTH].astype(np.float32)
    step = np.percentile(np.abs(narrow), _EXTREME) / 127
    rows = np.clip(np.round(narrow / step), -127, 127).astype(np.int8)
    return {"stems": np.frombuffer("\n".join(stems).encode(), np.uint8), "rows": rows}


if __name__ == "__main__":
    main()
