"""What a search finds, and whom it finds it for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sextant import query
from sextant.errors import (
    CommitUnknown,
    InvalidInput,
    TooLarge,
)
from sextant.ports import Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.checks import (
    everything,
    ids,
    refused,
    scores,
)
from sextant.testing.store_suite.opening import Opened, needs
from sextant.testing.store_suite.samples import SCOPE, day, direction
from sextant.types import (
    Chunk,
    Document,
    Entity,
    Facets,
    Put,
    Relation,
    Remove,
    Scope,
    StoreAbility,
    Walk,
)


def _for_personas(*personas: str) -> Put:
    """Return a document for these personas only, which speaks of what others speak of, too."""
    name = " ".join(personas)
    text = f"Service A restarts its pods for {name}."
    return Put(
        Document(name, f"Notes for {name}", personas=frozenset(personas)),
        (Chunk(f"{name}#c1", text, 0, len(text), entity_ids=("a",)),),
        (Entity("a", f"A of {name}", "service"),),
        (Relation("a", "y", "owned_by", 1.0, 3.0, (f"{name}#c1",)),),
        direction(0.7, 0.7)[None],
    )


class SearchPromises(Opened):
    """What a search finds, and whom it finds it for."""

    def test_a_written_document_is_found_by_its_words(self, tmp_path: Path) -> None:
        """Stems, titles and headings count; the score of the leg is shown."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            found = await store.index.search(SCOPE, Query("restarting pods"))
            assert ids(found) == ["runbook#c1"]
            assert found.matches[0].keyword == found.matches[0].score > 0
            assert found.matches[0].vector is None
            assert ids(await store.index.search(SCOPE, Query("impact")))[0] == "runbook#c2"
            assert set(ids(await store.index.search(SCOPE, Query("runbook")))) == {
                "runbook#c1",
                "runbook#c2",
            }

        self.with_store(tmp_path, task)

    def test_keyword_scores_are_those_of_bm25(self, tmp_path: Path) -> None:
        """With k1 = 1.2 and b = 0.75, a title counted twice: answers are judged by them."""
        texts = {"a": "harbor queue", "b": "harbor harbor gate", "c": "zebra zebra zebra zebra"}

        async def task(store: Store) -> None:
            plain = [Put(Document(name), (Chunk(name, text),)) for name, text in texts.items()]
            titled = Put(Document("d", "Harbor"), (Chunk("d", "gate"),))
            await store.truth.write(SCOPE, [*plain, titled])
            found = await store.index.search(SCOPE, Query("harbor queue"))
            assert ids(found) == ["a", "b", "d"]
            is_promised = StoreAbility.EXACT_SCORES in store.index.abilities
            assert found.has_exact_scores == is_promised
            needs(store.index, StoreAbility.EXACT_SCORES)
            # Of 4 passages 3 hold harbor, 1 queue: ln(1 + 1.5/3.5) and ln(1 + 3.5/1.5). They are 3
            # terms long on average: 2.2/(1 + 0.9) for one of 2 terms, 2 · 2.2/(2 + 1.2) of 3.
            expected = {"a": 1.8070658, "b": 0.4904280, "d": 0.4904280}
            told = scores(found)
            assert all(abs(told[name] - own) < 1e-6 for name, own in expected.items()), told

        self.with_store(tmp_path, task)

    def test_a_search_says_how_common_each_of_its_words_is(self, tmp_path: Path) -> None:
        """Only what the scope sees is counted; a word that stands nowhere is told, too."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.EXACT_SCORES, StoreAbility.EXACT_DELETE)
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            found = await store.index.search(SCOPE, Query("restarting pods nowhere", k=1))
            assert found.frequencies == {"restart": 1, "pod": 1, "nowher": 0}
            assert found.chunks == (await store.truth.counts(SCOPE)).chunks
            await store.truth.write(SCOPE, [Remove("runbook")])
            found = await store.index.search(SCOPE, Query("pods"))
            assert found.frequencies == {"pod": 0}

        self.with_store(tmp_path, task)

    def test_the_tags_and_source_types_in_use_are_told(self, tmp_path: Path) -> None:
        """What the scope cannot see, and what was deleted, is not counted."""

        async def task(store: Store) -> None:
            secret = Document("s", tags=frozenset({"x"}), source_type="t", personas=frozenset("p"))
            open_one = Document("o", tags=frozenset({"x", "y"}), source_type="u")
            await store.truth.write(SCOPE, [Put(secret), Put(open_one), Put(Document("plain"))])
            nobody, insider = Scope(SCOPE.tenant), Scope(SCOPE.tenant, frozenset("p"))
            assert await store.index.facets(nobody) == Facets({"x": 1, "y": 1}, {"u": 1})
            assert await store.index.facets(insider) == Facets({"x": 2, "y": 1}, {"t": 1, "u": 1})
            await store.truth.write(SCOPE, [Remove("o")])
            assert await store.index.facets(nobody) == Facets()
            assert await store.index.facets(Scope("elsewhere")) == Facets()

        self.with_store(tmp_path, task)

    def test_what_any_persona_of_a_scope_may_see_is_there_and_nothing_else(
        self, tmp_path: Path
    ) -> None:
        """All that several read, statistics too, equals a store that never had what none sees."""
        team = frozenset({"auditor", "developer"})
        personas = (("developer",), ("lawyer",), ("lawyer", "developer"), ("auditor", "lawyer"))
        some = [_for_personas(*one) for one in personas]
        seen = [put for put in some if not team.isdisjoint(put.document.personas)]
        public = [samples.runbook(), samples.policy(), samples.secret()]

        async def only_seen(store: Store) -> object:
            await store.truth.write(SCOPE, [*public, *seen])
            return await everything(store, Scope(SCOPE.tenant, team))

        async def with_hidden(store: Store) -> object:
            await store.truth.write(SCOPE, [*some, *public])
            for one in team:
                alone = await everything(store, Scope(SCOPE.tenant, frozenset({one})))
                assert alone != await everything(store, Scope(SCOPE.tenant, team))
            in_vain = Scope(SCOPE.tenant, team | {"nobody is for this one"})
            assert await everything(store, in_vain) == await everything(
                store, Scope(SCOPE.tenant, team)
            )
            return await everything(store, in_vain)

        expected = self.with_store(tmp_path / "1", only_seen)
        assert self.with_store(tmp_path / "2", with_hidden) == expected

    def test_each_part_shows_what_any_persona_of_a_scope_may_see(self, tmp_path: Path) -> None:
        """Documents, passages, words, names and edges: those for one persona and for the other."""
        team = Scope(SCOPE.tenant, frozenset({"auditor", "developer", "zoologist"}))
        hidden = _for_personas("lawyer")
        shown = [_for_personas(one) for one in sorted(team.personas)]

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [*shown, hidden])
            names = [put.document.id for put in shown]
            chunks = [put.chunks[0].id for put in shown]
            assert [one.id for one in await store.truth.documents(team)] == names
            assert list(await store.truth.units(team, [*names, "lawyer"])) == names
            assert set(await store.truth.passages(team, [*chunks, "lawyer#c1"])) == set(chunks)
            assert {one.document_id for one in await store.truth.definitions(team)} == set(names)
            assert (await store.truth.counts(team)).documents == len(names)
            assert set(ids(await store.index.search(team, Query("pods")))) == set(chunks)
            assert (await store.index.holding(team, ["pods"]))["pods"] == names
            assert list(await store.graph.mentioning(team, ["a"])) == names
            (link,) = (await store.graph.neighbours(team, ["a"], Walk())).links
            assert link.relation.support == len(names)
            said = (await store.graph.entities(team, ["a"]))["a"]
            assert {said.name, *said.aliases} == {f"A of {name}" for name in names}

        self.with_store(tmp_path, task)

    def test_personas_that_are_no_set_or_too_many_are_refused(self, tmp_path: Path) -> None:
        """As many as a directory puts into a token are fine; each has a name."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.secret()])
            groups = frozenset(f"group {number}" for number in range(199))
            found = await store.index.search(
                Scope(SCOPE.tenant, groups | {"auditor"}), Query("audit")
            )
            assert ids(found) == ["secret#c1"]
            too_many = Scope(SCOPE.tenant, groups | {"auditor", "one more"})
            await refused(TooLarge, store.index.search(too_many, Query("audit")))
            no_sets: tuple[Any, ...] = ("auditor", ["auditor"], None, frozenset({""}))
            for one in no_sets:
                await refused(
                    InvalidInput, store.index.search(Scope(SCOPE.tenant, one), Query("audit"))
                )

        self.with_store(tmp_path, task)

    def test_a_passage_comes_back_as_it_was_written(self, tmp_path: Path) -> None:
        """Every field of the chunk and of its document survives."""

        async def task(store: Store) -> None:
            put = samples.runbook()
            await store.truth.write(SCOPE, [put])
            passages = await store.truth.passages(SCOPE, ["runbook#c2", "nowhere"])
            assert list(passages) == ["runbook#c2"]
            assert passages["runbook#c2"].chunk == put.chunks[1]
            assert passages["runbook#c2"].document == put.document
            assert passages["runbook#c2"].version
            assert await store.truth.documents(SCOPE) == [put.document]
            ids = await store.truth.chunk_ids(SCOPE, ["runbook", "nowhere"])
            assert {name: list(own) for name, own in ids.items()} == {
                "runbook": ["runbook#c1", "runbook#c2"]
            }

        self.with_store(tmp_path, task)

    def test_the_nearest_vectors_come_first(self, tmp_path: Path) -> None:
        """The score of the leg is the cosine."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.EXACT_SCORES)
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            found = await store.index.search(SCOPE, Query(vector=direction(0.0, 5.0), k=2))
            assert ids(found) == ["runbook#c2", "policy#c1"]
            assert abs((found.matches[0].vector or 0) - 1 / np.hypot(0.2, 1.0)) < 1e-6
            assert found.matches[0].keyword is None

        self.with_store(tmp_path, task)

    def test_an_update_replaces_the_vectors_too(self, tmp_path: Path) -> None:
        """The text may be the same; only the new direction is near."""

        async def task(store: Store) -> None:
            for lengths in ((1.0,), (0.0, 1.0)):
                put = Put(Document("d"), (Chunk("d#1", "words"),))
                await store.truth.write(SCOPE, [replace(put, vectors=direction(*lengths)[None])])
                found = await store.index.search(SCOPE, Query(vector=direction(*lengths)))
                assert abs((found.matches[0].vector or 0.0) - 1.0) < 1e-3
                unit = (await store.truth.units(SCOPE, ["d"]))["d"]
                assert unit.vectors is not None
                assert np.allclose(unit.vectors[0], direction(*lengths), atol=1e-3)

        self.with_store(tmp_path, task)

    def test_a_hybrid_search_shows_both_scores_of_every_match(self, tmp_path: Path) -> None:
        """Also of what only one leg brought."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            found = await store.index.search(SCOPE, Query("escalation", direction(1.0)))
            assert set(ids(found)) == {"runbook#c1", "runbook#c2", "policy#c1"}
            assert ids(found)[0] == "policy#c1"
            by_id = {match.passage.chunk.id: match for match in found.matches}
            assert by_id["runbook#c1"].keyword == 0.0
            assert (by_id["runbook#c1"].vector or 0) > 0.9
            assert all(match.score > 0 for match in found.matches)

        self.with_store(tmp_path, task)

    def test_a_passage_without_a_vector_is_found_by_its_words_alone(self, tmp_path: Path) -> None:
        """It has no cosine, not one of 0, and is said to have none; no vector finds it."""

        async def task(store: Store) -> None:
            put = samples.policy()
            await store.truth.write(
                SCOPE, [samples.runbook(), replace(put, vectors=None, pieces=None)]
            )
            bare = [chunk.id for chunk in put.chunks]
            found = await store.index.search(SCOPE, Query("escalation", direction(1.0)))
            told = {one.passage.chunk.id: one for one in found.matches}
            assert told.keys() == {"runbook#c1", "runbook#c2", *bare}
            assert all(one.is_embedded == (name not in bare) for name, one in told.items())
            assert all((one.vector is None) == (name in bare) for name, one in told.items())
            assert ids(found)[0] in bare
            near = await store.index.search(SCOPE, Query(vector=direction(1.0)))
            assert sorted(ids(near)) == ["runbook#c1", "runbook#c2"]
            plain = await store.index.search(SCOPE, Query("escalation"))
            assert all(one.is_embedded for one in plain.matches)
            await store.truth.write(SCOPE, [put])
            found = await store.index.search(SCOPE, Query("escalation", direction(1.0)))
            assert all(one.is_embedded and one.vector is not None for one in found.matches)

        self.with_store(tmp_path, task)

    def test_a_filter_alone_lists_by_id(self, tmp_path: Path) -> None:
        """Each kind of leaf lets through what it says, and trees combine."""

        async def task(store: Store) -> None:
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            both, policy = ["runbook#c1", "runbook#c2"], ["policy#c1"]
            cases: list[tuple[query.Filter, list[str]]] = [
                (query.TagsAny(("ops", "none")), both),
                (query.TagsAll(("ops", "critical")), both),
                (query.TagsAll(("ops", "none")), []),
                (query.TagsAll(()), policy + both),
                (query.SourceTypes(("policy",)), policy),
                (query.EntitiesAny(("x", "nobody")), ["runbook#c2"]),
                (query.DocumentsAny(("policy", "nowhere")), policy),
                (query.ChunksAny(("runbook#c2", "policy#c1", "nowhere")), [*policy, "runbook#c2"]),
                (query.TimeRange(day(10), day(20)), both),
                (query.TimeRange(end=day(5), by="created"), both),
                (query.Not(query.TimeRange(by="created")), policy),
                (
                    query.AnyOf((query.EntitiesAny(("x",)), query.SourceTypes(("policy",)))),
                    ["policy#c1", "runbook#c2"],
                ),
                (
                    query.AllOf((query.EntitiesAny(("a",)), query.Not(query.TagsAny(("ops",))))),
                    policy,
                ),
                (query.AllOf(()), policy + both),
                (query.AnyOf(()), []),
            ]
            for tree, expected in cases:
                assert ids(await store.index.search(SCOPE, Query(filter=tree))) == expected, tree
            assert ids(await store.index.search(SCOPE, Query(k=2))) == ["policy#c1", "runbook#c1"]

        self.with_store(tmp_path, task)

    def test_a_filter_changes_who_is_found_but_no_score(self, tmp_path: Path) -> None:
        """Words are as rare under a filter as without."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.EXACT_SCORES)
            await store.truth.write(SCOPE, [samples.runbook(), samples.policy()])
            free = scores(await store.index.search(SCOPE, Query("service a owns pods")))
            tree = query.SourceTypes(("policy",))
            held = scores(
                await store.index.search(SCOPE, Query("service a owns pods", filter=tree))
            )
            assert held == {"policy#c1": free["policy#c1"]}

        self.with_store(tmp_path, task)

    def test_what_is_not_looked_for_takes_no_place_among_the_best(self, tmp_path: Path) -> None:
        """However much better it fits: hidden, or kept out by a filter."""
        hidden = frozenset({"auditor"})
        near, far = direction(1.0), direction(0.6, 0.8)
        questions = (("harbor", None), ("", near), ("harbor", near))

        def put(name: str, document: Document, words: str) -> Put:
            vectors = (near if len(words) > 6 else far)[None]
            return Put(document, (Chunk(name, f"{words} gate"),), vectors=vectors)

        async def task(store: Store) -> None:
            for at in range(12):
                kept_out = Document(f"out{at}", source_type="out")
                await store.truth.write(
                    SCOPE,
                    [
                        put(f"out{at}", kept_out, "harbor harbor"),
                        put(f"not{at}", Document(f"not{at}", personas=hidden), "harbor harbor"),
                    ],
                )
            wanted = [put(name, Document(name, source_type="in"), "harbor") for name in "ab"]
            await store.truth.write(SCOPE, wanted)
            tree = query.SourceTypes(("in",))
            for text, vector in questions:
                found = await store.index.search(SCOPE, Query(text, vector, tree, k=2))
                assert sorted(ids(found)) == ["a", "b"], text
                seen = await store.index.search(SCOPE, Query(text, vector, k=12))
                assert sorted(ids(seen)) == sorted(f"out{at}" for at in range(12)), text

        self.with_store(tmp_path, task)

    def test_ties_are_broken_by_id(self, tmp_path: Path) -> None:
        """In whatever order, and in however many commits, equal chunks came."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.EXACT_SCORES)
            for name in ("m", "b", "z", "a", "q"):
                chunk = Chunk(f"{name}#1", "the same words")
                await store.truth.write(
                    SCOPE, [Put(Document(name), (chunk,), vectors=direction(1.0)[None])]
                )
            assert ids(await store.index.search(SCOPE, Query("same", k=3))) == ["a#1", "b#1", "m#1"]
            assert ids(await store.index.search(SCOPE, Query(vector=direction(1.0), k=2))) == [
                "a#1",
                "b#1",
            ]

        self.with_store(tmp_path, task)

    def test_a_search_sees_the_commit_that_it_asks_for(self, tmp_path: Path) -> None:
        """And refuses one that was never made."""

        async def task(store: Store) -> None:
            needs(store.index, StoreAbility.READ_YOUR_WRITES)
            for put in (samples.runbook(), samples.policy()):
                commit = (await store.truth.write(SCOPE, [put])).commit
                found = await store.index.search(SCOPE, Query("service", at_least=commit))
                assert found.commit == commit
                assert put.document.id in {match.passage.document.id for match in found.matches}
                too_late = Query("service", at_least=commit + 1)
                await refused(CommitUnknown, store.index.search(SCOPE, too_late))

        self.with_store(tmp_path, task)
