"""The public sets that the corpus is made from: sentences, titles, names and questions."""

from __future__ import annotations

import functools
import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    _WORD.findall(
        """a about after also an and are as at be been before between both by can did do does during
        for from had has have he her his how in into is it its many name of on one or other s she
        than that the their they this to was were what when where which who whom whose why with"""
    )
)


@dataclass(frozen=True, slots=True)
class Pool:
    """What is real: sentences of each passage, titles, names and questions."""

    passages: Sequence[Sequence[str]]
    titles: Sequence[str]
    names: Sequence[str]
    questions: Sequence[str]


@functools.cache
def pool() -> Pool:
    """Read the public sets."""
    files = sorted(DATA.glob("*/corpus.jsonl.gz"))
    if not files:
        raise SystemExit(f"The bench needs the retrieval sets: there is none in {DATA}.")
    passages = [one for file in files for one in _lines(file)]
    titles = sorted({one["title"].strip() for one in passages} - {""})
    names = [title for title in titles if len(title.split()) <= 5]
    asked = [one["text"] for file in files for one in _lines(file.with_name("queries.jsonl.gz"))]
    mixed = random.Random(1)
    mixed.shuffle(names)
    mixed.shuffle(asked)
    sentences = [_sentences(one["text"]) for one in passages]
    return Pool([each for each in sentences if each], titles, names, asked)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def _sentences(text: str) -> list[str]:
    return [" ".join(part.split()[:40]) for part in _SENTENCE.split(text) if part.strip()]


def questions(count: int) -> Sequence[str]:
    """Return real questions, mixed."""
    return pool().questions[:count]


def without_common_words(question: str) -> str:
    """Return what somebody types who knows search boxes."""
    words = _WORD.findall(question)
    return " ".join(word for word in words if word.lower() not in _COMMON)


def three_words(text: str) -> str:
    """Return what somebody would type for a question: its first three words that mean something."""
    return " ".join(without_common_words(text).split()[:3])
