"""The adapter for scorers of retrieval: take a corpus in as it comes, and search as a user would.

A scorer makes ``Sextant()``, calls ``index`` once with rows of id, title and text, and ``search``
for every question. What it gets is the default install: no model but the embedder, one setting for
all sets.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sextant.ask.question import Question
from sextant.build import open_sextant
from sextant.core import Sextant as Core
from sextant.settings import Settings
from sextant.types import Scope

_FOLDER, _FILE = "corpus", "corpus.jsonl"
_CHUNKS_A_PASSAGE = 2
"""A long passage is several chunks; so many are asked for, for each passage wanted."""


class Sextant:
    """A store in a folder of its own, gone with the process."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._place = tempfile.TemporaryDirectory(prefix="sextant-bench-")
        self._core: Core | None = None

    def index(self, corpus: Sequence[Mapping[str, str]]) -> None:
        """Take in a corpus through the front door, as a folder with one file of lines."""
        folder = Path(self._place.name) / _FOLDER
        folder.mkdir()
        rows = ({name: row[name] for name in ("id", "title", "text")} for row in corpus)
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / _FILE).write_text(lines, encoding="utf-8")
        self.open(f"{self._place.name}/store")
        self._runner.run(self._open.ingest(Scope(), [str(folder)]))

    def open(self, folder: str) -> None:
        """Open a store, new or not."""
        settings = replace(Settings(), store=f"sqlite:{folder}")
        self._core = self._runner.run(open_sextant(settings))

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best passages, best first."""
        question = Question(text, k=k * _CHUNKS_A_PASSAGE)
        ranked = self._runner.run(self._open.search(Scope(), question))
        ids = (hit.passage.document.id.partition(f"{_FILE}#")[2] for hit in ranked.hits)
        return list(dict.fromkeys(ids))[:k]

    @property
    def _open(self) -> Core:
        if self._core is None:
            raise RuntimeError("Nothing is indexed yet.")
        return self._core
