"""Organisations as tokens: their passages, where pieces stand in them, and what is asked of them.

What MiniLM was taught by them is nowhere in general texts: a student that never saw them tells of
their pieces a third less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.asking.sets import SCOPE
from bench.asking.unseen import filled, lines_of, organisations
from sextant.llms.local_nets.wordpiece import WordPiece
from sextant.text.passages import Embeddable, embeddables

LONGEST, _ASKED = 256, 40
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Organisation:
    """Ids of passages and questions, filled up by zeros, and where each piece stands in which."""

    passages: NDArray[np.uint16]
    pieces: NDArray[np.int32]
    questions: NDArray[np.uint16]


async def gathered(folder: Path, tokenizer: WordPiece) -> list[Organisation]:
    """Return all that may be learnt from; stores are made in the folder, and kept there."""
    return [await _organisation(name, folder, tokenizer) for name in organisations()]


def save_organisations(found: Sequence[Organisation], path: Path) -> None:
    """Keep them in a file."""
    arrays = {f"{at}.{name}": getattr(own, name) for at, own in enumerate(found) for name in _NAMES}
    np.savez_compressed(path, **arrays)


def load_organisations(path: Path) -> list[Organisation]:
    """Read organisations that were kept."""
    with np.load(path) as kept:
        count = len(kept.files) // len(_NAMES)
        return [Organisation(*(kept[f"{at}.{name}"] for name in _NAMES)) for at in range(count)]


_NAMES = Organisation.__slots__


async def _organisation(name: str, folder: Path, tokenizer: WordPiece) -> Organisation:
    lines = lines_of(name)
    async with await filled(name, lines, folder / name) as sextant:
        truth = sextant.store.truth
        documents = await truth.documents(SCOPE, limit=_PAGE)
        units = await truth.units(SCOPE, [one.id for one in documents])
    texts = [text for unit in units.values() for text in embeddables(unit)]
    asked = [one["question"] for one in lines if "question" in one]
    places = [_places(text, at, tokenizer) for at, text in enumerate(texts)]
    return Organisation(
        _filled_up([tokenizer.ids(text.text, LONGEST) for text in texts], LONGEST),
        np.array(list(chain(*places)), np.int32),
        _filled_up([tokenizer.ids(text, _ASKED) for text in asked], _ASKED),
    )


def _places(text: Embeddable, at: int, tokenizer: WordPiece) -> list[tuple[int, int, int]]:
    """Return from which token to which each piece of a passage stands, if it is read at all."""
    before = tokenizer.ids_before(text.text, list(chain(*text.places)), LONGEST)
    places = [(before[start], before[end]) for start, end in text.places]
    return [(at, start, end) for start, end in places if start < end]


def _filled_up(texts: Sequence[Sequence[int]], length: int) -> NDArray[np.uint16]:
    rows = np.zeros((len(texts), length), np.uint16)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = text
    return rows
