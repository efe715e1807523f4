"""Processes that bring documents into one tenant at the same time take turns."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from sextant.build import open_sextant
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.keep import SETTLED, Keeper
from sextant.ingest.keeping.lease import Sharing
from sextant.ports import Records
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import Lease, Put, Scope
from tests.ingest.counting import counting_store
from tests.ingest.folders import SCOPE, Tree, dump, lay_out
from tests.ingest.keeping.test_keep import STATED, make
from tests.ingest.sharing import Bringer, Done, bring_at_once, sharing

PAGES = 120
FILLER = "Nothing of note happens here, and it goes on for quite a while. "


def _apart(name: str) -> Tree:
    """Return pages of which none speaks of another."""
    return {
        f"{at:03}.md": f"# {name} {at}x\n\n{name} {at}x is fine. {FILLER * 14}"
        for at in range(PAGES)
    }


def _speaking(name: str, other: str) -> Tree:
    """Return pages that speak of each other, and of those of another folder."""
    return {
        f"{at:03}.md": f"# {name} {at}x\n\n{name} {at}x depends on {other} {at}x. {name} {at}x "
        f"calls {name} {(at * 7) % PAGES}x. {FILLER * 14}"
        for at in range(PAGES)
    }


def _stored(home: Path, *sources: str) -> list[str]:
    """Return what the store holds after these folders came in, one after the other."""

    async def run() -> list[str]:
        async with await open_sextant(sharing(home)) as core:
            for source in sources:
                await core.ingest(SCOPE, [str(home / source)])
            await core.embed_waiting(SCOPE)
            assert not await core.store.admin.check(SCOPE)
            counters = await core.store.records.counters(SCOPE, [SETTLED])
            assert counters[SETTLED] == await core.store.truth.commit(SCOPE)
            return await dump(core)

    return asyncio.run(run())


def test_two_processes_do_not_read_again_what_the_other_brought(tmp_path: Path) -> None:
    lay_out(tmp_path / "docs", _apart("Pump"))
    lay_out(tmp_path / "wiki", _apart("Valve"))
    assert bring_at_once(tmp_path, ["docs", "wiki"]) == [Done(PAGES, 0)] * 2
    assert len(_stored(tmp_path)) > 2 * PAGES


def test_what_two_processes_bring_at_once_is_linked_as_if_one_had(tmp_path: Path) -> None:
    for home in (tmp_path / "at-once", tmp_path / "in-turn"):
        lay_out(home / "docs", _speaking("Pump", "Valve"))
        lay_out(home / "wiki", _speaking("Valve", "Pump"))
    assert [one.added for one in bring_at_once(tmp_path / "at-once", ["docs", "wiki"])] == [120] * 2
    in_turn = _stored(tmp_path / "in-turn", "docs", "wiki")
    assert _stored(tmp_path / "at-once") == in_turn


class Refused:
    """Records that tell when somebody else has the lease."""

    def __init__(self, records: Any) -> None:
        self._records, self.heard = records, asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    async def take_lease(self, *asked: Any) -> Lease | None:
        lease: Lease | None = await self._records.take_lease(*asked)
        if lease is None:
            self.heard.set()
        return lease


def test_a_process_that_is_killed_in_its_turn_holds_nobody_up(tmp_path: Path) -> None:
    for home in (tmp_path / "killed", tmp_path / "in-turn"):
        lay_out(home / "docs", _speaking("Pump", "Valve"))
        lay_out(home / "wiki", _speaking("Valve", "Pump"))
    home = tmp_path / "killed"

    async def beside() -> None:
        bringer = await asyncio.to_thread(Bringer, home, "docs", 3)
        bringer.begin()
        assert await asyncio.to_thread(bringer.hear) == "stopped"
        async with await open_sextant(sharing(home)) as opened:
            records = Refused(opened.store.records)
            store = replace(opened.store, records=cast("Records", records))
            core = replace(opened, store=store)
            coming = asyncio.create_task(core.ingest(SCOPE, [str(home / "wiki")]))
            await records.heard.wait()
            bringer.kill()
            assert (await coming).added == PAGES

    asyncio.run(beside())
    in_turn = _stored(tmp_path / "in-turn", "docs", "wiki")
    assert _stored(home, "docs") == in_turn


def _fail(unit: Put, error: Exception) -> None:
    raise AssertionError(unit.document.id) from error


def _many(first: int) -> list[Draft]:
    """Return more documents than one commit takes."""
    said = ["Svc-A calls the Ledger API and Harbor Queue.", FILLER * 60]
    made = [make(first + at, f"Ledger {at}", said, STATED[: at % 4]) for at in range(40)]
    return [replace(draft, fingerprint=draft.document.id) for draft in made]


@pytest.mark.parametrize("wait", [60.0, 0.0])
def test_what_comes_in_by_turns_or_beside_each_other_is_linked_the_same(wait: float) -> None:
    async def played(*runs: list[Draft]) -> list[str]:
        store = new_store(Settings(), None)

        async def bring(drafts: list[Draft]) -> None:
            keeper = Keeper(store, None, SCOPE, Sharing(0.0, wait))
            await keeper.open()
            await keeper.put(drafts, lambda *_: None, _fail)
            await keeper.close()

        await asyncio.gather(*(bring(run) for run in runs))
        settled = (await store.records.counters(SCOPE, [SETTLED]))[SETTLED]
        assert settled == await store.truth.commit(SCOPE)
        return [line async for line in store.admin.dump(SCOPE) if '"ingest.' not in line]

    one, other = _many(0), _many(40)
    assert asyncio.run(played(one, other)) == asyncio.run(played(one + other))


def test_whoever_writes_without_a_turn_is_noticed() -> None:
    early = make(0, "Notes", ["service a depends on harbor queue."])
    stranger = Scope(SCOPE.tenant)

    async def task() -> None:
        store = new_store(Settings(), None)
        counted, counting = counting_store(store)
        keeper = Keeper(counted, None, SCOPE)
        await keeper.open()
        await keeper.put([early], lambda *_: None, _fail)
        (unit,) = (await store.truth.units(SCOPE, ["doc0"])).values()
        other = replace(unit.document, id="other")
        await store.truth.write(stranger, [Put(other)])
        await keeper.put([make(1, "Catalogue", [], STATED)], lambda *_: None, _fail)
        before = counting.loaded
        await keeper.close()
        assert counting.loaded == before + 3
        settled = (await store.records.counters(SCOPE, [SETTLED]))[SETTLED]
        assert settled == await store.truth.commit(SCOPE)

    asyncio.run(task())


class Overtaken:
    """Records in which another run settles everything just after it was read how far that is."""

    def __init__(self, records: Any, other: Keeper) -> None:
        self._records, self._other = records, other
        self.is_overtaken = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    async def counters(self, *asked: Any) -> Any:
        counted = await self._records.counters(*asked)
        if not self.is_overtaken and await self._other.store.truth.commit(SCOPE):
            self.is_overtaken = True
            await self._other.open()
        return counted


def test_two_runs_that_say_how_far_all_is_settled_do_not_add_up() -> None:
    async def task() -> None:
        store = new_store(Settings(), None)
        records = Overtaken(store.records, Keeper(store, None, SCOPE, Sharing(0.0, 0.0)))
        beside = replace(store, records=cast("Records", records))
        keeper = Keeper(beside, None, SCOPE, Sharing(0.0, 0.0))
        await keeper.put([make(0, "Notes", ["Nothing."])], lambda *_: None, _fail)
        assert records.is_overtaken
        settled = (await store.records.counters(SCOPE, [SETTLED]))[SETTLED]
        assert settled == await store.truth.commit(SCOPE) == 1

    asyncio.run(task())
