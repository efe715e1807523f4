"""Organisations as tokens: their passages, where pieces stand in them, and what is asked of them.

What MiniLM was taught by them is nowhere in general texts: a student that never saw them tells of
their pieces a third less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.asking.sample import taken_in, training
from bench.asking.sets import SCOPE, settings
from bench.asking.unseen import filled, lines_of, organisations
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.llms.local_nets.wordpiece import WordPiece
from sextant.text.passages import embeddables

LONGEST, _ASKED = 256, 40
_PAGE = 1_000
_HELD = 10
"""One organisation in so many is not learnt from, but looked at."""

_SAMPLE = "sample"
"""MiniLM was taught by the sample, too, and by the same questions about it."""


@dataclass(frozen=True, slots=True)
class Organisation:
    """Ids of passages and questions, filled up by zeros, and where each piece stands in which."""

    passages: NDArray[np.uint16]
    pieces: NDArray[np.int32]
    questions: NDArray[np.uint16]


async def gathered(folder: Path, tokenizer: WordPiece) -> dict[str, Organisation]:
    """Return all there are, by name; stores are made in the folder, and kept there."""
    found = {name: await _made_up(name, folder, tokenizer) for name in organisations()}
    return found | {_SAMPLE: await _sample(folder / _SAMPLE, tokenizer)}


def is_held(name: str) -> bool:
    """Whether nothing may be learnt from an organisation, since it is looked at."""
    return name in organisations()[::_HELD]


def documents() -> list[tuple[str, list[str]]]:
    """Return the title and the paragraphs of each document that is learnt from."""
    lines = chain(*(lines_of(name) for name in organisations() if not is_held(name)))
    found = ((one["title"], _paragraphs(one["text"])) for one in lines if "document" in one)
    return [(title, paragraphs) for title, paragraphs in found if paragraphs]


def _paragraphs(text: str) -> list[str]:
    return [one for one in text.split("\n\n") if one[:1].isalpha()]


def save_organisations(found: Mapping[str, Organisation], path: Path) -> None:
    """Keep them in a file."""
    arrays = {f"{name}.{part}": getattr(found[name], part) for name in found for part in _PARTS}
    np.savez_compressed(path, **arrays)


def load_organisations(path: Path) -> dict[str, Organisation]:
    """Read organisations that were kept."""
    with np.load(path) as kept:
        names = dict.fromkeys(one.partition(".")[0] for one in kept.files)
        return {name: Organisation(*(kept[f"{name}.{part}"] for part in _PARTS)) for name in names}


_PARTS = Organisation.__slots__


async def _made_up(name: str, folder: Path, tokenizer: WordPiece) -> Organisation:
    lines = lines_of(name)
    asked = [one["question"] for one in lines if "question" in one]
    async with await filled(name, lines, folder / name) as sextant:
        return await _read(sextant, asked, tokenizer)


async def _sample(folder: Path, tokenizer: WordPiece) -> Organisation:
    asked = [case.question for case in training()]
    async with await open_sextant(settings(await taken_in(folder))) as sextant:
        return await _read(sextant, asked, tokenizer)


async def _read(sextant: Sextant, asked: Sequence[str], tokenizer: WordPiece) -> Organisation:
    truth = sextant.store.truth
    documents = await truth.documents(SCOPE, limit=_PAGE)
    units = await truth.units(SCOPE, [one.id for one in documents])
    texts = [text for unit in units.values() for text in embeddables(unit)]
    read = [tokenizer.ids_and_places(text.text, text.places, LONGEST) for text in texts]
    return Organisation(
        _filled_up([ids for ids, _ in read], LONGEST),
        np.array(list(_places_read(own for _, own in read)), np.int32),
        _filled_up([tokenizer.ids(text, _ASKED) for text in asked], _ASKED),
    )


def _places_read(
    texts: Iterable[Sequence[tuple[int, int]]],
) -> Iterator[tuple[int, int, int]]:
    """Return of which text, and from which token to which, each piece is that is read at all."""
    for at, places in enumerate(texts):
        yield from ((at, start, end) for start, end in places if start < end)


def _filled_up(texts: Sequence[Sequence[int]], length: int) -> NDArray[np.uint16]:
    rows = np.zeros((len(texts), length), np.uint16)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = text
    return rows
