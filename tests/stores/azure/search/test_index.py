"""The index in AI Search beside a truth: what it shows, when, and what two processes make of it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sextant.errors import ConfigError, IndexBehind, InvalidVector, Outdated, PeerRefused
from sextant.ports import Store
from sextant.query import AllOf, Query, TagsAny
from sextant.settings import AzureSettings, Settings
from sextant.stores.azure.search.client import SearchConnection
from sextant.stores.azure.search.index import open_adapter
from sextant.stores.azure.search.keys import decode_key
from sextant.stores.memory.store import open_store as open_memory
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import ids
from sextant.testing.store_suite.samples import AUDITOR, OPERATOR_SCOPE, SCOPE, direction
from sextant.testing.store_suite.suite import IDENTITY
from sextant.types import Chunk, Document, IndexChange, IndexPosition, Put, Remove, Scope
from tests.peers.search_service.service import READER, Fault
from tests.stores.azure.search.parts import Place

PODS = Query("pods")


def _with_store(place: Place, folder: Path, task: Callable[[Store], Awaitable[None]]) -> None:
    async def run() -> None:
        store = await place.open_store(folder)
        try:
            await task(store)
        finally:
            await store.admin.close()

    asyncio.run(run())


def _chunk_ids(place: Place) -> list[str]:
    """Return the chunks that the service holds rows of, as often as it does."""
    keys = (decode_key(key) for key in place.service.indexes["chunks"].accepted)
    return sorted(key[2] for key in keys if key and key[0] == "chunk")


def _calls(place: Place) -> Counter[str]:
    calls = Counter(place.service.calls)
    place.service.calls.clear()
    return calls


def test_a_query_is_one_call(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
        await store.index.search(SCOPE, PODS)
        _calls(place)
        vector = direction(1.0)
        tree = AllOf((TagsAny(("ops",)),))
        for query in (PODS, Query(vector=vector), Query("pods", vector), Query(filter=tree)):
            await store.index.search(SCOPE, query)
            assert _calls(place) == {"search": 1}
        await store.index.facets(SCOPE)
        assert _calls(place) == {"search": 1}
        await store.index.holding(SCOPE, ["Service A", "pods", ""])
        assert _calls(place) == {"search": 2}
        await store.index.pieces(SCOPE, {"runbook#c1": "another version"})
        assert _calls(place) == {"search": 1}

    _with_store(place, tmp_path, task)


def test_every_call_names_the_tenant_and_who_may_see_it(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        scope = Scope("o'hara", frozenset({"dev", "it's"}))
        await store.truth.write(scope, [samples.runbook(), samples.secret()])
        await store.index.search(scope, PODS)
        place.service.bodies.clear()
        await store.index.search(scope, Query("pods", direction(1.0)))
        await store.index.search(scope, Query(filter=TagsAny(("ops",))))
        await store.index.facets(scope)
        await store.index.holding(scope, ["pods"])
        await store.index.pieces(scope, {"runbook#c1": "v"})
        filters = [body["filter"] for name, body in place.service.bodies if name == "search"]
        assert len(filters) == 5
        for text in filters:
            assert text.startswith("tenant eq 'o''hara' and (not personas/any() or personas/any(")
            assert "one eq 'dev' or one eq 'it''s'" in text

    _with_store(place, tmp_path, task)


def test_signs_in_a_question_are_no_operators(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
        for text in ("-pods", "+pods -restart", '"pods', "(pods | *", "pods\\", "~pods OR *"):
            assert ids(await store.index.search(SCOPE, Query(text))) == ["runbook#c1"], text
        for text in ("*", "-- !?", "«»"):
            assert ids(await store.index.search(SCOPE, Query(text))) == [], text
            near = await store.index.search(SCOPE, Query(text, direction(1.0), k=1))
            assert ids(near) == ["runbook#c1"], text
            assert near.matches[0].keyword == 0.0
        assert (await store.index.holding(SCOPE, ["*"]))["*"] == []

    _with_store(place, tmp_path, task)


def test_what_only_the_words_brought_is_as_far_as_the_vector_went(
    place: Place, tmp_path: Path
) -> None:
    async def task(store: Store) -> None:
        near = [
            Put(Document(f"n{at}"), (Chunk(f"n{at}", "gate"),), vectors=direction(1.0, 0.1)[None])
            for at in range(50)
        ]
        far = Put(Document("far"), (Chunk("far", "pods"),), vectors=direction(0.0, 1.0)[None])
        bare = Put(Document("bare"), (Chunk("bare", "pods"),))
        await store.truth.write(SCOPE, [*near, far, bare])
        found = await store.index.search(SCOPE, Query("pods", direction(1.0), k=20))
        matches = {match.passage.chunk.id: match for match in found.matches}
        assert len(matches) == 20
        assert matches["far"].vector == matches["n0"].vector == pytest.approx(0.995, abs=1e-3)
        assert matches["bare"].vector is None
        assert [name for name, one in matches.items() if not one.is_embedded] == ["bare"]
        assert matches["n0"].keyword == 0.0
        assert (matches["far"].keyword or 0) > 0

    _with_store(place, tmp_path, task)


def test_a_search_says_that_it_is_behind_until_the_service_shows_the_last_change(
    place: Place, tmp_path: Path
) -> None:
    place.service.lag = 3

    async def task(store: Store) -> None:
        commit = (await store.truth.write(SCOPE, [samples.runbook()])).commit
        found = await store.index.search(SCOPE, PODS)
        assert (ids(found), found.is_behind, found.commit) == ([], True, 0)
        found = await store.index.search(SCOPE, replace(PODS, at_least=commit))
        assert (ids(found), found.is_behind, found.commit) == (["runbook#c1"], False, commit)

    _with_store(place, tmp_path, task)


def test_a_search_that_waited_long_enough_says_so(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.runbook()])
        before = (await store.index.search(SCOPE, PODS)).commit
        place.service.lag = 10**6
        commit = (await store.truth.write(SCOPE, [samples.policy(), Remove("runbook")])).commit
        found = await store.index.search(SCOPE, replace(PODS, at_least=commit))
        assert (found.commit, found.is_behind) == (before, True)
        assert ids(found) == []  # the service still shows it; the truth does not
        with pytest.raises(IndexBehind, match="does not show"):
            await store.index.holding(SCOPE, ["pods"])
        await store.truth.write(SCOPE, [samples.runbook()])
        status = await store.admin.status(SCOPE)
        assert status.documents_behind
        assert "does not show the last changes" in status.problems[0]

    _with_store(place.with_azure(lag_seconds=0.2), tmp_path, task)


def test_what_a_copy_of_the_index_still_shows_is_not_told(place: Place, tmp_path: Path) -> None:
    """One copy showed the last change; the one that is asked next is older."""

    async def task(store: Store) -> None:
        secret = replace(samples.runbook().document, personas=frozenset({"auditor"}))
        await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
        held = place.service.indexes["chunks"]
        old = {key: dict(row) for key, row in held.rows.items() if row.get("chunkId")}
        await store.truth.write(SCOPE, [replace(samples.runbook(), document=secret)])
        commit = (await store.truth.write(SCOPE, [Remove("policy")])).commit
        query = Query("pods service escalation", at_least=commit)
        assert ids(await store.index.search(SCOPE, query)) == []
        held.rows.update(old)
        found = await store.index.search(SCOPE, query)
        assert (ids(found), found.commit, found.is_behind) == ([], commit, False)
        seen = await store.index.search(AUDITOR, query)
        assert sorted(ids(seen)) == ["runbook#c1", "runbook#c2"]
        assert all(match.passage.document == secret for match in seen.matches)

    _with_store(place, tmp_path, task)


def test_rows_that_the_service_lost_are_named_and_made_anew(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
        assert await store.admin.check(SCOPE) == []
        held = place.service.indexes["chunks"]
        gone = next(key for key, row in held.rows.items() if row.get("chunkId") == "policy#c1")
        del held.rows[gone], held.accepted[gone]
        assert await store.admin.check(SCOPE) == ["The index holds 2 chunks, the truth 3."]
        await store.admin.rebuild(SCOPE)
        assert await store.admin.check(SCOPE) == []
        assert _chunk_ids(place) == ["policy#c1", "runbook#c1", "runbook#c2"]

    _with_store(place, tmp_path, task)


def test_an_index_whose_position_is_lost_is_filled_anew(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.runbook()])

    _with_store(place, tmp_path, task)
    place.service.indexes.clear()  # as if the settings named another service

    async def again(store: Store) -> None:
        commit = await store.truth.commit(SCOPE)
        found = await store.index.search(SCOPE, replace(PODS, at_least=commit))
        assert (ids(found), found.commit) == (["runbook#c1"], commit)

    _with_store(place.with_azure(lag_seconds=0.2), tmp_path, again)


@pytest.mark.parametrize("last", range(1, 14))
def test_whoever_is_stopped_at_any_call_leaves_nothing_half_seen(
    place: Place, tmp_path: Path, last: int
) -> None:
    """A new version of one document, and another one gone, with a process that dies in between."""
    changed = replace(samples.runbook(), chunks=(Chunk("runbook#c1", "Never restart pods."),))
    changed = replace(changed, relations=(), vectors=direction(1.0)[None], pieces=None)
    seen = Query("pods", k=10)

    async def before(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])

    async def stopped(store: Store) -> None:
        left = [last]

        def fault(_: str, __: int) -> Fault | None:
            left[0] -= 1
            return None if left[0] > 0 else Fault(503, is_late=left[0] == 0)

        place.service.fault = fault
        await store.truth.write(SCOPE, [changed, Remove("policy")])

    async def after(store: Store) -> None:
        commit = await store.truth.commit(SCOPE)
        found = await store.index.search(SCOPE, replace(seen, at_least=commit))
        assert (found.commit, found.is_behind) == (commit, False)
        assert [match.passage.chunk.text for match in found.matches] == ["Never restart pods."]
        assert await store.admin.check(SCOPE) == []
        assert _chunk_ids(place) == ["runbook#c1"]

    quick = place.with_azure(retries=0, lag_seconds=0.2)
    _with_store(place, tmp_path, before)
    _with_store(quick, tmp_path, stopped)
    place.service.fault = lambda *_: None
    _with_store(place, tmp_path, after)


def test_two_processes_never_mix_what_they_apply(place: Place, tmp_path: Path) -> None:
    def put(name: str, version: int) -> Put:
        return Put(
            Document(name, f"Version {version}"),
            (Chunk(f"{name}#1", f"pods {version}"),),
            vectors=direction(1.0, float(version))[None],
        )

    async def run() -> None:
        stores = [await place.open_store(tmp_path) for _ in range(3)]
        try:
            for version in range(4):
                await asyncio.gather(
                    *(
                        store.truth.write(SCOPE, [put(f"d{number}", version), put("all", version)])
                        for number, store in enumerate(stores)
                    )
                )
            commit = await stores[0].truth.commit(SCOPE)
            for store in stores:
                found = await store.index.search(SCOPE, replace(PODS, at_least=commit))
                assert sorted(ids(found)) == ["all#1", "d0#1", "d1#1", "d2#1"]
                assert {match.passage.chunk.text for match in found.matches} == {"pods 3"}
                assert await store.admin.check(SCOPE) == []
        finally:
            for store in stores:
                await store.admin.close()

    asyncio.run(run())
    assert _chunk_ids(place) == ["all#1", "d0#1", "d1#1", "d2#1"]


def test_a_change_over_another_position_is_refused_and_leaves_nothing(place: Place) -> None:
    async def run() -> None:
        memory = await open_memory("", place.settings, IDENTITY)
        index, other = await place.open_index(), await place.open_index()
        for one in (index, other):
            one.use_records(memory.records)
        first = replace(samples.runbook(), key="v1")
        at = await index.apply(SCOPE, IndexChange(IndexPosition(), 1, "h", (first,)))
        assert at == await other.held(SCOPE) == IndexPosition(1, 1, "h")
        late = IndexChange(at, 2, "h", (replace(samples.policy(), key="v2"),))
        await other.clear(SCOPE)
        with pytest.raises(Outdated):
            await index.apply(SCOPE, late)
        assert (await index.held(SCOPE)) == IndexPosition(0, 2, "")
        assert _chunk_ids(place) == []
        # Both begin at the same position; the one that is second finds that out at the end.
        mark = await index.held(SCOPE)
        tries = [
            one.apply(SCOPE, IndexChange(mark, 3, "h", (replace(unit, key="v"),)))
            for one, unit in ((index, samples.runbook()), (other, samples.policy()))
        ]
        results = await asyncio.gather(*tries, return_exceptions=True)
        assert {type(one) for one in results} == {IndexPosition, Outdated}
        won = samples.runbook() if isinstance(results[0], IndexPosition) else samples.policy()
        assert _chunk_ids(place) == sorted(chunk.id for chunk in won.chunks)
        for one in (index, other):
            await one.close()
        await memory.admin.close()

    asyncio.run(run())


def test_who_may_not_write_rows_reads_on_and_says_why(place: Place, tmp_path: Path) -> None:
    place.service.tokens["reader"] = READER

    async def run() -> None:
        store = await place.open_store(tmp_path)
        await store.truth.write(SCOPE, [samples.runbook()])
        await store.admin.close()
        reader = await place.open_store(tmp_path, "reader")
        try:
            assert ids(await reader.index.search(SCOPE, PODS)) == ["runbook#c1"]
            await reader.truth.write(SCOPE, [samples.policy()])
            found = await reader.index.search(SCOPE, PODS)
            assert (ids(found), found.is_behind) == (["runbook#c1"], True)
            assert "does not let us in" in (await reader.admin.status(SCOPE)).problems[0]
        finally:
            await reader.admin.close()

    asyncio.run(run())


def test_an_index_alone_or_wrongly_named_says_what_is_missing(place: Place) -> None:
    async def run() -> None:
        index = await place.open_index()
        with pytest.raises(ConfigError, match="no store beside it"):
            await index.held(SCOPE)
        await index.close()

    asyncio.run(run())
    for rest, azure in (("chunks", AzureSettings()), ("", AzureSettings())):
        with pytest.raises(ConfigError, match=r"azure: takes no name|search_endpoint is not set"):
            asyncio.run(open_adapter(rest, Settings(azure=azure), None))


def test_vectors_that_fit_nothing_are_refused(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        with pytest.raises(InvalidVector):
            await store.index.search(SCOPE, Query(vector=np.ones(3, np.float32)))

    _with_store(place, tmp_path, task)


def test_what_nobody_lets_in_is_told(place: Place) -> None:
    async def run() -> None:
        await place.make_index()
        connection: SearchConnection = place.connect("stranger")
        with pytest.raises(PeerRefused):
            await connection.find("pods")
        await connection.close()

    asyncio.run(run())


def test_an_operator_finds_what_is_for_some_personas(place: Place, tmp_path: Path) -> None:
    async def task(store: Store) -> None:
        await store.truth.write(SCOPE, [samples.secret()])
        assert ids(await store.index.search(SCOPE, Query("audit"))) == []
        assert ids(await store.index.search(OPERATOR_SCOPE, Query("audit"))) == ["secret#c1"]

    _with_store(place, tmp_path, task)
