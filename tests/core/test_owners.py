"""Documents handed over: a new key goes on where the one it replaces ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.core.entries import Entries, Entry
from sextant.errors import Conflict, Forbidden, InvalidInput, NotFound
from sextant.ingest.flow import Options
from sextant.ingest.keeping.keep import SETTLED
from sextant.limits import Limits
from sextant.settings import Settings
from sextant.types import OPERATOR, Put, Scope
from tests.ingest.folders import lay_out
from tests.serve.jobs.working import in_loop

ALL = Scope(roles=frozenset({OPERATOR}))
OLD, NEW, OTHER = (Scope(user=f"key:{name}") for name in ("old", "new", "other"))
PAGES = {
    "a.md": "# Service A\n\nService A depends on Harbor Queue.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue is a queue owned by Team Y.\n",
}


@asynccontextmanager
async def filled(folder: Path, limits: Limits = Limits()) -> AsyncIterator[Sextant]:  # noqa: B008
    """Open a store with two pages and an entry of one key, and an entry of another."""
    lay_out(folder / "docs", PAGES)
    settings = Settings(store=f"sqlite:{folder}/s", embedder="tiny:16", limits=limits)
    async with await open_sextant(settings) as core:
        await core.ingest(OLD, [str(folder / "docs")])
        await Entries(core).upsert(OLD, Entry("entry", "Team Y is awake."))
        await Entries(core).upsert(OTHER, Entry("apart", "Team Z sleeps."))
        yield core


async def owners(core: Sextant) -> dict[str, str]:
    return {one.id: one.owner for one in await core.store.truth.documents(ALL)}


@in_loop
async def test_a_new_key_replaces_what_the_old_one_brought_once_it_is_handed_over(
    tmp_path: Path,
) -> None:
    async with filled(tmp_path) as core:
        with pytest.raises(Conflict, match="That id is taken"):
            await Entries(core).upsert(NEW, Entry("entry", "Team Y is asleep."))
        assert await core.hand_over(ALL, "key:old", "key:new") == 3
        new = dict.fromkeys(("docs/a.md", "docs/queue.md", "entry"), "key:new")
        assert await owners(core) == {**new, "apart": "key:other"}
        await Entries(core).upsert(NEW, Entry("entry", "Team Y is asleep."))
        lay_out(tmp_path / "docs", {"a.md": "# Service A\n\nService A needs nobody.\n"})
        report = await core.ingest(NEW, [str(tmp_path / "docs")], Options(sync=True))
        assert not report.failed
        with pytest.raises(Conflict, match="That id is taken"):
            await Entries(core).upsert(OLD, Entry("entry", "Team Y is back."))


@in_loop
async def test_handing_over_is_one_commit_and_changes_nothing_else(tmp_path: Path) -> None:
    async with filled(tmp_path) as core:
        await core.ingest(ALL, [str(tmp_path / "docs")], Options(dry_run=True))
        before = await core.store.truth.units(ALL, ["docs/a.md", "docs/queue.md", "entry"])
        commit = await core.store.truth.commit(ALL)
        await core.hand_over(ALL, "key:old", "key:new")
        assert await core.store.truth.commit(ALL) == commit + 1
        after = await core.store.truth.units(ALL, list(before))
        for name, unit in before.items():
            assert _content(after[name]) == _content(unit)
            assert after[name].key != unit.key


def _content(unit: Put) -> object:
    vectors = b"" if unit.vectors is None else unit.vectors.tobytes()
    return unit.chunks, unit.entities, unit.relations, vectors, unit.pieces


@in_loop
async def test_what_was_handed_over_need_not_be_linked_anew(tmp_path: Path) -> None:
    async with filled(tmp_path) as core:
        await core.remove(ALL, ["apart"])  # settles what entries left to settle
        await core.hand_over(ALL, "key:old", "key:new")
        commit = await core.store.truth.commit(ALL)
        assert (await core.store.records.counters(ALL, [SETTLED]))[SETTLED] == commit


@in_loop
async def test_more_than_a_batch_is_handed_over_in_several_commits(tmp_path: Path) -> None:
    async with filled(tmp_path, Limits(batch=2)) as core:
        assert await core.hand_over(ALL, "key:old", OPERATOR) == 3
        assert sorted((await owners(core)).values()) == ["", "", "", "key:other"]


@in_loop
async def test_only_who_curates_hands_over_and_says_whom(tmp_path: Path) -> None:
    async with filled(tmp_path) as core:
        for scope in (OLD, NEW):
            with pytest.raises(Forbidden, match="Only an admin"):
                await core.hand_over(scope, "key:old", "key:new")
        with pytest.raises(InvalidInput, match="the same"):
            await core.hand_over(ALL, "key:old", "key:old")
        with pytest.raises(InvalidInput):
            await core.hand_over(ALL, "key:old", "")
        with pytest.raises(NotFound, match="owns no documents"):
            await core.hand_over(ALL, "key:none", "key:new")
