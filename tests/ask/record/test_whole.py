"""Every answer to the sample's questions holds, comes back from its file, and notices tampering."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sextant
from sextant.ask.evaluate.cases import Case, question_of, read_cases
from sextant.ask.question import Question
from sextant.ask.record.fields import digest_of, saved
from sextant.ask.record.load import read
from sextant.ask.record.verify import Verification
from sextant.build import open_sextant
from sextant.settings import Settings
from sextant.types import Answer, Scope
from tests.ingest.folders import SCOPE

SAMPLE = Path(sextant.__file__).parent / "sample"
LIKE = Question("", now=datetime(2026, 10, 31, tzinfo=UTC))
CASES = [
    case
    for case in read_cases((SAMPLE / "questions.jsonl").read_text(encoding="utf-8"))
    if case.split == "train"
]
Told = tuple[Case, Answer, Verification]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """Every question that was asked, its answer, and whether that holds."""
    folder = tmp_path_factory.mktemp("whole")
    shutil.copytree(SAMPLE / "knowledge", folder / "knowledge")
    settings = Settings(store=f"sqlite:{folder / 'store'}", embedder="tiny:64")

    async def task() -> list[Told]:
        found = []
        async with await open_sextant(settings) as sextant:
            await sextant.ingest(SCOPE, [str(folder / "knowledge")])
            for case in CASES:
                scope = Scope(personas=case.personas)
                answer = await sextant.ask(scope, question_of(case, LIKE))
                checked = await sextant.verify(scope, answer, digest_of(answer))
                found.append((case, answer, checked))
        return found

    return asyncio.run(task())


def test_every_answer_holds(told: list[Told]) -> None:
    failed = [(case.id, one.name, one.says) for case, _, own in told for one in own.failed]
    assert failed == []
    assert sum(bool(answer.statements) for _, answer, _ in told) > len(told) / 2


def test_every_answer_comes_back_from_its_file(told: list[Told]) -> None:
    for case, answer, _ in told:
        again = read(saved(answer))
        assert saved(again.answer) == saved(answer), case.id
        assert again.digest == digest_of(again.answer) == digest_of(answer)
        assert replace(again.answer, trace=answer.trace) == answer
