"""Documents kept in step: what is known in the end does not depend on the way there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ingest.keeping.draft import STATED as UNNAMED
from sextant.ingest.keeping.draft import Draft, draft_from, draft_of
from sextant.ingest.keeping.keep import SETTLED, Keeper
from sextant.ingest.shaping.shape import SOURCE
from sextant.ingest.shaping.split import split
from sextant.ingest.values import Reading
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import OPERATOR, Document, Entity, NameMode, Put, Relation, Scope, Walk

SCOPE = Scope(roles=frozenset({OPERATOR}))
TITLES = ("Service A", "Svc-A", "Service As", "Ledger API", "Harbor Queue (HQ)", "the ledger", "")
SENTENCES = (
    "Service A depends on Harbor Queue.",
    "Svc-A calls the Ledger API and Harbor Queue.",
    "HQ is owned by Team Y.",
    "The Ledger API is a service.",
    "ServiceA is down. It escalates to Team Y.",
    "Owner: Team Y",
    "Harbor Queue (HQ) is a queue, also known as Dock Queue.",
    "Dock Queue replaces the Ledger API.",
    "Nobody is named here.",
)
STATED = (
    Entity("component:a", "Service A", "service", frozenset({"Svc-A", "ServiceA"})),
    Entity("group:y", "Team Y", "team"),
    Entity("component:hq", "Harbor Queue", "queue", frozenset({"HQ"})),
)


def make(
    number: int,
    title: str,
    sentences: Sequence[str],
    stated: Sequence[Entity] = (),
    personas: Sequence[str] = (),
) -> Draft:
    text = " ".join(sentences)
    name = f"doc{number}"
    facts = tuple(Relation(one.id, "group:y", "owned_by", 1.0, id=UNNAMED) for one in stated)
    return draft_of(
        Document(
            name,
            title,
            source_type="markdown",
            personas=frozenset(personas),
            metadata={SOURCE: "docs"},
        ),
        split(Reading(text), name, 200),
        tuple(stated),
        facts,
        fingerprint=f"{title}{text}{len(stated)}{sorted(personas)}",
    )


drafts = st.builds(
    make,
    st.integers(0, 5),
    st.sampled_from(TITLES),
    st.lists(st.sampled_from(SENTENCES), max_size=4),
    st.lists(st.sampled_from(STATED), max_size=2, unique_by=lambda one: one.id),
    st.sampled_from(((), (), ("p",), ("q",), ("p", "q"), ("q", "r"))),
)
steps = st.lists(st.one_of(st.lists(drafts, max_size=4), st.integers(0, 5)), max_size=6)


async def played(batches: Sequence[Sequence[Draft] | int]) -> tuple[list[str], Store]:
    store = new_store(Settings(), None)
    keeper = Keeper(store, None, SCOPE)
    await keeper.open()
    for batch in batches:
        if isinstance(batch, int):
            await keeper.remove([f"doc{batch}"])
        else:
            unique = {draft.document.id: draft for draft in batch}
            await keeper.put(list(unique.values()), lambda *_: None, _fail)
    await keeper.close()
    return [line async for line in store.admin.dump(SCOPE) if '"ingest.' not in line], store


def _fail(unit: Put, error: Exception) -> None:
    raise AssertionError(unit.document.id) from error


@settings(max_examples=300)
@given(steps)
def test_any_history_ends_as_one_clean_run_of_what_is_left(
    history: list[list[Draft] | int],
) -> None:
    left: dict[str, Draft] = {}
    for step in history:
        if isinstance(step, int):
            left.pop(f"doc{step}", None)
        else:
            left |= {draft.document.id: draft for draft in step}
    once = list(left.values())
    assert asyncio.run(played(history))[0] == asyncio.run(played([once]))[0]
    one_by_one = [[draft] for draft in reversed(once)]
    assert asyncio.run(played(one_by_one))[0] == asyncio.run(played([once]))[0]


@settings(max_examples=200)
@given(st.lists(drafts, min_size=2, max_size=5), st.frozensets(st.sampled_from("pqr")))
def test_what_no_persona_of_a_scope_may_see_leaves_no_trace_in_what_it_sees(
    many: list[Draft], personas: frozenset[str]
) -> None:
    everything = list({draft.document.id: draft for draft in many}.values())
    scope = Scope(personas=personas)
    visible = [draft for draft in everything if scope.sees(draft.document)]

    async def seen(drafts: Sequence[Draft]) -> list[str]:
        _, store = await played([drafts])
        return [line async for line in store.admin.dump(scope)]

    assert asyncio.run(seen(everything)) == asyncio.run(seen(visible))


@given(st.lists(drafts, min_size=1, max_size=4))
def test_a_stored_unit_gives_its_draft_back(many: list[Draft]) -> None:
    unique = {draft.document.id: draft for draft in many}

    async def task() -> None:
        _, store = await played([list(unique.values())])
        units = await store.truth.units(SCOPE, sorted(unique))
        for name, draft in unique.items():
            again = draft_from(units[name])
            assert sorted(again.claims, key=repr) == sorted(draft.claims, key=repr)
            assert sorted(again.facts, key=repr) == sorted(draft.facts, key=repr)
            assert (again.links, again.fingerprint) == (draft.links, draft.fingerprint)

    asyncio.run(task())


def test_a_run_that_was_cut_off_is_finished_by_the_next() -> None:
    early = make(0, "Notes", ["service a depends on harbor queue."])
    late = make(1, "Catalogue", [], STATED)

    async def task() -> None:
        store = new_store(Settings(), None)
        keeper = Keeper(store, None, SCOPE)
        await keeper.open()
        await keeper.put([early], lambda *_: None, _fail)

        def die(*_: object) -> None:
            raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            await keeper.put([late], die, _fail)
        last = await store.truth.commit(SCOPE)
        assert (await store.records.counters(SCOPE, [SETTLED]))[SETTLED] < last
        await Keeper(store, None, SCOPE).open()
        last = await store.truth.commit(SCOPE)
        assert (await store.records.counters(SCOPE, [SETTLED]))[SETTLED] == last
        found = [line async for line in store.admin.dump(SCOPE) if '"ingest.' not in line]
        assert found == (await played([[early, late]]))[0]

    asyncio.run(task())


def test_a_name_that_comes_later_links_what_came_before() -> None:
    early = make(0, "Notes", ["service a depends on harbor queue."])

    async def task() -> None:
        _, store = await played([[early], [make(1, "Catalogue", [], STATED)]])
        walk = Walk(frozenset({"depends_on"}))
        (link,) = (await store.graph.neighbours(SCOPE, ["component:a"], walk)).links
        assert (link.relation.target, link.relation.evidence) == ("component:hq", ("doc0#c0",))
        _, store = await played([[early], [make(1, "Catalogue", [], STATED)], 1])
        assert not (await store.graph.neighbours(SCOPE, ["component:a"], walk)).links

    asyncio.run(task())


def test_near_spellings_and_aliases_are_one_entity() -> None:
    async def task() -> None:
        _, store = await played(
            [
                [make(0, "Service A", ["It is fine."]), make(1, "Service As", ["All well."])],
                [make(2, "Svc-A", ["Svc-A calls Harbor Queue."])],
                [make(3, "Catalogue", [], STATED)],
            ]
        )
        found = await store.graph.lookup(SCOPE, ["Svc-A", "service a", "ServiceA"], NameMode.EXACT)
        assert {match.entity.id for own in found.values() for match in own} == {"component:a"}

    asyncio.run(task())


@pytest.mark.parametrize("name", ["S", "ES", "s's", "§"])
def test_names_that_are_hardly_any_letters_come_in_like_others(name: str) -> None:
    async def task() -> None:
        known = Entity("cell:es", "Stem Cell", "cell", frozenset({name}))
        _, store = await played([[make(0, "Notes", ["Nobody."])], [make(1, "Cells", [], [known])]])
        assert "cell:es" in await store.graph.entities(SCOPE, ["cell:es"])

    asyncio.run(task())
