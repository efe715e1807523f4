"""The sample knowledge in a store, and the questions to ask it that may be tuned for."""

from __future__ import annotations

import json
from pathlib import Path

from sextant.build import open_sextant
from sextant.settings import Settings
from sextant.types import Scope

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "sextant" / "sample"


def read_questions(kind: str = "") -> list[str]:
    """Return the questions, or those of one kind."""
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    own = [case for case in cases if case.get("split") == "train"]
    return [case["question"] for case in own if not kind or case["kind"] == kind]


async def fill_store(folder: Path) -> str:
    """Take the sample in, and return the store as settings name it."""
    settings = Settings(store=f"sqlite:{folder}/store")
    async with await open_sextant(settings) as sextant:
        await sextant.ingest(Scope(), [str(SAMPLE / "knowledge")])
    return settings.store
