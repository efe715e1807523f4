"""Runs at the same moment, into one store, know what the other did before they write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.ingest.keeping.overrule import OVERRULES
from sextant.ports import Records, Truth
from tests.ingest.folders import SCOPE, lay_out, settings_at
from tests.ingest.keeping.test_lease import Refused

PAGES = {f"{at}.md": f"# Pump {at}x\n\nPump {at}x needs Valve {at}x.\n" for at in range(5)}


class Beginning:
    """A truth at whose first call of a kind another run begins, and comes as far as it can."""

    def __init__(self, truth: Any, kind: str, begin: Callable[[], Awaitable[None]]) -> None:
        self._truth, self._kind, self._begin = truth, kind, begin
        self._is_due = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._truth, name)

    async def write(self, *given: Any) -> Any:
        await self._begin_at("write")
        return await self._truth.write(*given)

    async def units(self, scope: Any, ids: Sequence[str]) -> Any:
        found = await self._truth.units(scope, ids)
        await self._begin_at("words" if not ids or ids[0].startswith(OVERRULES) else "units")
        return found

    async def _begin_at(self, kind: str) -> None:
        if self._is_due and kind == self._kind:
            self._is_due = False
            await self._begin()


async def both(
    home: Path, kind: str, one: Callable[[Sextant], Any], other: Callable[[Sextant], Any]
) -> tuple[Any, Any]:
    """Let one run, and in the midst of it another one from a second process's point of view."""
    chosen = settings_at(home / "store")
    async with await open_sextant(chosen) as first, await open_sextant(chosen) as opened:
        records = Refused(opened.store.records)
        store = replace(opened.store, records=cast("Records", records))
        second = replace(opened, store=store)
        tasks: list[asyncio.Task[Any]] = []

        async def begin() -> None:
            refused = asyncio.create_task(records.heard.wait())
            tasks.append(asyncio.create_task(other(second)))
            await asyncio.wait([refused, *tasks], return_when=asyncio.FIRST_COMPLETED)
            refused.cancel()

        truth = cast("Truth", Beginning(first.store.truth, kind, begin))
        done = await one(replace(first, store=replace(first.store, truth=truth)))
        return done, await tasks[0]


def test_the_second_of_two_runs_over_one_folder_finds_it_unchanged(tmp_path: Path) -> None:
    lay_out(tmp_path / "docs", PAGES)

    def ingest(core: Sextant) -> Any:
        return core.ingest(SCOPE, [str(tmp_path / "docs")])

    first, second = asyncio.run(both(tmp_path, "write", ingest, ingest))
    assert (first.added, first.updated, first.unchanged) == (5, 0, 0)
    assert (second.added, second.updated, second.unchanged) == (0, 0, 5)
    assert (second.done, second.documents) == (5, first.documents)


def test_what_two_people_say_of_a_name_at_the_same_moment_is_kept(tmp_path: Path) -> None:
    lay_out(tmp_path / "docs", PAGES)

    async def run() -> None:
        async with await open_sextant(settings_at(tmp_path / "store")) as core:
            await core.ingest(SCOPE, [str(tmp_path / "docs")])
        await both(
            tmp_path,
            "words",
            lambda core: core.alias(SCOPE, "pump-1x", "Big One"),
            lambda core: core.alias(SCOPE, "pump-1x", "Old One"),
        )
        async with await open_sextant(settings_at(tmp_path / "store")) as core:
            (pump,) = (await core.entities(SCOPE, ["pump-1x"])).values()
            assert {"Big One", "Old One"} <= pump.aliases

    asyncio.run(run())
