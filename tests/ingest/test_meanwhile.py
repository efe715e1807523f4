"""What happens to documents while others are brought in is not undone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import StoreFull
from sextant.ingest.flow import Options
from sextant.ingest.report import Report
from sextant.ports import Purpose, Truth
from sextant.settings import Settings
from sextant.types import OPERATOR, Put, Receipt, Remove, Scope
from tests.ingest.folders import dump, lay_out, settings_at

ALL = Scope(roles=frozenset({OPERATOR}))
REST = f"\n## Rest\n\n{'It stays as it was. ' * 60}\n"
"""What is known of a page, so that the little that is new is embedded before it is written."""


class Slow:
    """An embedder in whose time a document becomes somebody else's, once."""

    def __init__(self, core: Sextant) -> None:
        self._core, self.is_due = core, False
        self.identity, self.close = core.embedder.identity, core.embedder.close

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        if self.is_due:
            self.is_due = False
            store = self._core.store
            unit = (await store.truth.units(ALL, ["docs/plan.md"]))["docs/plan.md"]
            hidden = replace(unit.document, personas=frozenset({"hr"}))
            await store.truth.write(ALL, [replace(unit, document=hidden, key="")])
        return await self._core.embedder.embed(texts, purpose)


@pytest.mark.parametrize(
    "options", [Options(personas=("a", "b"), seen_by=("a", "b")), Options(seen_by=())]
)
def test_what_is_hidden_during_the_embedding_is_not_replaced(
    tmp_path: Path, options: Options
) -> None:
    async def run() -> None:
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as opened:
            slow = Slow(opened)
            core = replace(opened, embedder=slow)
            lay_out(tmp_path / "docs", {"plan.md": f"# Plan\n\nOne.\n{REST}"})
            await core.ingest(ALL, [str(tmp_path / "docs")])
            slow.is_due = True
            lay_out(tmp_path / "docs", {"plan.md": f"# Plan\n\nTwo.\n{REST}"})
            report = await core.ingest(ALL, [str(tmp_path / "docs")], options)
            assert [one.error.code for one in report.failed] == ["outdated"]
            unit = (await core.store.truth.units(ALL, ["docs/plan.md"]))["docs/plan.md"]
            assert unit.document.personas == {"hr"}
            assert "One." in unit.chunks[0].text

    asyncio.run(run())


def over(core: Sextant, truth: object) -> Sextant:
    """Return a core whose store has another truth."""
    return replace(core, store=replace(core.store, truth=cast("Truth", truth)))


class Between:
    """A truth in which a document goes between being read whole and being written."""

    def __init__(self, core: Sextant, document_id: str) -> None:
        self._truth, self._document_id = core.store.truth, document_id
        self.is_due = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._truth, name)

    async def units(self, scope: Scope, ids: Sequence[str]) -> object:
        found = await self._truth.units(scope, ids)
        if self.is_due and self._document_id in found:
            self.is_due = False
            await self._truth.write(scope, [Remove(self._document_id)])
        return found


def test_a_document_that_goes_while_others_are_linked_anew_does_not_come_back(
    tmp_path: Path,
) -> None:
    async def run() -> list[str]:
        async with await open_sextant(Settings(store="memory:", embedder="tiny:8")) as opened:
            truth = Between(opened, "docs/a.md")
            core = over(opened, truth)
            a = {"a.md": "# Alpha\n\nAlpha needs the harbor queue.\n"}
            lay_out(tmp_path / "docs", a)
            await core.ingest(ALL, [str(tmp_path / "docs")])
            truth.is_due = True
            queue = "# Harbor Queue\n\nHarbor Queue (HQ) is a queue owned by Team Y.\n"
            lay_out(tmp_path / "docs", {**a, "queue.md": queue})
            await core.ingest(ALL, [str(tmp_path / "docs")])
            assert not truth.is_due
            return [one.id for one in await opened.store.truth.documents(ALL)]

    assert asyncio.run(run()) == ["docs/queue.md"]


class Faster:
    """A truth in which another process is faster whenever a document is to be linked anew."""

    def __init__(self, core: Sextant, act: Callable[[], Awaitable[object]]) -> None:
        self._truth, self._act = core.store.truth, act
        self.is_due = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._truth, name)

    async def units(self, scope: Scope, ids: Sequence[str]) -> object:
        found = await self._truth.units(scope, ids)
        if self.is_due and "docs/a.md" in found:
            self.is_due = False
            await self._act()
        return found


def test_what_another_process_linked_first_is_made_up_for_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trees = {
        "docs": {"a.md": "# Alpha\n\nAlpha needs the harbor queue and the zebra gate.\n"},
        "gates": {"gate.md": "# Zebra Gate\n\nZebra Gate is a gate owned by Team Z.\n"},
        "queues": {"queue.md": "# Harbor Queue\n\nHarbor Queue is a queue owned by Team Y.\n"},
    }
    docs, gates, queues = (str(tmp_path / name) for name in trees)
    for name, tree in trees.items():
        lay_out(tmp_path / name, tree)

    async def in_turn() -> list[str]:
        async with await open_sextant(settings_at(tmp_path / "in-turn")) as core:
            await core.ingest(ALL, [docs, gates, queues])
            return await dump(core)

    async def at_once() -> list[str]:
        chosen = settings_at(tmp_path / "at-once")
        # It does not wait for its turn, as one that waited for too long.
        beside = replace(chosen, ingest=replace(chosen.ingest, wait_seconds=0.0))
        async with await open_sextant(chosen) as opened, await open_sextant(beside) as other:
            truth = Faster(opened, lambda: other.ingest(ALL, [gates]))
            core = over(opened, truth)
            await core.ingest(ALL, [docs])
            truth.is_due = True
            await core.ingest(ALL, [queues])
            assert not truth.is_due
            return await dump(opened)

    assert asyncio.run(at_once()) == asyncio.run(in_turn())
    assert caplog.records == []


class Filling:
    """A truth that is full after the first write of a document."""

    def __init__(self, core: Sextant) -> None:
        self._truth, self._is_full = core.store.truth, False

    def __getattr__(self, name: str) -> object:
        return getattr(self._truth, name)

    async def write(self, scope: Scope, changes: Sequence[Put | Remove]) -> Receipt:
        if changes and self._is_full:
            raise StoreFull("There is no room left; nothing of this call was kept.", "Free some.")
        self._is_full = bool(changes)
        return await self._truth.write(scope, changes)


def test_a_store_that_is_full_does_not_deny_what_it_took_in(tmp_path: Path) -> None:
    async def run() -> None:
        async with await open_sextant(settings_at(tmp_path / "store")) as opened:
            core = over(opened, Filling(opened))
            lay_out(tmp_path / "docs", {f"{n:02}.md": f"# Part {n}\n\nOne.\n" for n in range(40)})
            heard: list[Report] = []
            with pytest.raises(StoreFull, match="taken in before that is kept") as full:
                await core.ingest(ALL, [str(tmp_path / "docs")], emit=heard.append)
            assert "nothing" not in str(full.value)
            assert len(await opened.store.truth.documents(ALL)) == heard[-1].added > 0

    asyncio.run(run())
