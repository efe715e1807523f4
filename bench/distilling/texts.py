"""Texts as tokens in one file, and how batches are drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.distilling.passages import Drawn
from bench.distilling.teacher import CLS, INSTRUCTION, SEP
from sextant.llms.minilm.wordpiece import WordPiece

Tokens = NDArray[np.uint16]

_TITLE, _QUESTION = 32, 60
_LENGTHS = (24, 48, 80, 112, 144, 176, 208, 256)
_ODDS = (0.05, 0.1, 0.14, 0.17, 0.2, 0.16, 0.1, 0.08)
"""All rows of a batch have one length, about as often as chunks have it: none needs a mask."""

_WEIGHTS = {"articles": 6.0, "made up": 1.5, "ontology": 1.5, "dict-foldoc": 2.0, "anarchism": 1.5}
"""How often a passage of a source is drawn beside one of a manual."""

_ANYWHERE, _TITLED, _NOISY = 0.35, 0.75, 0.06
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
    most = 1 << 20
    texts = [tokenizer.ids(one.text, most)[1:-1] for one in passages]
    titles = [tokenizer.ids(one.title, _TITLE + 2)[1:-1] for one in passages]
    weights = np.array([_WEIGHTS.get(one.source, 1.0) for one in passages])
    instruction = np.array(tokenizer.ids(INSTRUCTION, most)[1:-1], np.uint16)
    return Texts(
        *_in_a_row(texts), *_in_a_row(titles), np.cumsum(weights / weights.sum()), instruction
    )


def load_texts(path: Path) -> Texts:
    """Read texts that were kept."""
    kept = np.load(path)
    return Texts(**{name: kept[name] for name in Texts.__slots__})


def _in_a_row(texts: Sequence[Sequence[int]]) -> tuple[Tokens, NDArray[np.int64]]:
    tokens = np.concatenate([np.array(text, np.uint16) for text in texts])
    return tokens, np.cumsum([0, *map(len, texts)])


class Dice:
    """Draws batches; another seed for each process that does."""

    def __init__(self, texts: Texts, seed: int) -> None:
        self._texts, self._random = texts, np.random.default_rng(seed)

    def passages(self, count: int) -> NDArray[np.int64]:
        """Return so many texts of one length: from anywhere in a passage, and on into another."""
        draw = self._random
        length = int(draw.choice(_LENGTHS, p=_ODDS))
        ids = np.full((count, length), SEP, np.int64)
        ids[:, 0] = CLS
        for row, (at, more) in enumerate(zip(self._drawn(count), self._drawn(count), strict=True)):
            is_titled = length > _TITLE + 8 and draw.random() < _TITLED
            title = self._texts.title(at) if is_titled else self._texts.titles[:0]
            text, room = self._texts.passage(at), length - 2 - len(title)
            if len(text) > room and draw.random() < _ANYWHERE:
                text = text[draw.integers(0, len(text) - room + 1) :]
            row_ids = np.concatenate([title, text[:room], self._texts.passage(more)])[: length - 2]
            ids[row, 1 : 1 + len(row_ids)] = self._with_strangers(row_ids)
        return ids

    def questions(self, count: int) -> NDArray[np.int64]:
        """Return titles and parts of sentences as questions of the teacher, filled up by zeros."""
        ids = np.zeros((count, _QUESTION), np.int64)
        lead = self._texts.instruction
        for row, at in enumerate(self._drawn(count)):
            text = self._texts.title(at)
            if len(text) < 3 or self._random.random() < 0.7:
                whole = self._texts.passage(at)
                size = int(self._random.integers(5, 30))
                text = whole[int(self._random.integers(0, max(1, len(whole) - size))) :][:size]
            own = [CLS, *lead, *text[: _QUESTION - len(lead) - 2], SEP]
            ids[row, : len(own)] = own
        return ids

    def _drawn(self, count: int) -> NDArray[np.int64]:
        found = np.searchsorted(self._texts.shares, self._random.random(count))
        return np.minimum(found, len(self._texts.shares) - 1)

    def _with_strangers(self, ids: Tokens) -> Tokens:
        """Sometimes put words in that stand nowhere near each other otherwise."""
        if self._random.random() >= _NOISY:
            return ids
        places = self._random.random(len(ids)) < self._random.uniform(0.05, 0.4)
        changed = ids.copy()
        changed[places] = self._random.integers(_FIRST_WORD, 30_000, int(places.sum()))
        return changed
