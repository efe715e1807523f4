"""A person's word on names holds for good, also for documents that come later."""

from __future__ import annotations

import asyncio

import pytest

from sextant.errors import InvalidInput, NotFound
from sextant.ingest.keeping import overrule
from sextant.ingest.keeping.keep import Keeper
from sextant.ports import Store
from sextant.types import NameMode, Put, Scope, Walk
from tests.ingest.keeping.test_keep import SCOPE, STATED, make, played


def _fail(unit: Put, error: Exception) -> None:
    raise AssertionError(unit.document.id) from error


async def bearers(store: Store, name: str) -> set[str]:
    found = await store.graph.lookup(SCOPE, [name], NameMode.EXACT)
    return {match.entity.id for match in found[name]}


async def dump(store: Store) -> list[str]:
    lines = [line async for line in store.admin.dump(SCOPE)]
    hidden = ('"ingest.', overrule.OVERRULES)
    return [line for line in lines if not any(one in line for one in hidden)]


def test_an_alias_links_mentions_before_and_after() -> None:
    async def task() -> None:
        _, store = await played([[make(0, "Notes", ["The till calls the dock queue."])]])
        keeper = Keeper(store, None, SCOPE)
        await keeper.open()
        await keeper.put([make(1, "Catalogue", [], STATED)], lambda *_: None, _fail)
        shown = await overrule.add_alias(Keeper(store, None, SCOPE), "component:a", "the till")
        assert "the till" in shown.aliases
        await overrule.add_alias(Keeper(store, None, SCOPE), "component:hq", "Dock Queue")
        calls = Walk(frozenset({"calls"}))
        (link,) = (await store.graph.neighbours(SCOPE, ["component:a"], calls)).links
        assert link.relation.target == "component:hq"
        late = Keeper(store, None, SCOPE)
        await late.open()
        await late.put([make(2, "More", ["Dock queue runs on the till."])], lambda *_: None, _fail)
        assert "doc2" in await store.graph.mentioning(SCOPE, ["component:a"])

    asyncio.run(task())


def test_a_merge_moves_facts_that_a_document_only_relates() -> None:
    async def task() -> None:
        team, queue = STATED[1], STATED[2]
        _, store = await played([[make(0, "Service A", [], [team]), make(1, "Other", [], [queue])]])
        await overrule.merge(Keeper(store, None, SCOPE), "group:y", "service-a")
        owned = Walk(frozenset({"owned_by"}))
        (link,) = (await store.graph.neighbours(SCOPE, ["component:hq"], owned)).links
        assert link.relation.target == "service-a"

    asyncio.run(task())


def test_a_word_on_a_name_takes_it_from_everybody_who_claims_it() -> None:
    async def task() -> None:
        _, store = await played(
            [[make(0, "Harbor Queue (HQ)", []), make(1, "Other", [], STATED[2:])]]
        )
        assert await bearers(store, "Harbor Queue") == {"harbor-queue-hq", "component:hq"}
        await overrule.add_alias(Keeper(store, None, SCOPE), "component:hq", "HQ")
        assert await bearers(store, "Harbor Queue") == {"component:hq"}

    asyncio.run(task())


def test_a_merge_moves_names_and_facts_and_a_split_brings_them_back() -> None:
    async def task() -> None:
        batches = [[make(0, "Catalogue", ["Service A depends on Harbor Queue."], STATED)]]
        _, store = await played(batches)
        before = await dump(store)
        shown = await overrule.merge(Keeper(store, None, SCOPE), "component:hq", "component:a")
        assert {"Harbor Queue", "HQ"} <= shown.aliases
        assert await bearers(store, "Harbor Queue") == {"component:a"}
        owned = (await store.graph.neighbours(SCOPE, ["component:hq"], Walk())).links
        assert not owned
        shown = await overrule.split(Keeper(store, None, SCOPE), "component:a", "component:hq")
        assert shown.name == "Harbor Queue"
        assert await dump(store) == before

    asyncio.run(task())


def test_a_split_name_stands_for_itself() -> None:
    async def task() -> None:
        batches = [
            [make(0, "Catalogue", [], STATED), make(1, "Notes", ["Svc-A calls Harbor Queue."])]
        ]
        _, store = await played(batches)
        assert await bearers(store, "Svc-A") == {"component:a"}
        shown = await overrule.split(Keeper(store, None, SCOPE), "component:a", "Svc-A")
        assert shown.id == "svc-a"
        assert "doc1" in await store.graph.mentioning(SCOPE, ["svc-a"])
        assert "doc1" not in await store.graph.mentioning(SCOPE, ["component:a"])

    asyncio.run(task())


def test_what_cannot_be_overruled_says_why() -> None:
    async def task() -> None:
        _, store = await played([[make(0, "Catalogue", [], STATED)]])
        with pytest.raises(NotFound, match="entities find"):
            await overrule.add_alias(Keeper(store, None, SCOPE), "nobody", "x")
        with pytest.raises(InvalidInput):
            await overrule.merge(Keeper(store, None, SCOPE), "component:a", "component:a")
        with pytest.raises(InvalidInput, match="own name"):
            await overrule.split(Keeper(store, None, SCOPE), "component:a", "Service A")

    asyncio.run(task())


def test_a_word_on_a_hidden_entity_is_hidden_too() -> None:
    async def task() -> None:
        secret = make(0, "Project Zeta", ["It is secret."], personas=("p",))
        _, store = await played([[secret, make(1, "Notes", ["The blue door is open."])]])
        before = [line async for line in store.admin.dump(Scope())]
        shown = await overrule.add_alias(Keeper(store, None, SCOPE), "project-zeta", "blue door")
        assert shown.aliases == {"blue door"}
        assert [line async for line in store.admin.dump(Scope())] == before
        found = await store.graph.lookup(
            Scope(personas=frozenset({"p"})), ["blue door"], NameMode.EXACT
        )
        assert [match.entity.id for match in found["blue door"]] == ["project-zeta"]
        other = make(2, "Project Eta", ["Hidden."], personas=("q",))
        await Keeper(store, None, SCOPE).put([other], lambda *_: None, _fail)
        with pytest.raises(InvalidInput, match="No persona"):
            await overrule.merge(Keeper(store, None, SCOPE), "project-eta", "project-zeta")

    asyncio.run(task())


def test_a_merge_holds_for_names_that_are_only_found_in_text() -> None:
    async def task() -> None:
        first = make(0, "One", ["The Market Service depends on Alpha Gateway."])
        _, store = await played([[first, make(1, "Two", ["The Basket Service is down."])]])
        before = await dump(store)
        keeper = Keeper(store, None, SCOPE)
        await overrule.merge(keeper, "market-service", "basket-service")
        depends = Walk(frozenset({"depends_on"}))
        (link,) = (await store.graph.neighbours(SCOPE, ["basket-service"], depends)).links
        assert link.relation.target == "alpha-gateway"
        assert not (await store.graph.neighbours(SCOPE, ["market-service"], depends)).links
        with pytest.raises(InvalidInput, match="does not bear"):
            await overrule.split(keeper, "basket-service", "Never Heard Of")
        await overrule.split(keeper, "basket-service", "market-service")
        assert await dump(store) == before

    asyncio.run(task())
