"""Whole answers and traces for the sample knowledge, byte by byte, on the day they were kept.

``SEXTANT_GOLDEN=write pytest tests/golden`` keeps them anew; read the difference before you commit.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sextant.ask.evaluate.cases import Case, question_of, read_cases
from sextant.ask.question import Question
from sextant.ask.record.fields import record_fields
from sextant.ask.record.load import answer_of
from sextant.build import open_sextant
from sextant.types import Answer, Put, Scope
from tests.golden.sample import SAMPLE, sample_settings
from tests.ingest.folders import SCOPE

KEPT = Path(__file__).parent / "answers"
LIKE = Question("", now=datetime(2026, 10, 31, tzinfo=UTC))
IDS = [
    "multi-hop-01",
    "one-hop-01",
    "one-hop-07",
    "date-01",
    "date-09",
    "trap-01",
    "trap-05",
    "comparison-03",
    "follow-up-01",
    "unanswerable-01",
    "unanswerable-09",
]
CASES = [
    case
    for case in read_cases((SAMPLE / "questions.jsonl").read_text(encoding="utf-8"))
    if case.id in IDS
]


async def _asked(store: Path, case: Case) -> dict[str, Any]:
    async with await open_sextant(sample_settings(store)) as sextant:
        scope = Scope(personas=case.personas)
        told = record_fields(await sextant.ask(scope, question_of(case, LIKE)))
    return {name: own for name, own in told.items() if name != "timing"}


def _kept(name: str) -> Answer:
    """Return an answer as it was kept, as if its steps had taken no time."""
    told = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    steps = told["trace"]["steps"]
    return answer_of(
        {**told, "timing": [{"step": one["name"], "milliseconds": 0.0} for one in steps]}
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_answer_and_its_trace_are_as_they_were_kept(knowledge: Path, case: Case) -> None:
    told = asyncio.run(_asked(knowledge, case))
    kept = KEPT / f"{case.id}.json"
    if os.environ.get("SEXTANT_GOLDEN") == "write":
        KEPT.mkdir(exist_ok=True)
        kept.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert told == json.loads(kept.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_source_of_a_kept_answer_still_stands(knowledge: Path, case: Case) -> None:
    answer = _kept(case.id)

    async def task() -> None:
        async with await open_sextant(sample_settings(knowledge)) as sextant:
            checked = await sextant.verify(Scope(personas=case.personas), answer)
            assert checked.ok, checked.failed

    asyncio.run(task())


def test_tampering_with_a_document_breaks_the_answers_that_cite_it(
    knowledge: Path, tmp_path: Path
) -> None:
    shutil.copytree(knowledge, tmp_path / "store")
    answer = _kept("one-hop-01")
    cited = answer.citations[0]

    async def task() -> None:
        async with await open_sextant(sample_settings(tmp_path / "store")) as sextant:
            units = await sextant.store.truth.units(SCOPE, [cited.document_id])
            unit: Put = units[cited.document_id]
            chunks = tuple(
                type(one)(one.id, one.text.replace("Team Y", "Team Z"), one.start, one.end)
                for one in unit.chunks
            )
            await sextant.write(SCOPE, [Put(unit.document, chunks)])
            checked = await sextant.verify(Scope(), answer)
            assert not checked.ok
            assert any(cited.label in one.name for one in checked.failed)

    asyncio.run(task())
