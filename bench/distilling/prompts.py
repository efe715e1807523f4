"""What the small language model writes on from: beginnings of articles, abstracts, pages, notes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.distilling.encyclopedia import articles
from bench.distilling.organisations import documents
from bench.distilling.passages import Drawn

MOST = 48
_SEED = 11
_SHARES = {"article": 0.35, "noun": 0.15, "abstract": 0.15, "page": 0.15, "note": 0.2}
_AFTER_NOUN = (" is", " was", " (", " are", " is a", ", also known as", " refers to", " in")
_BEFORE_ABSTRACT = ("Abstract: ", "Background: ", "Abstract\n", "Abstract: We", "Results: ", "")
_BEFORE_PAGE = ("This page", "To ", "You can", "The", "Use", "When", "By default,", "How")
_WORD = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


@dataclass(frozen=True, slots=True)
class Prompts:
    """Tokens that texts begin with, and how many they are."""

    ids: NDArray[np.uint16]
    lengths: NDArray[np.int64]

    def save(self, path: Path) -> None:
        """Keep them in a file."""
        np.savez_compressed(path, ids=self.ids, lengths=self.lengths)


def load_prompts(path: Path) -> Prompts:
    """Read beginnings that were kept."""
    kept = np.load(path)
    return Prompts(kept["ids"], kept["lengths"])


def prompts(
    count: int, passages: Sequence[Drawn], terms: Sequence[str], ranks: Mapping[bytes, int]
) -> Prompts:
    """Return so many beginnings, each after the sign that ends a text."""
    from puretiktoken import byte_pair_encode

    @cache
    def tokens(word: str) -> Sequence[int]:
        found: Sequence[int] = byte_pair_encode(word.encode(), ranks)
        return found

    ids, lengths = np.zeros((count, MOST), np.uint16), np.zeros(count, np.int64)
    for row, text in enumerate(_beginnings(count, passages, terms)):
        own = [0, *(one for word in _WORD.findall(text) for one in tokens(word))][:MOST]
        ids[row, : len(own)], lengths[row] = own, len(own)
    return Prompts(ids, lengths)


def _beginnings(count: int, passages: Sequence[Drawn], terms: Sequence[str]) -> Iterator[str]:
    dice = random.Random(_SEED)
    nouns = [one.title for one in passages if one.source in ("dict-wn", "dict-gcide")]
    headings = [one.title for one in passages if one.source.endswith("doc")]
    made_up = articles(count, [one for one in nouns if one.isalpha()], terms)
    notes = documents()
    for kind in dice.choices(list(_SHARES), list(_SHARES.values()), k=count):
        if kind == "article":
            title, text = next(made_up)
            yield f"{title}\n\n{_begun(text, dice)}"
        elif kind == "noun":
            noun = dice.choice(nouns)
            yield f"{noun[:1].upper()}{noun[1:]}{dice.choice(_AFTER_NOUN)}"
        elif kind == "abstract":
            yield f"{_studied(dice, terms)}\n\n{dice.choice(_BEFORE_ABSTRACT)}"
        elif kind == "note":
            title, paragraphs = dice.choice(notes)
            yield f"{title}\n\n{_begun(dice.choice(paragraphs), dice)}"
        else:
            yield f"{dice.choice(headings)}\n\n{dice.choice(_BEFORE_PAGE)}"


def _begun(text: str, dice: random.Random) -> str:
    words = text.split(". ")[0].split()
    return " ".join(words[: max(3, round(len(words) * dice.uniform(0.4, 1.0)))])


def _studied(dice: random.Random, terms: Sequence[str]) -> str:
    first, second = dice.choice(terms), dice.choice(terms)
    return dice.choice((f"{first} and {second}", f"The role of {first}", f"{first} in {second}"))


def ranks_of(model: Path) -> dict[bytes, int]:
    """Return what each token of a GGUF file stands for."""
    from gguf import GGUFReader

    tokens = GGUFReader(model).fields["tokenizer.ggml.tokens"].contents()
    return {_bytes(token): at for at, token in enumerate(tokens)}


def _bytes(token: str) -> bytes:
    table = _signs()
    return bytes(table[sign] for sign in token) if set(token) <= set(table) else token.encode()


@cache
def _signs() -> dict[str, int]:
    """Return which byte each sign stands for: those that can be printed stand for themselves."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [one for one in range(256) if one not in printed]
    moved = {chr(256 + at): one for at, one in enumerate(rest)}
    return {chr(one): one for one in printed} | moved
