"""What the judge saw of each question, with its evidence in the store and without."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.asking.sets import SCOPE, Asked, passage_id, questions, store_of
from sextant.core import Sextant
from sextant.types import Answer


@dataclass(frozen=True, slots=True)
class Row:
    """One question in one store: how sure the answer is, what it cites, and the judge's signs."""

    set: str
    question: str
    held: bool
    confidence: float
    sufficient: bool
    cites_gold: bool
    signs: dict[str, float]


async def rows_of(name: str, folder: Path, limit: int | None = None) -> list[Row]:
    """Ask every question of a set twice: with the gold passages in the store, and without."""
    rows: list[Row] = []
    for held in (True, False):
        async with await store_of(name, folder, without_gold=not held) as sextant:
            asked = questions(name)[:limit]
            rows += [await row_of(sextant, name, one, held) for one in asked]
    return rows


async def row_of(sextant: Sextant, name: str, asked: Asked, held: bool) -> Row:
    """Ask a question of a set, whose gold passages are there or not."""
    answer = await sextant.ask(SCOPE, asked.text)
    cited = {passage_id(one.document_id) for one in answer.citations}
    verdict = answer.verdict
    return Row(
        name,
        asked.id,
        held,
        verdict.confidence,
        verdict.sufficient,
        bool(cited & set(asked.gold)),
        signs_in(answer),
    )


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Keep rows for the next time."""
    path.write_text(json.dumps([asdict(row) for row in rows]))


def read_rows(path: Path) -> list[Row]:
    """Return rows that were kept."""
    return [Row(**one) for one in json.loads(path.read_text())]


def signs_in(answer: Answer) -> dict[str, float]:
    """Return what the judge measured last; nothing where it was never asked."""
    judged = [step for step in answer.trace.steps if step.name == "judge"]
    signs: Any = judged[-1].facts["signs"] if judged else {}
    return dict(signs)
