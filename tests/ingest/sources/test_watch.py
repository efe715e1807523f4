import asyncio
import sys
from pathlib import Path

import pytest

from sextant.errors import InvalidInput, MissingExtra, Unreachable
from sextant.ingest.sources import SourceRules, changes, place_of


def follow(path: Path, *writes: str, rules: SourceRules | None = None) -> list[set[str] | None]:
    """Write files one after another, each once the one before was told; return what was told."""

    folder = path.parent if path.is_file() else path

    async def run() -> list[set[str] | None]:
        told: list[set[str] | None] = []
        waiting = list(writes)
        watch = changes(place_of(str(path)), rules or SourceRules(), 0.1)
        async with asyncio.timeout(60):
            async for what in watch:
                told.append(None if what is None else set(what))
                if not waiting:
                    break
                (folder / waiting.pop(0)).write_text("new")
        await watch.aclose()
        return told

    return asyncio.run(run())


def test_a_folder_tells_what_changed_after_it_told_to_look_at_everything(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert follow(tmp_path, "a.md", "sub/b.md") == [None, {"a.md"}, {"sub/b.md"}]


def test_a_change_of_the_ignore_file_concerns_everything(tmp_path: Path) -> None:
    assert follow(tmp_path, ".sextantignore") == [None, None]


def test_a_file_is_followed_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    assert follow(tmp_path / "a.md", "a.md") == [None, {"a.md"}]


def test_what_would_not_be_read_is_not_told(tmp_path: Path) -> None:
    async def run() -> frozenset[str] | None:
        rules = SourceRules(exclude=("*.log",))
        watch = changes(place_of(str(tmp_path)), rules, 0.1)
        assert await anext(watch) is None
        for name in (".hidden", "a.log", "z.md"):
            (tmp_path / name).write_text("x")
        async with asyncio.timeout(60):
            told = await anext(watch)
        await watch.aclose()
        return told

    assert asyncio.run(run()) == frozenset({"z.md"})


def test_following_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    async def run() -> None:
        started = asyncio.Event()

        async def listen() -> None:
            async for _ in changes(place_of(str(tmp_path)), SourceRules()):
                started.set()

        task = asyncio.create_task(listen())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_a_folder_that_is_gone_cannot_be_followed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    place = place_of("docs", tmp_path)
    (tmp_path / "docs").rmdir()

    async def run() -> None:
        async for _ in changes(place, SourceRules()):
            pass

    with pytest.raises(Unreachable, match="docs"):
        asyncio.run(run())


def test_a_site_cannot_be_followed() -> None:
    async def run() -> None:
        await anext(changes(place_of("https://example.com"), SourceRules()))

    with pytest.raises(InvalidInput, match="site"):
        asyncio.run(run())


def test_without_the_package_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        await anext(changes(place_of(str(tmp_path)), SourceRules()))

    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(MissingExtra, match=r"sextant\[watch\]"):
        asyncio.run(run())
