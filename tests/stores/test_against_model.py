"""The embedded store against plain dicts: any history of writes, any question, the same answer."""

import asyncio
import tempfile
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sextant.errors import SextantError
from sextant.ports import Store
from sextant.query import Query
from sextant.settings import Settings, SqliteSettings
from sextant.stores.memory.store import open_store as open_memory
from sextant.stores.sqlite.store import open_store as open_sqlite
from sextant.testing.store_suite.checks import versions, web_fields
from sextant.types import (
    OPERATOR,
    EmbedderIdentity,
    Found,
    NameMode,
    Put,
    Reach,
    Remove,
    Scope,
    Walk,
)
from tests.strategies import CHUNK_IDS, IDS, NODES, PERSONAS, WIDTH, puts, queries, reaches, walks

T = TypeVar("T")
IDENTITY = EmbedderIdentity("model", WIDTH)
TENANTS = ["one", "two"]
scopes = st.builds(
    Scope,
    st.sampled_from(TENANTS),
    st.frozensets(st.sampled_from(PERSONAS)),
    roles=st.sampled_from([frozenset(), frozenset({OPERATOR})]),
)


class Stores(RuleBasedStateMachine):
    """Does to both stores what a rule says, and compares what comes back."""

    @initialize(flush=st.sampled_from([1, 3, 2_000]))
    def open(self, flush: int) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.settings = Settings(sqlite=SqliteSettings(flush_chunks=flush))
        self.model: Store = self.run(open_memory("", self.settings, IDENTITY))
        self.read: dict[str, str] = {}
        self.open_store()

    def open_store(self) -> None:
        folder = str(Path(self.folder.name) / "store")
        self.store: Store = self.run(open_sqlite(folder, self.settings, IDENTITY))

    def run(self, task: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(task)

    @rule(tenant=st.sampled_from(TENANTS), changes=st.lists(puts(), min_size=1, max_size=3))
    def put(self, tenant: str, changes: list[Put]) -> None:
        unique = list({change.document.id: change for change in changes}.values())
        assert self.write(self.model, tenant, unique) == self.write(self.store, tenant, unique)

    @rule(
        tenant=st.sampled_from(TENANTS),
        names=st.lists(st.sampled_from(IDS), max_size=3, unique=True),
    )
    def remove(self, tenant: str, names: list[str]) -> None:
        changes = [Remove(name) for name in names]
        assert self.write(self.model, tenant, changes) == self.write(self.store, tenant, changes)

    def write(self, store: Store, tenant: str, changes: list[Any]) -> object:
        try:
            return self.run(store.truth.write(Scope(tenant), changes))
        except SextantError as error:
            return error.code

    @rule(scope=scopes, asked=queries)
    def search(self, scope: Scope, asked: Query) -> None:
        alike(
            self.run(self.model.index.search(scope, asked)),
            self.run(self.store.index.search(scope, asked)),
        )

    @rule(scope=scopes, walk=walks, seeds=st.lists(st.sampled_from(NODES), max_size=3))
    def walk(self, scope: Scope, walk: Walk, seeds: list[str]) -> None:
        expected = self.run(self.model.graph.neighbours(scope, seeds, walk))
        assert self.run(self.store.graph.neighbours(scope, seeds, walk)) == expected

    @rule(
        scope=scopes,
        chunks=st.lists(st.sampled_from(CHUNK_IDS), max_size=3),
        seeds=st.lists(st.sampled_from(NODES), max_size=3),
        reach=reaches,
    )
    def weave(self, scope: Scope, chunks: list[str], seeds: list[str], reach: Reach) -> None:
        expected = web_fields(self.run(self.model.graph.web(scope, chunks, seeds, reach)))
        assert web_fields(self.run(self.store.graph.web(scope, chunks, seeds, reach))) == expected

    @rule(
        scope=scopes,
        mode=st.sampled_from(list(NameMode)),
        names=st.lists(st.sampled_from(["pod", "Service A", "servic a", "own", "a"]), max_size=3),
    )
    def look_up(self, scope: Scope, mode: NameMode, names: list[str]) -> None:
        expected = self.run(self.model.graph.lookup(scope, names, mode, 2))
        assert self.run(self.store.graph.lookup(scope, names, mode, 2)) == expected
        ids = self.run(self.model.graph.entities(scope, NODES))
        assert self.run(self.store.graph.entities(scope, NODES)) == ids

    @rule(scope=scopes, chunks=st.lists(st.sampled_from(CHUNK_IDS), max_size=5))
    def take_to_pieces(self, scope: Scope, chunks: list[str]) -> None:
        read = self.run(versions(self.model, scope, chunks))
        for asked in (read, read | self.read):
            expected = self.run(self.model.index.pieces(scope, asked))
            assert self.run(self.store.index.pieces(scope, asked)) == expected
        self.read = read

    @rule(scope=scopes)
    def dump_and_count(self, scope: Scope) -> None:
        assert self.run(lines(self.store, scope)) == self.run(lines(self.model, scope))
        assert self.run(self.store.truth.counts(scope)) == self.run(self.model.truth.counts(scope))
        assert self.run(self.store.truth.documents(scope)) == self.run(
            self.model.truth.documents(scope)
        )

    @rule()
    def reopen(self) -> None:
        self.run(self.store.admin.close())
        self.open_store()

    @rule(tenant=st.sampled_from(TENANTS))
    def rebuild(self, tenant: str) -> None:
        self.run(self.store.admin.rebuild(Scope(tenant)))

    @invariant()
    def indexes_agree_with_the_truth(self) -> None:
        if hasattr(self, "store"):
            for tenant in TENANTS:
                assert not self.run(self.store.admin.check(Scope(tenant)))

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.run(self.store.admin.close())
            self.runner.close()
            self.folder.cleanup()


async def lines(store: Store, scope: Scope) -> list[str]:
    return [line async for line in store.admin.dump(scope)]


def alike(expected: Found, found: Found) -> None:
    """The same passages with the same scores, up to the rounding of sums in another order.

    Where two scores of the model differ by rounding only, their order may differ too.
    """
    assert replace(found, matches=()) == replace(expected, matches=())
    shown = [match.score for match in found.matches]
    assert shown == pytest.approx([match.score for match in expected.matches], abs=1e-9)
    by_id = {match.passage.chunk.id: match for match in expected.matches}
    least = shown[-1] if shown else 0.0
    for match in found.matches:
        twin = by_id.get(match.passage.chunk.id)
        if twin is None:
            assert match.score == pytest.approx(least, abs=1e-9)
            continue
        assert match.passage == twin.passage
        for own, other in ((match.keyword, twin.keyword), (match.vector, twin.vector)):
            assert own == pytest.approx(other, abs=1e-6)


TestStores = Stores.TestCase
TestStores.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
