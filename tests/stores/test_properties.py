"""Laws of the embedded store that hold for any knowledge."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sextant.ports import Store
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.sqlite.store import open_store
from sextant.types import EmbedderIdentity, NameMode, Put, Remove, Scope, Walk
from tests.strategies import NODES, PERSONAS, WIDTH, filters, puts, texts, vectors

IDENTITY = EmbedderIdentity("law", WIDTH)
SCOPE = Scope("law")
law = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
knowledge = st.lists(puts(), max_size=6, unique_by=lambda put: put.document.id)
questions = st.lists(
    st.builds(Query, texts, st.none() | vectors(), st.none() | filters), min_size=1, max_size=3
)


def in_store(task: Callable[[Store], Awaitable[Any]]) -> Any:
    async def run(folder: str) -> Any:
        quick = Settings(sqlite=SqliteSettings(flush_chunks=3))
        store = await open_store(f"{folder}/store", quick, IDENTITY)
        try:
            return await task(store)
        finally:
            await store.admin.close()

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


async def all_there_is(store: Store, scope: Scope, asked: list[Query]) -> list[Any]:
    """Return everything that can be asked, to the last bit, but for commit numbers."""
    return [
        [line async for line in store.admin.dump(scope)],
        [replace(await store.index.search(scope, one), commit=0) for one in asked],
        await store.truth.counts(scope),
        await store.graph.neighbours(scope, NODES, Walk(hops=2, per_node=2)),
        [await store.graph.lookup(scope, ["pod", "servce a"], mode) for mode in NameMode],
    ]


@law
@given(kept=knowledge, gone=knowledge, asked=questions)
def test_what_was_deleted_was_never_there(
    kept: list[Put], gone: list[Put], asked: list[Query]
) -> None:
    names = {put.document.id for put in kept}
    gone = [put for put in gone if put.document.id not in names]

    async def with_and_without(store: Store) -> list[Any]:
        await store.truth.write(SCOPE, gone[::2] + kept)
        await store.truth.write(SCOPE, gone[1::2])
        await store.truth.write(SCOPE, [Remove(put.document.id) for put in gone])
        return await all_there_is(store, SCOPE, asked)

    async def without(store: Store) -> list[Any]:
        await store.truth.write(SCOPE, kept)
        return await all_there_is(store, SCOPE, asked)

    assert in_store(with_and_without) == in_store(without)


@law
@given(units=knowledge, asked=questions, order=st.randoms(use_true_random=False))
def test_the_order_in_which_knowledge_came_does_not_show(
    units: list[Put], asked: list[Query], order: Any
) -> None:
    shuffled = list(units)
    order.shuffle(shuffled)

    async def one_by_one(store: Store) -> list[Any]:
        for unit in shuffled:
            await store.truth.write(SCOPE, [unit])
        return await all_there_is(store, SCOPE, asked)

    async def at_once(store: Store) -> list[Any]:
        await store.truth.write(SCOPE, units)
        return await all_there_is(store, SCOPE, asked)

    assert in_store(one_by_one) == in_store(at_once)


@law
@given(mine=knowledge, theirs=knowledge, asked=questions)
def test_another_tenant_changes_nothing_for_this_one(
    mine: list[Put], theirs: list[Put], asked: list[Query]
) -> None:
    async def beside(store: Store) -> list[Any]:
        await store.truth.write(Scope("other"), theirs)
        await store.truth.write(SCOPE, mine)
        await store.truth.write(Scope("other"), [Remove(put.document.id) for put in theirs[::2]])
        return await all_there_is(store, SCOPE, asked)

    async def alone(store: Store) -> list[Any]:
        await store.truth.write(SCOPE, mine)
        return await all_there_is(store, SCOPE, asked)

    assert in_store(beside) == in_store(alone)


@law
@given(units=knowledge, asked=questions, personas=st.frozensets(st.sampled_from(PERSONAS)))
def test_what_no_persona_of_a_scope_may_see_was_never_there_for_it(
    units: list[Put], asked: list[Query], personas: frozenset[str]
) -> None:
    scope = Scope("law", personas)

    async def everything(store: Store) -> list[Any]:
        await store.truth.write(SCOPE, units)
        return await all_there_is(store, scope, asked)

    async def only_visible(store: Store) -> list[Any]:
        await store.truth.write(SCOPE, [unit for unit in units if scope.sees(unit.document)])
        return await all_there_is(store, scope, asked)

    assert in_store(everything) == in_store(only_visible)
