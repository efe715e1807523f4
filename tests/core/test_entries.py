"""A single entry is written for whom its writer may act for, over what is there at that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.core.entries import Entries, Entry
from sextant.errors import Conflict, Forbidden, NotFound
from sextant.ports import Embedder, Purpose
from sextant.settings import Settings
from sextant.types import OPERATOR, Chunk, Document, EmbedderIdentity, Put, Remove, Scope

ALL = Scope(roles=frozenset({OPERATOR}))
NOBODY, FREE = Scope(acts_for=frozenset()), Scope()
TEAM = Scope(acts_for=frozenset({"a", "b"}))
Meanwhile = Callable[[], Awaitable[object]]


class Slow:
    """An embedder in whose time something else happens, once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.meanwhile: Meanwhile | None = None
        self.asked: list[str] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        self.asked += texts
        happens, self.meanwhile = self.meanwhile, None
        if happens:
            await happens()
        return await self._embedder.embed(texts, purpose)

    async def close(self) -> None:
        await self._embedder.close()


class Desk:
    """Entries of a store, and who embeds them."""

    def __init__(self, core: Sextant) -> None:
        self.slow = Slow(core.embedder)
        self.core = replace(core, embedder=self.slow)
        self.entries = Entries(self.core)

    async def unit(self, document_id: str = "doc") -> Put | None:
        return (await self.core.store.truth.units(ALL, [document_id])).get(document_id)

    async def write(self, *personas: str, texts: Sequence[str] = ("Salaries.",)) -> None:
        chunks = tuple(Chunk(f"doc#{at}", text) for at, text in enumerate(texts))
        document = Document("doc", personas=frozenset(personas))
        await self.core.write(ALL, [Put(document, chunks)])

    async def personas(self, document_id: str = "doc") -> set[str] | None:
        unit = await self.unit(document_id)
        return set(unit.document.personas) if unit else None

    async def texts(self) -> list[str]:
        unit = await self.unit()
        return [chunk.text for chunk in unit.chunks] if unit else []


@pytest.fixture(params=["memory:", "sqlite:"])
def at_desk(request: pytest.FixtureRequest, tmp_path: Any) -> Callable[..., None]:
    store = request.param + (str(tmp_path / "s") if request.param == "sqlite:" else "")

    def run(task: Callable[[Desk], Coroutine[Any, Any, None]]) -> None:
        async def work() -> None:
            async with await open_sextant(Settings(store=store, embedder="tiny:8")) as core:
                await task(Desk(core))

        asyncio.run(work())

    return run


def for_whom(*personas: str) -> dict[str, Any]:
    return {"personas": frozenset(personas)}


@pytest.mark.parametrize(
    ("scope", "fields", "seen_by"),
    [
        (FREE, {}, set()),
        (FREE, for_whom("exec"), {"exec"}),
        (NOBODY, {}, set()),
        (NOBODY, for_whom("exec"), None),
        (TEAM, {}, {"a", "b"}),
        (TEAM, for_whom(), {"a", "b"}),
        (TEAM, for_whom("b"), {"b"}),
        (TEAM, for_whom("b", "exec"), None),
        (replace(TEAM, personas=frozenset({"a"})), {}, {"a"}),
        (replace(TEAM, personas=frozenset({"a"})), for_whom("b"), None),
        (Scope(personas=frozenset({"a"})), {}, {"a"}),
    ],
)
def test_a_new_artifact_is_for_those_whom_its_writer_acts_for(
    at_desk: Callable[..., None], scope: Scope, fields: dict[str, Any], seen_by: set[str] | None
) -> None:
    async def task(desk: Desk) -> None:
        entry = Entry("doc", "Cafeteria.", fields=fields)
        if seen_by is None:
            with pytest.raises(Forbidden):
                await desk.entries.upsert(scope, entry)
        else:
            await desk.entries.upsert(scope, entry)
        assert await desk.personas() == seen_by

    at_desk(task)


@pytest.mark.parametrize("there", [(), ("a",), ("a", "exec")])
@pytest.mark.parametrize("scope", [TEAM, replace(TEAM, personas=frozenset({"a"}))])
def test_who_acts_for_some_changes_an_artifact_and_not_who_sees_it(
    at_desk: Callable[..., None], scope: Scope, there: tuple[str, ...]
) -> None:
    async def task(desk: Desk) -> None:
        await desk.write(*there)
        await desk.entries.upsert(scope, Entry("doc", "More."))
        await desk.entries.upsert(scope, Entry("doc", "Again.", fields=for_whom(*there)))
        for other in ((), ("a",), ("b",)):
            if set(other) != set(there):
                with pytest.raises(Forbidden, match="who sees"):
                    await desk.entries.upsert(scope, Entry("doc", "x", fields=for_whom(*other)))
        assert await desk.personas() == set(there)
        assert await desk.texts() == ["Salaries.", "More.", "Again."]
        await desk.entries.delete(scope, "doc#0")
        assert await desk.texts() == ["More.", "Again."]

    at_desk(task)


def test_who_acts_for_nobody_keeps_what_is_open_open(at_desk: Callable[..., None]) -> None:
    async def task(desk: Desk) -> None:
        await desk.write()
        with pytest.raises(Forbidden):
            await desk.entries.upsert(NOBODY, Entry("doc", "x", fields=for_whom("exec")))
        await desk.entries.upsert(NOBODY, Entry("doc", "More."))
        assert await desk.personas() == set()
        await desk.entries.upsert(FREE, Entry("doc", "More.", fields=for_whom("exec")))
        assert await desk.personas() == {"exec"}

    at_desk(task)


