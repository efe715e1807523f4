"""What a store keeps of documents that came without vectors, and how they get theirs later."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from sextant.errors import Outdated
from sextant.ports import Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import refused
from sextant.testing.store_suite.opening import Opened, needs
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Document, Put, Receipt, Remove, Scope, StoreAbility, Unembedded


def bare(put: Put) -> Put:
    """Return a unit with a key and without vectors."""
    return replace(put, vectors=None, pieces=None, key=put.key or f"version of {put.document_id}")


def with_vectors(put: Put) -> Put:
    """Return the version of a unit that has no vectors, with those that belong to it."""
    return replace(put, key=bare(put).key)


class UnembeddedPromises(Opened):
    """Vectors may come after their texts, and only to the version that they belong to."""

    def test_documents_without_vectors_are_told_last_written_first(self, tmp_path: Path) -> None:
        """Whoever may see them; one without chunks needs none, and one that is gone neither."""

        async def task(store: Store) -> None:
            assert await _unembedded(store) == []
            puts = [samples.policy(), samples.runbook(), samples.secret()]
            for put in puts:
                await store.truth.write(SCOPE, [bare(put)])
            await store.truth.write(SCOPE, [Put(Document("empty")), Put(Document("gone"))])
            told = await _unembedded(store)
            assert told == [Unembedded(put.document_id, len(put.chunks)) for put in puts[::-1]]
            assert await store.truth.unembedded(SCOPE, limit=1) == told[:1]
            assert await _unembedded(store, but=["secret", "none"]) == told[1:]
            assert await store.truth.unembedded(Scope("another")) == []
            status = await store.admin.status(SCOPE)
            assert status.unembedded_chunks == sum(len(put.chunks) for put in puts)
            await store.truth.write(SCOPE, [Remove("secret"), with_vectors(puts[0])])
            assert await _unembedded(store) == told[1:2]

        self.with_store(tmp_path, task)

    def test_the_same_key_again_may_bring_the_vectors_that_were_missing(
        self, tmp_path: Path
    ) -> None:
        """Only where there are none: neither are they replaced nor taken away under one key."""

        async def task(store: Store) -> None:
            put = with_vectors(samples.runbook())
            await store.truth.write(SCOPE, [bare(put)])
            first = await store.truth.write(SCOPE, [replace(put, over=put.key)])
            assert first.written == 1
            assert await _unembedded(store) == []
            unit = (await store.truth.units(SCOPE, ["runbook"]))["runbook"]
            assert (unit.key, unit.pieces) == (put.key, put.pieces)
            assert unit.vectors is not None
            for again in (put, bare(put), replace(put, over=put.key)):
                receipt = await store.truth.write(SCOPE, [again])
                assert receipt == Receipt(first.commit, first.commit, unchanged=1)

        self.with_store(tmp_path, task)

    def test_vectors_that_come_later_are_told_as_a_change(self, tmp_path: Path) -> None:
        """An index elsewhere has to take them in, and a search by vector finds them."""

        async def task(store: Store) -> None:
            needs(store.truth, StoreAbility.CHANGE_FEED)
            put = with_vectors(samples.runbook())
            before = (await store.truth.write(SCOPE, [bare(put), samples.policy()])).commit
            after = (await store.truth.write(SCOPE, [replace(put, over=put.key)])).commit
            assert (await store.truth.changed(SCOPE, before)).written == ("runbook",)
            asked = Query(vector=samples.direction(1.0, 0.2), at_least=after, k=1)
            [match] = (await store.index.search(SCOPE, asked)).matches
            assert match.passage.chunk.id == "runbook#c1"

        self.with_store(tmp_path, task)

    def test_vectors_of_a_version_that_is_gone_are_refused(self, tmp_path: Path) -> None:
        """What is there by then stays as it is, still without vectors."""

        async def task(store: Store) -> None:
            put = with_vectors(samples.runbook())
            await store.truth.write(SCOPE, [bare(put)])
            await store.truth.write(SCOPE, [replace(bare(put), key="newer")])
            late = store.truth.write(SCOPE, [replace(put, over=put.key)])
            await refused(Outdated, late)
            unit = (await store.truth.units(SCOPE, ["runbook"]))["runbook"]
            assert (unit.key, unit.vectors) == ("newer", None)
            assert [one.document_id for one in await _unembedded(store)] == ["runbook"]

        self.with_store(tmp_path, task)


async def _unembedded(store: Store, but: Collection[str] = ()) -> list[Unembedded]:
    return list(await store.truth.unembedded(SCOPE, but=but))
