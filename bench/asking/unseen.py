"""Knowledge that no rule was made for: the documents of made-up organisations, and questions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from bench.asking.sets import SCOPE, settings
from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.types import Answer

KNOWLEDGE = Path(__file__).parents[1] / "knowledge"
APART = Path(__file__).parents[1] / "apart"
"""Organisations that the encoder was taught by, and those that nothing was fitted to."""

ELSEWHERE = "elsewhere"
"""What is asked of a small store that other pages of the organisation answer."""

_STORES, _PAGES = 2, 7
_OF_EACH = {"answered": 30, "never": 12, ELSEWHERE: 8}
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
    """Return the names of those that may be learnt from."""
    return sorted(path.stem for path in KNOWLEDGE.glob("*.jsonl"))


def kept_apart() -> list[str]:
    """Return the names of those that are asked about alone."""
    return sorted(path.stem for path in APART.glob("*.jsonl"))


async def seen(name: str, folder: Path, like: Question, limit: int | None = None) -> list[Seen]:
    """Ask all that is asked about an organisation; its store is made once, in this folder."""
    lines = lines_of(name)
    asked = [
        Unseen(one["question"], one["kind"], tuple(quote["text"] for quote in one["quotes"]))
        for one in lines
        if "question" in one
    ]
    async with await filled(name, lines, folder / name) as sextant:
        return [await _seen(sextant, one, like) for one in asked[:limit]]


async def seen_few(name: str, folder: Path, like: Question) -> list[Seen]:
    """Ask of small stores of an organisation's pages what they answer, and what they do not."""
    lines, dice = lines_of(name), Random(name)
    pages = [one for one in lines if "document" in one]
    dice.shuffle(pages)
    found: list[Seen] = []
    for number in range(_STORES):
        own = pages[number * _PAGES :][:_PAGES]
        asked = _asked_of_few([one for one in lines if "question" in one], own, dice)
        async with await filled(name, own, folder / f"{name}-few-{number}") as sextant:
            found += [await _seen(sextant, one, like) for one in asked]
    return found


def _asked_of_few(
    asked: Sequence[Mapping[str, Any]], pages: Sequence[Mapping[str, Any]], dice: Random
) -> list[Unseen]:
    """Return questions that these pages answer, that others do, and that none does."""
    here = {one["document"] for one in pages}
    sorts: dict[str, list[Unseen]] = {"answered": [], ELSEWHERE: [], "never": []}
    for one in asked:
        where = {quote["document"] for quote in one["quotes"]}
        if not where:
            sorts["never"].append(Unseen(one["question"], one["kind"], ()))
        elif where <= here:
            quotes = tuple(quote["text"] for quote in one["quotes"])
            sorts["answered"].append(Unseen(one["question"], one["kind"], quotes))
        elif where.isdisjoint(here):
            sorts[ELSEWHERE].append(Unseen(one["question"], ELSEWHERE, ()))
    return [
        one
        for sort, most in _OF_EACH.items()
        for one in dice.sample(sorts[sort], min(most, len(sorts[sort])))
    ]


async def _seen(sextant: Sextant, asked: Unseen, like: Question) -> Seen:
    answer = await sextant.ask(SCOPE, replace(like, text=asked.question))
    said = bool(asked.quotes) and all(_is_said(quote, answer) for quote in asked.quotes)
    verdict = answer.verdict
    return Seen(asked, said, verdict.sufficient, verdict.confidence)


def _is_said(quote: str, answer: Answer) -> bool:
    """Whether a statement of the answer holds these words, or is a part of them.

    A row of a table is shown with its heads between, and a piece behind what it is about.
    """
    cells = [cell for cell in map(plain, quote.split("|")) if cell]
    return any(
        all(cell in plain(one.text) for cell in cells) or plain(one.text) in plain(quote)
        for one in answer.statements
    )


def plain(text: str) -> str:
    """Return a text as words and blanks alone."""
    return _SIGNS.sub(" ", text).lower().strip()


def lines_of(name: str) -> Sequence[Mapping[str, Any]]:
    """Return the documents of an organisation and what is asked about it."""
    folder = APART if name in kept_apart() else KNOWLEDGE
    text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def filled(name: str, lines: Sequence[Mapping[str, Any]], folder: Path) -> Sextant:
    """Open the store of an organisation, made at the first time and kept in the folder."""
    sextant = await open_sextant(settings(folder / "store"))
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
