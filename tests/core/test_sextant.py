"""What every door relies on: strangers leave no trace, and whoever leaves stops the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.ask.question import Question
from sextant.ask.record.fields import digest_of
from sextant.ask.record.load import Saved
from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import Conflict, InvalidInput, NotFound
from sextant.ports import Store
from sextant.settings import Settings
from sextant.types import Answer, Chunk, Document, NameMode, Put, Remove, Scope, Walk

NOBODY, STRANGER = Scope(), Scope("stranger", user="ann")
QUEUE = Put(
    Document("queue", "Harbor Queue"), (Chunk("queue#1", "Harbor Queue is owned by Team Keel."),)
)
ASKED = "Who owns Harbor Queue?"


def at(folder: Path) -> Settings:
    return Settings(store=f"sqlite:{folder}/s", embedder="tiny:16")


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_whoever_names_a_tenant_that_is_none_leaves_no_file_behind(tmp_path: Path) -> None:
    async def run() -> None:
        async with await open_sextant(at(tmp_path), cached_searches=4) as core:
            await core.write(NOBODY, [QUEUE])
            before = files_in(tmp_path)
            answer = await core.ask(STRANGER, Question(ASKED, conversation="c1"))
            await core.search(STRANGER, ASKED)
            await core.verify(STRANGER, answer)
            await core.profiles(STRANGER)
            await core.lookup(STRANGER, ["Harbor Queue"], NameMode.EXACT)
            await core.entities(STRANGER, ["harbor"])
            await core.expand(STRANGER, ["harbor"], Walk())
            await core.find(STRANGER, "Harbor")
            await core.opened(STRANGER, ["queue"])
            await core.conversation(STRANGER, "c1")
            await core.forget_conversation(STRANGER, "c1")
            assert await core.remove(STRANGER, ["queue"]) == 0
            assert [one async for one in core.export(STRANGER)] == []
            saved = Saved(answer, digest_of(answer))
            for verdict in ("helpful", "withdrawn"):
                with pytest.raises(NotFound):
                    await core.feedback_on_answer(STRANGER, saved, verdict)
            assert files_in(tmp_path) == before
            assert await core.store.admin.tenants() == ["default"]

    asyncio.run(run())


def test_a_tenant_that_is_none_is_like_one_that_is_empty(tmp_path: Path) -> None:
    async def run() -> None:
        async with await open_sextant(at(tmp_path)) as core:
            empty = Scope("empty", user="ann")
            await core.write(empty, [QUEUE])
            await core.write(empty, [Remove("queue")])
            for text in (ASKED, "Hello", "Compare Harbor Queue with Vault Zeta"):
                answers = [await core.ask(scope, text) for scope in (STRANGER, empty)]
                told = [replace(one, trace=replace(one.trace, commit=0)) for one in answers]
                assert told[0] == told[1]
                found = [await core.search(scope, text) for scope in (STRANGER, empty)]
                assert [one.hits for one in found] == [(), ()]
                assert found[0].trace.steps == found[1].trace.steps

    asyncio.run(run())


class Stalling:
    """Calls of a store, of which the one of this number never comes back."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.calls: list[str] = []
        self.stalled = asyncio.Event()

    async def call(self, name: str) -> None:
        self.calls.append(name)
        if len(self.calls) > self._number:
            self.stalled.set()
            await asyncio.Event().wait()

    def store(self, store: Store) -> Store:
        names = ("truth", "index", "graph", "records")
        parts: Any = {name: StallingPart(self, getattr(store, name)) for name in names}
        return replace(store, **parts)


class StallingPart:
    """A part of a store whose calls are counted."""

    def __init__(self, whole: Stalling, part: Any) -> None:
        self._whole, self._part = whole, part

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            await self._whole.call(name)
            return await getattr(self._part, name)(*args, **kwargs)

        return call


def test_whoever_leaves_stops_the_work_wherever_it_is(tmp_path: Path) -> None:
    async def run() -> None:
        async with await open_sextant(at(tmp_path)) as core:
            await core.write(NOBODY, [QUEUE])
            for conversation in ("", "c1"):
                whole = Stalling(1_000)
                await _asking(core, whole, Question(ASKED, conversation=conversation))
                assert len(whole.calls) > 5
                for number in range(len(whole.calls)):
                    # One that begins asks more of a store than one that goes on.
                    new = conversation and f"{conversation}-{number}"
                    question = Question(ASKED, conversation=new)
                    stalling = Stalling(number)
                    asking = asyncio.create_task(_asking(core, stalling, question))
                    await stalling.stalled.wait()
                    asking.cancel()
                    # Look-ups that do not depend on each other are under way together.
                    begun = list(stalling.calls)
                    with pytest.raises(asyncio.CancelledError):
                        await asking
                    assert asyncio.all_tasks() == {asyncio.current_task()}
                    assert stalling.calls == begun
                    assert len(begun) > number
            assert "Team Keel" in (await core.ask(NOBODY, ASKED)).text

    asyncio.run(run())


async def _asking(core: Sextant, stalling: Stalling, question: Question) -> Answer:
    store = stalling.store(core.store)
    return await Sextant(store, core.embedder, core.settings).ask(NOBODY, question)


def test_feedback_is_taken_on_an_answer_as_it_was_told_and_on_no_other(tmp_path: Path) -> None:
    async def run() -> None:
        async with await open_sextant(at(tmp_path)) as core:
            await core.write(NOBODY, [QUEUE])
            answer = await core.ask(NOBODY, ASKED)
            saved = Saved(answer, digest_of(answer))
            await core.feedback_on_answer(NOBODY, saved, "helpful", comment="Right.")
            items = await core.store.records.feedback(NOBODY)
            assert [one.verdict for one in items] == ["helpful", "helpful"]
            assert items[-1].subject == f"answer:{saved.digest}"
            assert items[-1].comment == "Right."
            label = answer.citations[0].label
            await core.feedback_on_answer(NOBODY, saved, "unhelpful", source=f"[{label}]")
            assert (await core.store.records.feedback(NOBODY))[-1].subject == "document:queue"
            with pytest.raises(NotFound):
                await core.feedback_on_answer(NOBODY, saved, "helpful", source="Another page")
            edited = replace(saved, answer=replace(answer, text="Team Mallow owns it."))
            with pytest.raises(Conflict):
                await core.feedback_on_answer(NOBODY, edited, "helpful")
            with pytest.raises(InvalidInput):
                await core.feedback_on_answer(Scope(user="sextant:x"), saved, "helpful")
            assert len(await core.store.records.feedback(NOBODY)) == 3

    asyncio.run(run())
