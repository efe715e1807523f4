"""How much a change makes ingest read again: what it concerns, and no more."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from sextant.build import build
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import MemoryStore
from tests.ingest.counting import Counting
from tests.ingest.folders import SCOPE, lay_out
from tests.stores.sparse import SparseStore

PAGES = 120


@pytest.mark.parametrize("kind", [MemoryStore, SparseStore])
def test_one_changed_page_of_many_loads_one_unit(tmp_path: Path, kind: type[MemoryStore]) -> None:
    async def run() -> None:
        pages = {f"{at:03}.md": f"# Part {at}\n\nPart {at} is fine.\n" for at in range(PAGES)}
        async with await build(Settings(store="memory:", embedder="tiny:8")) as opened:
            store = Counting(kind(Settings(), opened.embedder.identity))
            core = replace(opened, store=cast("Store", store))
            lay_out(tmp_path / "docs", pages)
            assert (await core.ingest(SCOPE, [str(tmp_path / "docs")])).added == PAGES
            assert store.loaded == 0
            lay_out(tmp_path / "docs", pages | {"007.md": "# Part 7\n\nPart 7 is down.\n"})
            assert (await core.ingest(SCOPE, [str(tmp_path / "docs")])).updated == 1
            assert store.loaded == 1

    asyncio.run(run())
