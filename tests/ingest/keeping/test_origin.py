"""A source stays with the places that it was read from; another of its name replaces nothing."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sextant.build import open_sextant
from sextant.errors import Conflict
from sextant.ingest.flow import AS_USUAL, Options
from sextant.ingest.sources import place_of
from tests.ingest.folders import SCOPE, Workplace, lay_out, settings_at, workplace

ONE = {"readme.md": "# One\n\nOne is first.\n", "more.md": "# More\n\nMore of it.\n"}
TWO = {"readme.md": "# Two\n\nTwo is second.\n"}
OURS = ["docs/more.md", "docs/readme.md"]


def play(act: Callable[[Workplace, Path, Path], Awaitable[None]]) -> None:
    """Take in one of two folders of the same name, then let something happen."""

    async def task() -> None:
        async with workplace() as place:
            one, two = (place.home / home / "docs" for home in ("one", "two"))
            lay_out(one, ONE)
            lay_out(two, TWO)
            assert (await place.ingest(one)).added == 2
            await act(place, one, two)

    asyncio.run(task())


@pytest.mark.parametrize("options", [AS_USUAL, Options(sync=True), Options(dry_run=True)])
def test_another_folder_of_the_same_name_is_refused_and_nothing_is_lost(options: Options) -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        before = await place.dump()
        for _ in range(2):
            with pytest.raises(Conflict, match="docs was read from another place"):
                await place.ingest(two, options=options)
        assert await place.dump() == before
        assert (await place.ingest(one, options=Options(sync=True))).unchanged == 2

    play(act)


def test_a_refused_source_stops_the_others_of_its_call_before_anything_is_written() -> None:
    async def act(place: Workplace, _: Path, two: Path) -> None:
        lay_out(place.home / "aside", TWO)
        with pytest.raises(Conflict):
            await place.ingest(place.home / "aside", two)
        assert await place.document_ids() == OURS

    play(act)


def test_a_file_of_the_same_name_is_refused() -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        await place.ingest(one / "readme.md")
        with pytest.raises(Conflict, match=r"--name readme\.md"):
            await place.ingest(two / "readme.md")

    play(act)


def test_under_a_name_of_its_own_it_stands_beside_the_other() -> None:
    async def act(place: Workplace, _: Path, two: Path) -> None:
        report = await place.ingest(two, options=Options(name="second", sync=True))
        assert (report.added, report.notes) == (1, {})
        assert await place.document_ids() == [*OURS, "second/readme.md"]

    play(act)


def test_a_folder_that_moved_says_so_once_and_is_left_alone() -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        lay_out(two, ONE)
        report = await place.ingest(two, options=Options(name="docs"))
        assert report.unchanged == 2
        assert [note for note in report.notes if "read from another place" in note]
        again = await place.ingest(two, options=Options(sync=True))
        assert (again.unchanged, again.removed, again.notes) == (2, 0, {})
        assert (await place.ingest(one)).unchanged == 2

    play(act)


def test_a_folder_is_the_same_by_any_way_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        monkeypatch.chdir(one.parent)
        assert (await place.ingest("docs")).unchanged == 2
        now = place.home / "now"
        now.symlink_to(one.parent)
        assert (await place.ingest(now / "docs")).unchanged == 2
        with pytest.raises(Conflict):
            await place.ingest(two)

    play(act)


def test_a_link_may_be_pointed_elsewhere_as_one_does_with_releases() -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        now = place.home / "now"
        now.symlink_to(one)
        await place.ingest(now)
        now.unlink()
        now.symlink_to(two)
        report = await place.ingest(now, options=Options(sync=True))
        assert (report.updated, report.removed) == (1, 1)

    play(act)


def test_a_site_is_the_same_with_and_without_a_slash_and_encryption() -> None:
    addresses = ("http://wiki.example/handbook", "https://wiki.example/handbook/")
    assert len({place_of(address).way for address in addresses}) == 1


def test_what_was_deleted_holds_no_name_and_what_came_since_does() -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        await place.sextant.remove(SCOPE, await place.document_ids())
        assert (await place.ingest(two)).added == 1
        with pytest.raises(Conflict):
            await place.ingest(one)

    play(act)


@pytest.mark.parametrize("is_numbered", [False, True])
def test_what_came_before_places_were_marked_goes_on(is_numbered: bool) -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        await _forget_marks(place, one if is_numbered else None)
        assert (await place.ingest(one, options=Options(sync=True))).unchanged == 2
        with pytest.raises(Conflict):
            await place.ingest(two)

    play(act)


async def _forget_marks(place: Workplace, kept: Path | None) -> None:
    """Let the counter hold what it did before there were marks: nothing, or a number of a place."""
    where = place_of(str(kept)).where if kept else ""
    digest = hashlib.blake2b(where.encode(), digest_size=6).digest()
    number = int.from_bytes(digest, "big") if kept else 0
    now = await place.sextant.store.records.counters(SCOPE, ["ingest.origin.docs"])
    await place.sextant.store.records.count(
        SCOPE, {name: number - one for name, one in now.items()}
    )


def test_what_is_sent_joins_by_its_name_and_no_folder_takes_it_over() -> None:
    async def act(place: Workplace, one: Path, two: Path) -> None:
        for name in ("docs", "upload"):
            sent = Options(name=name, is_passing=True)
            for _ in range(2):
                await place.ingest(two, options=sent)
        assert (await place.ingest(one)).updated == 1
        lay_out(place.home / "upload", ONE)
        with pytest.raises(Conflict, match="upload was read from another place"):
            await place.ingest(place.home / "upload", options=Options(sync=True))

    play(act)


def test_runs_of_one_folder_at_once_do_not_take_each_other_for_strangers(tmp_path: Path) -> None:
    lay_out(tmp_path / "docs", ONE)

    async def task() -> None:
        chosen = settings_at(tmp_path / "store")
        async with await open_sextant(chosen) as first, await open_sextant(chosen) as second:
            source = [str(tmp_path / "docs")]
            await asyncio.gather(*(core.ingest(SCOPE, source) for core in (first, second)))
            assert (await first.ingest(SCOPE, source)).unchanged == 2

    asyncio.run(task())
