"""How much a change makes ingest read again: what it concerns, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.ingest.flow import Options
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import EmbedderIdentity
from tests.ingest.counting import counting_store
from tests.ingest.folders import SCOPE, lay_out
from tests.stores.sparse import sparse_store

Made = Callable[[Settings, EmbedderIdentity | None], Store]
PAGES = 120


@pytest.mark.parametrize("made", [new_store, sparse_store])
def test_one_changed_page_of_many_loads_one_unit(tmp_path: Path, made: Made) -> None:
    async def run() -> None:
        pages = {f"{at:03}.md": f"# Part {at}\n\nPart {at} is fine.\n" for at in range(PAGES)}
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as opened:
            store, counting = counting_store(made(Settings(), opened.embedder.identity))
            core = replace(opened, store=store)
            lay_out(tmp_path / "docs", pages)
            words = Options(words_only=True)
            assert (await core.ingest(SCOPE, [str(tmp_path / "docs")], words)).added == PAGES
            assert counting.loaded == 0
            lay_out(tmp_path / "docs", pages | {"007.md": "# Part 7\n\nPart 7 is down.\n"})
            assert (await core.ingest(SCOPE, [str(tmp_path / "docs")], words)).updated == 1
            assert counting.loaded == 1

    asyncio.run(run())
