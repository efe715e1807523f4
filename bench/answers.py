"""The adapter for the scorer of answers: take a folder in, and ask as a user would.

``python ../shared/eval/answers.py --factory bench.answers:Sextant argo-cd prometheus handbook``
makes ``Sextant()`` for every set. What it gets is the default install, offline.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.core import Sextant as Core
from sextant.settings import Settings
from sextant.types import Scope

_SHOWN = 10
"""Passages that the scorer looks at."""


class Sextant:
    """A store in a folder of its own, gone once it is closed."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._place = tempfile.TemporaryDirectory(prefix="sextant-bench-")
        settings = replace(Settings(), store=f"sqlite:{self._place.name}/store")
        self._core: Core = self._runner.run(open_sextant(settings))

    def load(self, folder: Path) -> None:
        """Take in all files of a folder, as a user would."""
        self._runner.run(self._core.ingest(Scope(), [str(folder)]))

    def ask(self, question: str) -> dict[str, Any]:
        """Return an answer as a reader sees it."""
        answer = self._runner.run(self._core.ask(Scope(), question))
        return {
            "text": answer.text,
            "told": answer.verdict.sufficient,
            "confidence": answer.verdict.confidence,
            "documents": [one.document_id for one in answer.citations],
        }

    def search(self, question: str) -> list[dict[str, str]]:
        """Return the best passages, best first."""
        ranked = self._runner.run(self._core.search(Scope(), Question(question, k=_SHOWN)))
        return [
            {"document": hit.passage.document.id, "text": hit.passage.chunk.text}
            for hit in ranked.hits
        ]

    def close(self) -> None:
        """Let go of the store."""
        self._runner.run(self._core.close())
        self._runner.close()
        self._place.cleanup()
