"""Knowledge that no rule was made for: the documents of made-up organisations, and questions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.asking.sets import SCOPE, settings
from sextant.ask.question import Question
from sextant.build import build
from sextant.core import Sextant
from sextant.types import Answer

KNOWLEDGE = Path(__file__).parents[1] / "knowledge"
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Unseen:
    """A question, its kind, and the words that answer it; none: nothing does."""

    question: str
    kind: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of it: whether all was said that answers it, and whether it was told as known."""

    asked: Unseen
    said: bool
    told: bool
    confidence: float

    @property
    def is_right(self) -> bool:
        """Whether it was told what answers it, or owned that nothing does."""
        return (self.told and self.said) if self.asked.quotes else not self.told


def organisations() -> list[str]:
    """Return their names."""
    return sorted(path.stem for path in KNOWLEDGE.glob("*.jsonl"))


async def seen(name: str, folder: Path, like: Question, limit: int | None = None) -> list[Seen]:
    """Ask all that is asked about an organisation; its store is made once, in this folder."""
    lines = _lines(name)
    asked = [
        Unseen(one["question"], one["kind"], tuple(quote["text"] for quote in one["quotes"]))
        for one in lines
        if "question" in one
    ]
    async with await _filled(name, lines, folder / name) as sextant:
        return [await _seen(sextant, one, like) for one in asked[:limit]]


async def _seen(sextant: Sextant, asked: Unseen, like: Question) -> Seen:
    answer = await sextant.ask(SCOPE, replace(like, text=asked.question))
    said = bool(asked.quotes) and all(_is_said(quote, answer) for quote in asked.quotes)
    return Seen(asked, said, answer.verdict.sufficient, answer.verdict.confidence)


def _is_said(quote: str, answer: Answer) -> bool:
    """Whether a key point of the answer holds these words, or is a part of them.

    A row of a table is told with its heads between, and a piece behind what it is about.
    """
    cells = [cell for cell in map(_plain, quote.split("|")) if cell]
    for point in answer.verdict.key_points:
        told = _plain(point.text)
        bare = _plain(point.text.partition(": ")[2])
        if all(cell in told for cell in cells) or (bare or told) in _plain(quote):
            return True
    return False


def _plain(text: str) -> str:
    return _SIGNS.sub(" ", text).lower().strip()


def _lines(name: str) -> Sequence[Mapping[str, Any]]:
    text = (KNOWLEDGE / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def _filled(name: str, lines: Sequence[Mapping[str, Any]], folder: Path) -> Sextant:
    sextant = await build(settings(folder / "store"))
    ready = folder / "ready"
    if not ready.exists():
        source = folder / "source" / name
        for one in lines:
            if "document" in one:
                path = source / one["document"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_titled(one), encoding="utf-8")
        await sextant.ingest(SCOPE, [str(source)])
        ready.touch()
    return sextant


def _titled(document: Mapping[str, Any]) -> str:
    text: str = document["text"]
    return text if text.startswith("# ") else f"# {document['title']}\n\n{text}"
