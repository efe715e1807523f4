"""Whatever was done, looking at every document again changes nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.errors import InvalidInput, NotFound
from sextant.ingest.keeping import overrule
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.keeping.keep import SETTLED, Keeper
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import Put
from tests.ingest.keeping.test_keep import SCOPE, drafts

ENTITIES = ("component:a", "component:hq", "group:y", "harbor-queue", "service-a", "hq")
NAMES = ("HQ", "Dock Queue", "Svc-A", "Service A", "the ledger", "Harbor Queue", "service-a", "hq")
Word = tuple[str, str, str]
words = st.tuples(
    st.sampled_from(("alias", "merge", "split")),
    st.sampled_from(ENTITIES),
    st.sampled_from(NAMES + ENTITIES),
)
steps = st.lists(
    st.one_of(st.lists(drafts, min_size=1, max_size=3), words, st.integers(0, 5)),
    min_size=1,
    max_size=6,
)


async def do(store: Store, step: Sequence[Draft] | Word | int) -> None:
    keeper = Keeper(store, None, SCOPE)
    if isinstance(step, int):
        await keeper.remove([f"doc{step}"])
    elif isinstance(step, tuple):
        await say(store, *step)
    else:
        unique = {draft.document.id: draft for draft in step}
        await keeper.put(list(unique.values()), lambda *_: None, _fail)


async def say(store: Store, verb: str, entity: str, name: str) -> None:
    verbs = {"alias": overrule.add_alias, "merge": overrule.merge, "split": overrule.split}
    with contextlib.suppress(NotFound, InvalidInput):
        await verbs[verb](Keeper(store, None, SCOPE), entity, name)


def _fail(unit: Put, error: Exception) -> None:
    raise AssertionError(unit.document.id) from error


async def lines(store: Store) -> list[str]:
    return [line async for line in store.admin.dump(SCOPE) if '"ingest.' not in line]


@settings(max_examples=300, deadline=None)
@given(steps)
def test_after_any_documents_and_any_words_on_names_everything_is_settled(
    history: list[list[Draft] | Word | int],
) -> None:
    async def task() -> None:
        store = new_store(Settings(), None)
        for step in history:
            await do(store, step)
        before = await lines(store)
        await store.records.count(SCOPE, {SETTLED: 1})
        await Keeper(store, None, SCOPE).open()
        assert await lines(store) == before

    asyncio.run(task())
