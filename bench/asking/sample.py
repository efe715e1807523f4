"""The sample knowledge for fitting: each training question with its documents, and without them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from bench.asking.rows import Row, signs_in
from bench.asking.sets import settings
from sextant.ask.evaluate.cases import Case, question_of, read_cases
from sextant.ask.evaluate.score import is_named, score
from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.settings import load
from sextant.types import OPERATOR, Answer, Scope

NAME = "sample"
QUESTIONS = Path(__file__).parents[1] / "questions"


async def sample_rows(folder: Path, like: Question) -> list[Row]:
    """Ask every training question of the sample, and again in a store without what answers it."""
    store = await taken_in(folder / NAME)
    async with await open_sextant(settings(store)) as sextant:
        answers = [await _answer(sextant, case, like) for case in training()]
    rows = [
        _row(case, answer, case.is_answerable)
        for case, answer in zip(training(), answers, strict=True)
    ]
    cases = [case for case in training() if case.is_answerable]
    copy = folder / "sample-without"
    without = [await _asked_without(store, copy, case, like) for case in cases]
    return rows + [row for row in without if row is not None]


def training() -> list[Case]:
    """Return the questions that may be fitted to: for training, and those beside the bench."""
    text = (files("sextant") / NAME / "questions.jsonl").read_text(encoding="utf-8")
    own = [case for case in read_cases(text) if case.split == "train"]
    return own + [
        case
        for path in sorted(QUESTIONS.glob("*.jsonl"))
        for case in read_cases(path.read_text(encoding="utf-8"))
    ]


async def taken_in(folder: Path) -> Path:
    """Return a store of the sample knowledge, made at the first time."""
    ready = folder / "ready"
    if not ready.exists():
        with as_file(files("sextant") / NAME) as sample:
            rules = load(sample, {}).settings
            chosen = replace(rules, store=f"sqlite:{folder / 'store'}")
            async with await open_sextant(chosen) as sextant:
                await sextant.ingest(Scope(), [str(sample / "knowledge")])
        ready.touch()
    return folder / "store"


async def _asked_without(store: Path, copy: Path, case: Case, like: Question) -> Row | None:
    """Ask without the documents that answer a question; None where others say the same."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    everything = Scope(roles=frozenset({OPERATOR}))
    async with await open_sextant(settings(copy)) as sextant:
        known = await sextant.store.truth.documents(everything, limit=1_000)
        gone = [one.id for one in known if any(is_named(path, one.id) for path in case.documents)]
        await sextant.remove(everything, gone)
        answer = await _answer(sextant, case, like)
    return None if not score(case, answer).lacking else _row(case, answer, False)


async def _answer(sextant: Sextant, case: Case, like: Question) -> Answer:
    return await sextant.ask(Scope(personas=case.personas), question_of(case, like))


def _row(case: Case, answer: Answer, held: bool) -> Row:
    cited = [one.document_id for one in answer.citations]
    hit = any(is_named(path, own) for path in case.documents for own in cited)
    verdict = answer.verdict
    return Row(NAME, case.id, held, verdict.confidence, verdict.sufficient, hit, signs_in(answer))
