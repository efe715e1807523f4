"""What a store gives back of the units it took, so that documents can be kept in step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sextant.errors import InvalidInput, TooLarge
from sextant.ports import Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import odd_names, refused
from sextant.testing.store_suite.opening import Opened, needs
from sextant.testing.store_suite.pieces import Deaf
from sextant.testing.store_suite.samples import AUDITOR, SCOPE
from sextant.types import (
    Changed,
    Definition,
    Document,
    Entity,
    Put,
    Receipt,
    Remove,
    Scope,
    StoreAbility,
)


class KeepPromises(Opened):
    """Units come back as they were written; definitions and words say which are concerned."""

    def test_a_unit_comes_back_as_it_was_written(self, tmp_path: Path) -> None:
        """Writing it again changes nothing, and what a persona may not see is not there."""

        async def task(store: Store) -> None:
            put = samples.runbook()
            named = tuple(replace(one, id=f"rel-{at}") for at, one in enumerate(put.relations))
            put = replace(put, relations=named, key="first")
            await store.truth.write(SCOPE, [put, samples.secret()])
            units = await store.truth.units(SCOPE, [put.document.id, "secret", "nothing"])
            assert set(units) == {put.document.id}
            unit = units[put.document.id]
            assert (unit.document, unit.chunks, unit.key) == (put.document, put.chunks, "first")
            assert [one.id for one in unit.relations] == [one.id for one in named]
            assert unit.vectors is not None
            assert unit.vectors.shape[0] == len(put.chunks)
            assert unit.pieces == put.pieces
            again = await store.truth.write(SCOPE, [unit])
            assert again == Receipt(again.commit, again.commit, unchanged=1)

        self.with_store(tmp_path, task)

    def test_the_owner_of_a_document_is_kept(self, tmp_path: Path) -> None:
        """Wherever the document is read, and whoever else brings the same is another owner."""

        async def task(store: Store) -> None:
            put = samples.policy()
            for owner in ("key:1", "key:2"):
                owned = replace(put, document=replace(put.document, owner=owner), key="")
                receipt = await store.truth.write(SCOPE, [owned])
                assert receipt.written == 1
                [listed] = await store.truth.documents(SCOPE)
                unit = (await store.truth.units(SCOPE, [put.document_id]))[put.document_id]
                passages = await store.truth.passages(SCOPE, [put.chunks[0].id])
                found = await store.index.search(
                    SCOPE, Query("escalation", at_least=receipt.commit)
                )
                told = [listed, unit.document, passages[put.chunks[0].id].document]
                told += [match.passage.document for match in found.matches[:1]]
                assert [one.owner for one in told] == [owner] * len(told)

        self.with_store(tmp_path, task)

    def test_what_changed_since_a_commit_is_told(self, tmp_path: Path) -> None:
        """Of each document the last change, whoever may see it, so that an index can follow.

        So few removals are not forgotten yet.
        """

        async def task(store: Store) -> None:
            needs(store.truth, StoreAbility.CHANGE_FEED)
            assert await store.truth.changed(SCOPE, 0) == Changed(0)
            first = (await store.truth.write(SCOPE, [samples.runbook(), samples.secret()])).commit
            second = (await store.truth.write(SCOPE, [samples.policy()])).commit
            gone = (await store.truth.write(SCOPE, [Remove("runbook"), Remove("none")])).commit
            assert await _changed(store, 0) == (gone, {"secret", "policy"}, {"runbook"})
            assert await _changed(store, first) == (gone, {"policy"}, {"runbook"})
            assert await _changed(store, second) == (gone, set(), {"runbook"})
            assert await _changed(store, gone) == (gone, set(), set())
            last = (await store.truth.write(SCOPE, [samples.runbook(), Remove("policy")])).commit
            assert await _changed(store, gone) == (last, {"runbook"}, {"policy"})
            await store.truth.write(SCOPE, [samples.runbook()])
            assert await _changed(store, last) == (last, set(), set())
            assert (await store.truth.changed(SCOPE, last)).complete_since == 0

        self.with_store(tmp_path, task)

    def test_new_vectors_are_a_change_of_every_document(self, tmp_path: Path) -> None:
        """An index elsewhere has to take them in."""

        async def task(store: Store) -> None:
            needs(store.truth, StoreAbility.CHANGE_FEED)
            before = (await store.truth.write(SCOPE, [samples.runbook(), samples.secret()])).commit
            await store.admin.rebuild(SCOPE, Deaf())
            commit, written, removed = await _changed(store, before)
            assert commit > before
            assert (written, removed) == ({"runbook", "secret"}, set())

        self.with_store(tmp_path, task)

    def test_definitions_come_by_entity_one_per_document(self, tmp_path: Path) -> None:
        """Pages go on after the last id; a hidden document's word is not heard."""

        async def task(store: Store) -> None:
            puts = [samples.runbook(), samples.policy(), samples.secret()]
            await store.truth.write(SCOPE, puts)

            async def walk(scope: Scope) -> list[tuple[str, str, frozenset[str]]]:
                found: list[Definition] = []
                while page := await store.truth.definitions(
                    scope, found[-1].entity.id if found else "", 1
                ):
                    assert len({one.entity.id for one in page}) == 1
                    found += page
                return [(repr(one.entity), one.document_id, one.personas) for one in found]

            def said(puts: Sequence[Put]) -> list[tuple[str, str, frozenset[str]]]:
                return sorted(
                    (repr(entity), put.document.id, put.document.personas)
                    for put in puts
                    for entity in put.entities
                )

            assert sorted(await walk(SCOPE)) == said(puts[:2])
            assert sorted(await walk(AUDITOR)) == said(puts)

        self.with_store(tmp_path, task)

    def test_definitions_can_be_left_out_by_their_metadata(self, tmp_path: Path) -> None:
        """A definition that does not have the field at all stays."""

        async def task(store: Store) -> None:
            entities = (
                Entity("a", "A", metadata={"found in": "text"}),
                Entity("b", "B", metadata={"found in": "title"}),
                Entity("c", "C"),
            )
            await store.truth.write(SCOPE, [Put(Document("d"), entities=entities)])
            unless = {"found in": frozenset({"text", "heading"})}
            found = await store.truth.definitions(SCOPE, unless=unless)
            assert [one.entity.id for one in found] == ["b", "c"]

        self.with_store(tmp_path, task)

    def test_definitions_are_left_out_whatever_their_metadata_are_called(
        self, tmp_path: Path
    ) -> None:
        """An empty value is one; a field that is not there has none."""

        async def left(store: Store, field: str, value: str) -> list[str]:
            found = await store.truth.definitions(SCOPE, unless={field: frozenset({value})})
            return [one.entity.id for one in found]

        async def task(store: Store) -> None:
            names = [*odd_names(), 'a"b', "a", "b", "\\", "a.b", "[0]", "$", ":", ",", "é"]
            everyone = [f"{at:02}" for at in range(len(names))]
            entities = [
                Entity(own, "E", metadata={name: name})
                for own, name in zip(everyone, names, strict=True)
            ]
            await store.truth.write(SCOPE, [Put(Document("d"), entities=tuple(entities))])
            for own, name in zip(everyone, names, strict=True):
                assert await left(store, name, name) == [one for one in everyone if one != own]
                assert await left(store, name, f"{name}.") == everyone
                assert await left(store, name, "") == everyone
            empty = Entity("empty", "E", metadata={"field": ""})
            await store.truth.write(SCOPE, [Put(Document("d"), entities=(*entities, empty))])
            assert await left(store, "field", "") == everyone
            many = {f"{at}": frozenset({"a"}) for at in range(999)} | {"a": frozenset({"a"})}
            assert len(await store.truth.definitions(SCOPE, unless=many)) == len(everyone)

        self.with_store(tmp_path, task)

    def test_what_definitions_are_left_out_by_is_limited(self, tmp_path: Path) -> None:
        """What is no text, or too much of it, is refused."""

        async def task(store: Store) -> None:
            half, long, values = "\ud800", "x" * 300_000, frozenset(map(str, range(300)))
            for kind, unless in (
                (InvalidInput, {half: frozenset({"text"})}),
                (InvalidInput, {"found in": frozenset({half})}),
                (InvalidInput, {"found in": frozenset({5})}),
                (InvalidInput, {"found in": "text"}),
                (InvalidInput, {"": frozenset({"text"})}),
                (InvalidInput, ["found in"]),
                (TooLarge, {long: frozenset({"text"})}),
                (TooLarge, {"found in": frozenset({long})}),
                (TooLarge, {f"{at}": frozenset({"text"}) for at in range(5_000)}),
                (TooLarge, {f"{at}": values for at in range(300)}),
            ):
                await refused(kind, store.truth.definitions(SCOPE, unless=unless))  # type: ignore[arg-type]

        self.with_store(tmp_path, task)

    def test_documents_are_found_by_an_entity_that_they_name(self, tmp_path: Path) -> None:
        """Defining, mentioning or relating it will do; hidden documents are not found."""

        async def task(store: Store) -> None:
            puts = [samples.runbook(), samples.policy(), samples.secret()]
            await store.truth.write(SCOPE, puts)
            for put in puts:
                mentioned = {name for chunk in put.chunks for name in chunk.entity_ids}
                related = {end for one in put.relations for end in (one.source, one.target)}
                for name in mentioned | related | {entity.id for entity in put.entities}:
                    found = await store.graph.mentioning(SCOPE, [name])
                    assert (put.document.id in found) == (not put.document.personas)
            assert list(await store.graph.mentioning(SCOPE, ["nobody"])) == []
            assert list(await store.graph.mentioning(SCOPE, [])) == []

        self.with_store(tmp_path, task)

    def test_documents_are_found_by_all_words_of_a_phrase(self, tmp_path: Path) -> None:
        """Every word must stand in one chunk; its title and headings count."""

        async def task(store: Store) -> None:
            puts = [samples.runbook(), samples.policy()]
            await store.truth.write(SCOPE, puts)
            title = puts[0].document.title
            wrong = ("no such words here", "pods without", "restart zebra")
            found = await store.index.holding(SCOPE, [title, *wrong, ""])
            assert puts[0].document.id in found[title]
            assert [found[text] for text in wrong] == [[], [], []]
            assert found[""] == []

        self.with_store(tmp_path, task)


async def _changed(store: Store, since: int) -> tuple[int, set[str], set[str]]:
    changed = await store.truth.changed(SCOPE, since)
    return changed.commit, set(changed.written), set(changed.removed)