@pytest.mark.parametrize("scope", [FREE, NOBODY, TEAM, replace(TEAM, personas=frozenset({"a"}))])
def test_what_is_for_others_is_not_there(at_desk: Callable[..., None], scope: Scope) -> None:
    async def task(desk: Desk) -> None:
        hidden = "b" if scope.personas else "exec"
        await desk.write(hidden)
        with pytest.raises(Conflict, match="taken"):
            await desk.entries.upsert(scope, Entry("doc", "Mine."))
        with pytest.raises(NotFound):
            await desk.entries.delete(scope, "doc#0")
        assert await desk.texts() == ["Salaries."]

    at_desk(task)


def test_what_was_removed_during_the_embedding_does_not_come_back(
    at_desk: Callable[..., None],
) -> None:
    async def task(desk: Desk) -> None:
        await desk.write()
        desk.slow.meanwhile = lambda: desk.core.remove(FREE, ["doc"])
        _, is_new = await desk.entries.upsert(FREE, Entry("doc", "A footnote."))
        assert is_new
        assert await desk.texts() == ["A footnote."]

    at_desk(task)


def test_what_was_narrowed_during_the_embedding_stays_hidden(at_desk: Callable[..., None]) -> None:
    async def task(desk: Desk) -> None:
        await desk.write()
        desk.slow.meanwhile = lambda: desk.write("hr")
        with pytest.raises(Conflict, match="taken"):
            await desk.entries.upsert(FREE, Entry("doc", "A footnote."))
        assert (await desk.personas(), await desk.texts()) == ({"hr"}, ["Salaries."])

    at_desk(task)


def test_what_was_written_during_the_embedding_stays_and_nothing_is_embedded_twice(
    at_desk: Callable[..., None],
) -> None:
    async def task(desk: Desk) -> None:
        await desk.write()
        store = desk.core.store

        async def add() -> None:
            unit = await desk.unit()
            assert unit is not None
            assert unit.vectors is not None
            chunks = (*unit.chunks, Chunk("doc#9", "Salaries."))
            vectors = np.concatenate([unit.vectors, unit.vectors])
            await store.truth.write(ALL, [replace(unit, chunks=chunks, vectors=vectors, key="")])

        desk.slow.asked.clear()
        desk.slow.meanwhile = add
        await desk.entries.upsert(FREE, Entry("doc", "A footnote."))
        assert await desk.texts() == ["Salaries.", "Salaries.", "A footnote."]
        assert len(desk.slow.asked) == 1

    at_desk(task)


class Hasty:
    """A core before whose every write and removal somebody else is faster, a number of times."""

    def __init__(self, core: Sextant, happens: Callable[[], Awaitable[None]], times: int) -> None:
        self._core, self._happens, self._times = core, happens, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    async def write(self, scope: Scope, changes: Sequence[Any]) -> Any:
        await self._hurry()
        return await self._core.write(scope, changes)

    async def remove(self, scope: Scope, ids: Sequence[str], over: Any = None) -> int:
        await self._hurry()
        return await self._core.remove(scope, ids, over)

    async def _hurry(self) -> None:
        self._times -= 1
        if self._times >= 0:
            await self._happens()


def test_a_last_entry_takes_nothing_along_that_came_in_the_meantime(
    at_desk: Callable[..., None],
) -> None:
    async def task(desk: Desk) -> None:
        await desk.write()

        async def add() -> None:
            await desk.entries.upsert(FREE, Entry("doc", "Came late."))

        hasty = Entries(Hasty(desk.core, add, 1))
        assert await hasty.delete(FREE, "doc#0") == ("doc", False)
        assert await desk.texts() == ["Came late."]

    at_desk(task)


def test_an_entry_that_is_gone_before_it_is_deleted_is_not_found(
    at_desk: Callable[..., None],
) -> None:
    async def task(desk: Desk) -> None:
        await desk.write(texts=("One.", "Two."))

        async def drop() -> None:
            await desk.core.write(ALL, [Remove("doc")])

        with pytest.raises(NotFound):
            await Entries(Hasty(desk.core, drop, 1)).delete(FREE, "doc#0")
        assert await desk.unit() is None

    at_desk(task)


def test_who_is_never_fast_enough_is_told(at_desk: Callable[..., None]) -> None:
    async def task(desk: Desk) -> None:
        said: list[str] = []

        async def change() -> None:
            said.append(f"Version {len(said)}.")
            await desk.write(texts=said[-1:])

        with pytest.raises(Conflict, match="Others keep changing"):
            await Entries(Hasty(desk.core, change, 100)).upsert(FREE, Entry("doc", "Mine."))
        assert await desk.texts() == said[-1:]

    at_desk(task)


def test_what_is_kept_for_the_house_is_no_artifact(at_desk: Callable[..., None]) -> None:
    async def task(desk: Desk) -> None:
        own = Put(Document("sextant:overrules"), (Chunk("sextant:overrules#0", "Own."),))
        await desk.core.write(ALL, [own])
        with pytest.raises(NotFound):
            await desk.entries.artifact(FREE, "sextant:overrules")
        with pytest.raises(NotFound):
            await desk.entries.get(FREE, "sextant:overrules#0")
        with pytest.raises(NotFound):
            await desk.entries.delete(FREE, "sextant:overrules#0")

    at_desk(task)
