"""Texts that the small language model writes, as passages to learn from; none is evaluated."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bench.distilling.evaluated import runs
from bench.distilling.passages import Drawn
from bench.distilling.prompts import Prompts, ranks_of
from bench.distilling.writer import END, Tensors, Writer, packed, unpacked

WRITTEN = "written"
_LENGTH, _TOGETHER, _PART = 224, 6_144, 256
_LEAST = 100
_TITLE = 150


def written(
    model: Path, prompts: Prompts, seconds: float, evaluated: Set[int], device: str
) -> Iterator[Drawn]:
    """Yield what is written in so many seconds and shares no run of words with a set."""
    context = multiprocessing.get_context("fork")
    with context.Pool(initializer=_know, initargs=(_words(model), evaluated)) as pool:
        for found in pool.imap(_passages, _rows(model, prompts, seconds, device)):
            yield from found


def _rows(model: Path, prompts: Prompts, seconds: float, device: str) -> Iterator[NDArray[Any]]:
    """Yield the tokens of what is written, some texts at a time."""
    weights: Tensors = {}
    for part in packed(model):
        weights |= unpacked(part, device)
    writer = Writer(weights, _TOGETHER, _LENGTH)
    ends = time.monotonic() + seconds
    for begin in range(0, len(prompts.ids) - _TOGETHER, _TOGETHER):
        if time.monotonic() > ends:
            return
        some = slice(begin, begin + _TOGETHER)
        ids = torch.from_numpy(prompts.ids[some].astype("int64")).to(device)
        lengths = torch.from_numpy(prompts.lengths[some]).to(device)
        rows = writer.write(ids, lengths).cpu().numpy()
        yield from np.array_split(rows, _TOGETHER // _PART)


_known: tuple[Sequence[bytes], Set[int]]
"""What the processes that look at texts know: all tokens, and what is evaluated."""


def _know(words: Sequence[bytes], evaluated: Set[int]) -> None:
    global _known
    _known = (words, evaluated)


def _passages(rows: NDArray[Any]) -> list[Drawn]:
    words, evaluated = _known
    found = (_passage(row, words) for row in rows)
    return [
        one for one in found if len(one.text) >= _LEAST and evaluated.isdisjoint(runs(one.text))
    ]


def _words(model: Path) -> Sequence[bytes]:
    ranks = ranks_of(model)
    return sorted(ranks, key=ranks.__getitem__)


def _passage(row: NDArray[Any], words: Sequence[bytes]) -> Drawn:
    """Return a text up to where it ends; its title is the line that stands apart at its head."""
    own = row[1:].tolist()
    told = own[: own.index(END)] if END in own else own
    text = b"".join(words[one] for one in told).decode("utf-8", "ignore").strip()
    title, apart, body = text.partition("\n\n")
    return (
        Drawn(WRITTEN, title, body) if apart and len(title) <= _TITLE else Drawn(WRITTEN, "", text)
    )
