"""What a model found in a document is kept nowhere once the document is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sextant.core import Sextant
from sextant.errors import ModelBudgetSpent
from sextant.ingest.flow import Options
from tests.ingest.clerk import clerk, modelled, reading
from tests.ingest.folders import SCOPE, Tree, lay_out

STAYS: Tree = {"a.md": "# Service A\n\nTidal Desk leans on Harbor Queue.\n"}
GOES = "# Service B\n\nSalt Box leans on Dock Store.\n"
SYNC = Options(sync=True)


def held(home: Path) -> tuple[bool, bool]:
    """Return whether the cache holds what was found in the document that stays and the other."""
    kept = (home / "store.cache" / "extracted.sqlite").read_bytes()
    return b"Tidal Desk" in kept, b"Salt Box" in kept


async def remove(sextant: Sextant, _: str) -> None:
    assert await sextant.remove(SCOPE, ["docs/b.md"]) == 1


async def sync(sextant: Sextant, docs: str) -> None:
    lay_out(Path(docs), STAYS)
    assert (await sextant.ingest(SCOPE, [docs], SYNC)).removed == 1


async def sync_beyond_the_bound(sextant: Sextant, docs: str) -> None:
    lay_out(Path(docs), {**STAYS, "c.md": "Night Crew leans on Pier Nine."})
    with pytest.raises(ModelBudgetSpent):
        await sextant.ingest(SCOPE, [docs], Options(sync=True, max_cost=0.0))


@pytest.mark.parametrize(
    ("go", "extractor"),
    [
        (remove, "llm"),
        (remove, ""),
        (sync, "llm"),
        (sync, ""),
        (sync_beyond_the_bound, "llm"),
    ],
)
def test_what_was_found_in_a_document_goes_with_it(
    tmp_path: Path, go: Callable[[Sextant, str], Awaitable[None]], extractor: str
) -> None:
    docs = str(tmp_path / "docs")

    async def task() -> None:
        lay_out(tmp_path / "docs", {**STAYS, "b.md": GOES.replace("Salt", "Sweet")})
        async with reading(modelled(tmp_path / "store"), clerk()) as sextant:
            await sextant.ingest(SCOPE, [docs])
            lay_out(tmp_path / "docs", {**STAYS, "b.md": GOES})
            await sextant.ingest(SCOPE, [docs])
        assert held(tmp_path) == (True, True)
        async with reading(modelled(tmp_path / "store", extractor=extractor), clerk()) as sextant:
            await go(sextant, docs)
        assert held(tmp_path) == (True, False)
        assert b"Sweet Box" not in (tmp_path / "store.cache" / "extracted.sqlite").read_bytes()

    asyncio.run(task())


def test_a_dry_run_forgets_nothing_and_another_name_is_not_paid_for(tmp_path: Path) -> None:
    docs, model = str(tmp_path / "docs"), clerk()

    async def task() -> None:
        async with reading(modelled(tmp_path / "store"), model) as sextant:
            lay_out(tmp_path / "docs", {**STAYS, "b.md": GOES})
            await sextant.ingest(SCOPE, [docs])
            model.prompts.clear()
            lay_out(tmp_path / "docs", {**STAYS, "moved.md": GOES})
            await sextant.ingest(SCOPE, [docs], Options(sync=True, dry_run=True))
            assert held(tmp_path) == (True, True)
            report = await sextant.ingest(SCOPE, [docs], SYNC)
            assert (report.added, report.removed, model.prompts) == (1, 1, [])
        assert held(tmp_path) == (True, False)

    asyncio.run(task())
