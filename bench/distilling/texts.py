"""Texts as tokens in one file, and how batches are drawn from them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.distilling.passages import Drawn
from bench.distilling.teacher import CLS, INSTRUCTION, SEP
from sextant.llms import local_nets
from sextant.llms.local_nets.wordpiece import WordPiece

Tokens = NDArray[np.uint16]

_TITLE, _QUESTION = 32, 40
_MOST, _PART = 1 << 20, 1_000
_LENGTHS = (24, 48, 80, 112, 144, 176, 208, 256)
_ODDS = (0.05, 0.1, 0.14, 0.17, 0.2, 0.16, 0.1, 0.08)
"""All rows of a batch have one length, about as often as chunks have it: none needs a mask."""

_WEIGHTS = {"articles": 6.0, "made up": 1.5, "ontology": 1.5, "dict-foldoc": 2.0, "anarchism": 1.5}
"""How often a passage of a source is drawn beside one of a manual."""

_ANYWHERE, _TITLED, _NOISY, _TITLES = 0.35, 0.75, 0.06, 0.2
_TRIES, _ENOUGH, _FEW = 5, 0.8, 3
_FIRST_WORD = 2_000
"""The vocabulary's tokens before this one are signs and letters."""


@dataclass(frozen=True, slots=True)
class Texts:
    """All tokens in a row, where each passage ends, the same of titles, and each one's share."""

    tokens: Tokens
    ends: NDArray[np.int64]
    titles: Tokens
    title_ends: NDArray[np.int64]
    shares: NDArray[np.float64]
    instruction: Tokens

    def save(self, path: Path) -> None:
        """Keep it in a file."""
        np.savez_compressed(path, **{name: getattr(self, name) for name in self.__slots__})

    def passage(self, at: int) -> Tokens:
        """Return the tokens of a passage."""
        return self.tokens[self.ends[at] : self.ends[at + 1]]

    def title(self, at: int) -> Tokens:
        """Return the tokens of a passage's title."""
        return self.titles[self.title_ends[at] : self.title_ends[at + 1]]


def tokenised(passages: Sequence[Drawn], tokenizer: WordPiece) -> Texts:
    """Read passages as an encoder does."""
    with multiprocessing.get_context("fork").Pool() as pool:
        texts = pool.map(partial(_tokens, tokenizer, _MOST), (one.text for one in passages), _PART)
    titles = [_tokens(tokenizer, _TITLE + 2, one.title) for one in passages]
    weights = np.array([_WEIGHTS.get(one.source, 1.0) for one in passages])
    instruction = _tokens(tokenizer, _MOST, INSTRUCTION)
    return Texts(
        *_in_a_row(texts), *_in_a_row(titles), np.cumsum(weights / weights.sum()), instruction
    )


def load_texts(path: Path) -> Texts:
    """Read texts that were kept."""
    kept = np.load(path)
    return Texts(**{name: kept[name] for name in Texts.__slots__})


@cache
def vocabulary() -> list[str]:
    """Return all tokens by their ids."""
    text = files(local_nets).joinpath("vocab.txt").read_text(encoding="utf-8")
    return text.rstrip("\n").split("\n")


def _tokens(tokenizer: WordPiece, most: int, text: str) -> Tokens:
    return np.array(tokenizer.ids(text, most)[1:-1], np.uint16)


def _in_a_row(texts: Sequence[Tokens]) -> tuple[Tokens, NDArray[np.int64]]:
    return np.concatenate(texts), np.cumsum([0, *map(len, texts)])


class Dice:
    """Draws batches, as much from each lot of texts; another seed for each process that does."""

    def __init__(self, lots: Sequence[Texts], seed: int) -> None:
        self._lots, self._random = lots, np.random.default_rng(seed)

    def passages(self, count: int) -> NDArray[np.int64]:
        """Return so many texts of one length: from anywhere in a passage, and on into another."""
        length = int(self._random.choice(_LENGTHS, p=_ODDS))
        ids = np.full((count, length), SEP, np.int64)
        ids[:, 0] = CLS
        for row in range(count):
            own = self._passage(self._lots[row % len(self._lots)], length)
            ids[row, 1 : 1 + len(own)] = self._with_strangers(own)
        return ids

    def questions(self, passages: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Return titles, and words of these passages, as questions, filled up by zeros."""
        ids = np.zeros((count, _QUESTION), np.int64)
        for row in range(count):
            lot = self._lots[row % len(self._lots)]
            text = lot.title(self._drawn(lot)) if self._random.random() < _TITLES else ()
            if len(text) < _FEW:
                whole = passages[row % len(passages)][1:-1]
                size = int(self._random.integers(5, 30))
                text = whole[int(self._random.integers(0, max(1, len(whole) - size))) :][:size]
            own = [CLS, *text[: _QUESTION - 2], SEP]
            ids[row, : len(own)] = own
        return ids

    def _passage(self, lot: Texts, length: int) -> Tokens:
        draw = self._random
        at = self._long_enough(lot, length)
        is_titled = length > _TITLE + 8 and draw.random() < _TITLED
        title = lot.title(at) if is_titled else lot.titles[:0]
        text, room = lot.passage(at), length - 2 - len(title)
        if len(text) > room and draw.random() < _ANYWHERE:
            text = text[draw.integers(0, len(text) - room + 1) :]
        found = np.concatenate([title, text[:room]])
        while len(found) < length - 2:
            found = np.concatenate([found, lot.passage(self._drawn(lot))])
        return found[: length - 2]

    def _long_enough(self, lot: Texts, length: int) -> int:
        """Return a passage that hardly needs another one behind it, if one is met soon."""
        drawn = [self._drawn(lot) for _ in range(_TRIES)]
        sizes = [int(lot.ends[at + 1] - lot.ends[at]) for at in drawn]
        enough = [at for at, size in zip(drawn, sizes, strict=True) if size >= _ENOUGH * length]
        return enough[0] if enough else drawn[int(np.argmax(sizes))]

    def _drawn(self, lot: Texts) -> int:
        found = np.searchsorted(lot.shares, self._random.random())
        return min(int(found), len(lot.shares) - 1)

    def _with_strangers(self, ids: Tokens) -> Tokens:
        """Sometimes put words in that stand nowhere near each other otherwise."""
        if self._random.random() >= _NOISY:
            return ids
        places = self._random.random(len(ids)) < self._random.uniform(0.05, 0.4)
        changed = ids.copy()
        changed[places] = self._random.integers(_FIRST_WORD, 30_000, int(places.sum()))
        return changed
