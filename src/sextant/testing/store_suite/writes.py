"""What a write changes, and what it must not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from sextant import query
from sextant.errors import (
    CommitUnknown,
    Conflict,
    InvalidInput,
    Outdated,
    TooLarge,
)
from sextant.ports import Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import (
    bad_queries,
    bad_units,
    content,
    disguised_names,
    everything,
    ids,
    odd_names,
    refused,
)
from sextant.testing.store_suite.opening import Opened, needs
from sextant.testing.store_suite.samples import AUDITOR, OPERATOR_SCOPE, SCOPE
from sextant.types import (
    Chunk,
    Direction,
    Document,
    Entity,
    NameMode,
    Put,
    Reach,
    Receipt,
    Relation,
    Remove,
    Scope,
    StoreAbility,
    Thread,
    Walk,
)


class WritePromises(Opened):
    """What a write changes, and what it must not."""

    def test_the_same_unit_again_changes_nothing(self, tmp_path: Path) -> None:
        """By its key, or by its content when it has none."""

        async def task(store: Store) -> None:
            first = await store.truth.write(SCOPE, [samples.runbook()])
            again = await store.truth.write(SCOPE, [samples.runbook()])
            assert (first.written, again.written, again.unchanged) == (1, 0, 1)
            assert again.commit == first.commit
            changed = replace(samples.runbook(), key="k1")
            assert (await store.truth.write(SCOPE, [changed])).written == 1
            other = Put(Document("runbook", "Another title"), key="k1")
            assert (await store.truth.write(SCOPE, [other])).unchanged == 1

        self.with_store(tmp_path, task)

    def test_an_update_replaces_all_that_the_document_brought(self, tmp_path: Path) -> None:
        """Old chunks, names and edges are gone with the old version."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook()])
            chunk = Chunk("runbook#c1", "Nothing to see.")
            await store.truth.write(SCOPE, [Put(Document("runbook", "Empty"), (chunk,))])
            assert ids(await store.index.search(SCOPE, Query("pods"))) == []
            assert ids(await store.index.search(SCOPE, Query("see"))) == ["runbook#c1"]
            assert not await store.truth.passages(SCOPE, ["runbook#c2"])
            assert not (await store.graph.lookup(SCOPE, ["Service A"], NameMode.EXACT))["Service A"]
            assert not (await store.graph.neighbours(SCOPE, ["x"], Walk())).links

        self.with_store(tmp_path, task)

    def test_a_delete_leaves_the_store_as_if_the_document_had_never_been(
        self, tmp_path: Path
    ) -> None:
        """Dump, scores, names, edges and counts are equal."""

        async def without(store: Store) -> object:
            needs(store.index, StoreAbility.EXACT_SCORES, StoreAbility.EXACT_DELETE)
            needs(store.graph, StoreAbility.EXACT_DELETE)
            await store.truth.write(SCOPE, [samples.runbook()])
            return await everything(store, SCOPE)

        async def after_delete(store: Store) -> object:
            await store.truth.write(SCOPE, [samples.policy(), samples.secret()])
            await store.truth.write(SCOPE, [samples.runbook()])
            receipt = await store.truth.write(
                SCOPE, [Remove("policy"), Remove("secret"), Remove("none")]
            )
            assert (receipt.removed, receipt.missing) == (2, 1)
            return await everything(store, SCOPE)

        assert self.with_store(tmp_path / "1", without) == self.with_store(
            tmp_path / "2", after_delete
        )

    def test_a_batch_is_taken_whole_or_not_at_all(self, tmp_path: Path) -> None:
        """A bad unit keeps the good ones before it out too."""

        async def task(store: Store) -> None:
            needs(store.truth, StoreAbility.ATOMIC_BATCH)
            await store.truth.write(SCOPE, [samples.runbook()])
            thief = Put(Document("thief"), (Chunk("runbook#c1", "mine"),))
            await refused(Conflict, store.truth.write(SCOPE, [samples.policy(), thief]))
            assert [one.id for one in await store.truth.documents(SCOPE)] == ["runbook"]
            assert not await store.admin.check(SCOPE)

        self.with_store(tmp_path, task)

    def test_a_chunk_id_is_free_once_its_owner_is_removed_in_the_same_batch(
        self, tmp_path: Path
    ) -> None:
        """Whatever the order of the changes."""

        async def task(store: Store) -> None:
            chunk = Chunk("shared#1", "words")
            await store.truth.write(SCOPE, [Put(Document("a"), (chunk,))])
            await store.truth.write(SCOPE, [Put(Document("b"), (chunk,)), Remove("a")])
            assert [one.id for one in await store.truth.documents(SCOPE)] == ["b"]

        self.with_store(tmp_path, task)

    def test_a_change_over_a_version_is_made_to_that_one_and_no_other(self, tmp_path: Path) -> None:
        """Of whoever read the same version only the first one writes or removes."""

        async def task(store: Store) -> None:
            await self._over_versions(store)
            before = await content(store, OPERATOR_SCOPE)
            for change in (Remove("none", "k"), Put(Document("none"), over="k")):
                await refused(Outdated, store.truth.write(SCOPE, [samples.policy(), change]))
            long = "k" * 2_000
            for change in (Remove("d", long), Put(Document("d"), over=long)):
                await refused(TooLarge, store.truth.write(SCOPE, [change]))
            assert await content(store, OPERATOR_SCOPE) == before
            await refused(Outdated, store.truth.write(Scope("stranger"), [Remove("d", "k")]))

        self.with_store(tmp_path, task)

    async def _over_versions(self, store: Store) -> None:
        new = Put(Document("d", "One"), over="")
        assert (await store.truth.write(SCOPE, [new])).written == 1
        await refused(Outdated, store.truth.write(SCOPE, [new]))
        first = (await store.truth.units(SCOPE, ["d"]))["d"]
        assert first.over is None
        second = Put(Document("d", "Two"), key="k2", over=first.key)
        assert (await store.truth.write(SCOPE, [second])).written == 1
        await refused(Outdated, store.truth.write(SCOPE, [replace(second, key="k3")]))
        await refused(Outdated, store.truth.write(SCOPE, [Remove("d", first.key)]))
        assert (await store.truth.units(SCOPE, ["d"]))["d"].document.title == "Two"
        assert (await store.truth.write(SCOPE, [replace(second, over="k2")])).unchanged == 1
        assert (await store.truth.write(SCOPE, [Remove("d", "k2")])).removed == 1
        await refused(Outdated, store.truth.write(SCOPE, [replace(second, over="k2")]))
        assert (await store.truth.write(SCOPE, [Remove("d", "")])).missing == 1

    def test_the_last_commit_is_told_at_once(self, tmp_path: Path) -> None:
        """Each tenant has its own; only what changes knowledge counts."""

        async def task(store: Store) -> None:
            assert await store.truth.commit(SCOPE) == 0
            first = await store.truth.write(SCOPE, [samples.runbook()])
            assert await store.truth.commit(SCOPE) == first.commit
            await store.truth.write(SCOPE, [samples.runbook()])
            await store.records.save_thread(SCOPE, Thread("t", "state"))
            for other in (samples.policy(), samples.runbook()):
                await store.truth.write(Scope("globex"), [other])
            assert await store.truth.commit(SCOPE) == first.commit
            gone = await store.truth.write(SCOPE, [Remove("runbook")])
            assert await store.truth.commit(AUDITOR) == gone.commit > first.commit
            found = await store.index.search(SCOPE, Query("anything"))
            assert found.commit == gone.commit

        self.with_store(tmp_path, task)

    def test_a_receipt_names_the_commit_that_its_changes_were_applied_to(
        self, tmp_path: Path
    ) -> None:
        """So that whoever knows that one can tell whether somebody else wrote meanwhile."""

        async def task(store: Store) -> None:
            first = await store.truth.write(SCOPE, [samples.runbook()])
            assert 0 == first.before < first.commit < 2**53
            await store.truth.write(Scope("globex"), [samples.policy()])
            await store.records.count(SCOPE, {"asked": 1})
            second = await store.truth.write(SCOPE, [samples.policy()])
            assert first.commit == second.before < second.commit
            await refused(Outdated, store.truth.write(SCOPE, [Remove("policy", "another version")]))
            third = await store.truth.write(SCOPE, [Remove("runbook"), samples.secret()])
            assert second.commit == third.before < third.commit

        self.with_store(tmp_path, task)

    def test_writes_at_once_are_applied_one_after_the_other(self, tmp_path: Path) -> None:
        """Each to what the one before left, and of those over one version only one is made."""

        async def task(store: Store) -> None:
            puts = [Put(Document(f"d{at}")) for at in range(8)]
            made = await asyncio.gather(*(store.truth.write(SCOPE, [put]) for put in puts))
            commits = sorted(receipt.commit for receipt in made)
            assert sorted(receipt.before for receipt in made) == [0, *commits[:-1]]
            assert all(receipt.before < receipt.commit for receipt in made)
            assert await store.truth.commit(SCOPE) == commits[-1]
            rivals = [Put(Document("one", f"{at}"), over="") for at in range(5)]
            tries = (store.truth.write(SCOPE, [put]) for put in rivals)
            results = await asyncio.gather(*tries, return_exceptions=True)
            assert sum(isinstance(one, Receipt) for one in results) == 1
            assert sum(isinstance(one, Outdated) for one in results) == 4

        self.with_store(tmp_path, task)

    def test_what_changes_nothing_makes_no_commit(self, tmp_path: Path) -> None:
        """An empty batch is none, and neither makes a tenant."""

        async def task(store: Store) -> None:
            assert await store.truth.write(SCOPE, []) == Receipt(0, 0)
            assert await store.truth.write(SCOPE, [Remove("none")]) == Receipt(0, 0, missing=1)
            assert await store.admin.tenants() == []
            last = (await store.truth.write(SCOPE, [samples.runbook()])).commit
            assert await store.truth.write(SCOPE, []) == Receipt(last, last)
            again = await store.truth.write(SCOPE, [samples.runbook(), Remove("none")])
            assert again == Receipt(last, last, unchanged=1, missing=1)
            assert await store.truth.commit(SCOPE) == last

        self.with_store(tmp_path, task)

    def test_tenants_do_not_know_of_each_other(self, tmp_path: Path) -> None:
        """Not by a word's rarity, not by a name, not by a count."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook()])
            alone = await everything(store, SCOPE)
            for name in ("globex", "../acme", "ACME", "acme' OR '1'='1"):
                other = Scope(name)
                await store.truth.write(other, [samples.policy(), samples.secret()])
                await store.records.count(other, {"asked": 3})
                await store.records.save_thread(other, Thread("t", "theirs"))
            assert await everything(store, SCOPE) == alone
            assert await store.records.counters(SCOPE, ["asked"]) == {"asked": 0}
            assert not await store.records.threads(SCOPE, ["t"])
            assert set(await store.admin.tenants()) >= {"acme", "globex", "../acme", "ACME"}

        self.with_store(tmp_path, task)

    def test_an_unknown_tenant_is_empty_and_reading_does_not_make_it(self, tmp_path: Path) -> None:
        """Whoever guesses names leaves no trace."""

        async def task(store: Store) -> None:
            stranger = Scope("stranger")
            assert (await store.index.search(stranger, Query("anything"))).matches == ()
            assert (await store.truth.counts(stranger)).documents == 0
            assert not (await store.graph.neighbours(stranger, ["a"], Walk())).links
            assert (await store.truth.write(stranger, [Remove("d")])).missing == 1
            assert await store.truth.commit(stranger) == 0
            assert "stranger" not in await store.admin.tenants()
            if StoreAbility.READ_YOUR_WRITES in store.index.abilities:
                await refused(CommitUnknown, store.index.search(stranger, Query("x", at_least=5)))

        self.with_store(tmp_path, task)

    def test_what_a_persona_may_not_see_does_not_exist_for_it(self, tmp_path: Path) -> None:
        """Everything it reads equals a store that never had the hidden documents."""

        async def public_only(store: Store) -> object:
            needs(store.index, StoreAbility.PERSONA_STATISTICS)
            needs(store.graph, StoreAbility.PERSONA_STATISTICS)
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            return await everything(store, SCOPE)

        async def with_secret(store: Store) -> tuple[object, object]:
            await store.truth.write(SCOPE, [samples.secret(), samples.policy(), samples.runbook()])
            other = await everything(store, Scope("acme", personas=frozenset({"developer"})))
            assert await everything(store, AUDITOR) != other
            assert (await store.truth.counts(OPERATOR_SCOPE)).documents == 3
            return await everything(store, SCOPE), other

        expected = self.with_store(tmp_path / "1", public_only)
        assert self.with_store(tmp_path / "2", with_secret) == (expected, expected)

    def test_a_store_of_which_nothing_is_seen_is_an_empty_one(self, tmp_path: Path) -> None:
        """Whether all is hidden, all is gone, or nobody ever wrote: a search tells the same."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.PERSONA_STATISTICS, StoreAbility.EXACT_DELETE)
            hidden, emptied, unknown = Scope("acme"), Scope("globex"), Scope("stranger")
            await store.truth.write(hidden, [samples.secret()])
            await store.truth.write(emptied, [samples.runbook()])
            await store.truth.write(emptied, [Remove("runbook")])
            expected = await everything(store, unknown)
            for scope in (hidden, emptied, unknown):
                assert await everything(store, scope) == expected
                found = await store.index.search(
                    scope, Query("Zebra audit", samples.direction(1.0))
                )
                assert set(found.frequencies.values()) == {0}
                assert len(found.frequencies) == 2
                for kind, wrong in bad_queries():
                    await refused(kind, store.index.search(scope, wrong))

        self.with_store(tmp_path, task)

    def test_documents_are_listed_page_by_page(self, tmp_path: Path) -> None:
        """From the id that the last page ended with; what is hidden takes no place on a page."""
        hidden = frozenset({"auditor"})

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [Put(Document(f"d{at}")) for at in range(5)])
            secrets = [Put(Document(f"{name}!", personas=hidden)) for name in ("d0", "d1", "d2")]
            await store.truth.write(SCOPE, secrets)
            pages: list[list[str]] = []
            for after in ("", "d1", "d3", "d4"):
                page = await store.truth.documents(SCOPE, after, 2)
                pages.append([document.id for document in page])
            assert pages == [["d0", "d1"], ["d2", "d3"], ["d4"], []]

        self.with_store(tmp_path, task)

    def test_bad_input_is_refused_and_nothing_is_written(self, tmp_path: Path) -> None:
        """With an error of the house that says what to do."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook()])
            before = await content(store, OPERATOR_SCOPE)
            for kind, put in bad_units():
                await refused(kind, store.truth.write(SCOPE, [samples.policy(), put]))
            for kind, bad in bad_queries():
                await refused(kind, store.index.search(SCOPE, bad))
            await refused(InvalidInput, store.truth.write(Scope(""), [samples.policy()]))
            for name in disguised_names():
                await refused(InvalidInput, store.truth.write(Scope(name), [samples.policy()]))
                await refused(InvalidInput, store.truth.write(SCOPE, [Put(Document(name))]))
            await refused(
                InvalidInput, store.truth.write(SCOPE, [samples.policy(), Remove("policy")])
            )
            await refused(TooLarge, store.graph.neighbours(SCOPE, ["a"], Walk(hops=99)))
            await refused(TooLarge, store.graph.web(SCOPE, [], ["a"], Reach(hops=99)))
            await refused(InvalidInput, store.graph.web(SCOPE, [""], [], Reach()))
            await refused(InvalidInput, store.truth.documents(SCOPE, limit=0))
            await refused(InvalidInput, store.records.count(SCOPE, {"": 1}))
            await refused(InvalidInput, store.truth.write(SCOPE, samples.policy()))  # type: ignore[arg-type]
            await refused(InvalidInput, store.truth.write(SCOPE, [None]))  # type: ignore[list-item]
            await refused(InvalidInput, store.truth.counts("acme"))  # type: ignore[arg-type]
            await refused(TooLarge, store.records.feedback(SCOPE, after=2**70))
            await refused(InvalidInput, store.truth.passages(SCOPE, None))  # type: ignore[arg-type]
            await refused(InvalidInput, store.truth.passages(SCOPE, "runbook#c1"))
            await refused(InvalidInput, store.truth.passages(SCOPE, {"runbook#c1"}))  # type: ignore[arg-type]
            await refused(InvalidInput, store.index.pieces(SCOPE, ["runbook#c1"]))  # type: ignore[arg-type]
            await refused(InvalidInput, store.index.pieces(SCOPE, {"runbook#c1": 5}))  # type: ignore[dict-item]
            no_kinds = Walk(kinds=None)  # type: ignore[arg-type]
            await refused(InvalidInput, store.graph.neighbours(SCOPE, ["a"], no_kinds))
            sideways = Walk(direction="sideways")  # type: ignore[arg-type]
            await refused(InvalidInput, store.graph.neighbours(SCOPE, ["a"], sideways))
            mode: NameMode = "loosely"  # type: ignore[assignment]
            await refused(InvalidInput, store.graph.lookup(SCOPE, ["a"], mode))
            assert await content(store, OPERATOR_SCOPE) == before

        self.with_store(tmp_path, task)

    def test_any_text_can_be_an_id_a_name_or_a_tag(self, tmp_path: Path) -> None:
        """Paths, statements, signs, scripts and control characters are only text."""

        async def task(store: Store) -> None:
            for name in odd_names():
                put = Put(
                    Document(name, name, tags=frozenset({name}), source_type=name),
                    (Chunk(f"{name}#", f"odd {name}", entity_ids=(name,)),),
                    (Entity(name, name),),
                    (Relation(name, name, name, evidence=(f"{name}#",)),),
                )
                await store.truth.write(SCOPE, [put])
                tree = query.AllOf(
                    (
                        query.TagsAny((name,)),
                        query.EntitiesAny((name,)),
                        query.SourceTypes((name,)),
                        query.DocumentsAny((name,)),
                    )
                )
                assert ids(await store.index.search(SCOPE, Query("odd", filter=tree))) == [
                    f"{name}#"
                ], name
                assert (await store.graph.entities(SCOPE, [name]))[name].name == name
                walk = Walk(frozenset({name}), Direction.OUT)
                (link,) = (await store.graph.neighbours(SCOPE, [name], walk)).links
                assert link.relation.evidence == (f"{name}#",)
                await store.truth.write(SCOPE, [Remove(name)])
            assert (await store.truth.counts(SCOPE)).documents == 0
            assert await content(store, OPERATOR_SCOPE) == []

        self.with_store(tmp_path, task)
