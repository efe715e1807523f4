"""What a model found is part of the document: kept with it, linked like the rest, gone with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ingest.extract.claims import FoundName, Rank
from sextant.ingest.extract.findings import Findings, FoundRelation, findings_in, with_findings
from sextant.ingest.extract.phrases import Saying, relation_kinds, saying_of
from sextant.ingest.keeping.draft import Draft, draft_from
from sextant.ingest.keeping.keep import SETTLED, Keeper
from sextant.ingest.model_extraction.step import enriched
from sextant.ingest.shaping.shape import FINGERPRINT
from sextant.limits import DEFAULT
from sextant.ports import Store
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import Chunk, Document, Put
from tests.ingest.keeping.test_keep import SCOPE, drafts

NAMES = ("Service A", "Svc-A", "Harbor Queue", "HQ", "Team Y", "Ledger API", "Dock Queue")
named = st.builds(
    FoundName, st.sampled_from(NAMES), st.sampled_from(("", "team")), st.just(()) | st.just(("HQ",))
)
told = st.builds(
    FoundRelation,
    st.sampled_from(NAMES),
    st.sampled_from(("uses", "owned_by")),
    st.sampled_from(NAMES),
)
findings = st.builds(
    Findings,
    st.lists(named, max_size=3).map(tuple),
    st.lists(told, max_size=3).map(tuple),
)


@st.composite
def read_drafts(draw: st.DrawFn) -> Draft:
    """A document that a model has read."""
    plain = draw(drafts)
    document = replace(
        plain.document, metadata={**plain.document.metadata, FINGERPRINT: plain.fingerprint}
    )
    found = {chunk.id: draw(findings) for chunk in plain.chunks}
    return enriched(replace(plain, document=document), found, "model", DEFAULT) or plain


def test_what_is_kept_is_what_was_found_by_chunk() -> None:
    chunks = tuple(Chunk(f"d#c{n}", "text") for n in range(3))
    found = {
        "d#c0": Findings((FoundName("Dock DB", "", ("DDB",)), FoundName("Tide Crew", "team"))),
        "d#c2": Findings(
            (FoundName("Dock DB", "database"), FoundName("Salt Box")),
            (FoundRelation("Salt Box", "uses", "DDB"),),
        ),
    }
    document = with_findings(Document("d"), chunks, found, DEFAULT)
    names, heard = findings_in(document, chunks)
    assert names == [
        FoundName("Dock DB", "database", ("DDB",)),
        FoundName("Salt Box"),
        FoundName("Tide Crew", "team"),
    ]
    assert heard == {"d#c2": [FoundRelation("Salt Box", "uses", "Dock DB")]}
    assert with_findings(document, chunks, {}, DEFAULT) == Document("d")


def test_much_is_kept_in_several_fields_and_too_much_is_not() -> None:
    chunks = tuple(Chunk(f"d#c{n}", "text") for n in range(50))
    found = {
        chunk.id: Findings((FoundName(f"Some Name {at}", "service"),))
        for at, chunk in enumerate(chunks)
    }
    small = replace(DEFAULT, metadata=100)
    document = with_findings(Document("d"), chunks, found, small)
    assert max(map(len, document.metadata.values())) <= 100
    assert len(findings_in(document, chunks)[0]) == 50
    none = replace(small, values=3)
    assert with_findings(Document("d"), chunks, found, none) == Document("d")


def test_names_of_a_model_are_sought_nowhere_else() -> None:
    chunk = Chunk("d#c0", "Dock DB, that is DDB.")
    document = Document("d", "Dock DB", metadata={FINGERPRINT: "f"})
    found = {"d#c0": Findings((FoundName("Dock DB", "database", ("DDB",)), FoundName("Tide Crew")))}
    draft = enriched(Draft(document, (chunk,), ()), found, "model", DEFAULT)
    assert draft is not None
    claims = {claim.name: claim for claim in draft.claims}
    title = claims["Dock DB"]
    assert (title.rank, title.type, title.aliases) == (Rank.TITLE, "database", frozenset())
    assert claims["Tide Crew"].rank == Rank.TEXT


def test_a_document_read_in_part_is_marked_so() -> None:
    chunks = (Chunk("d#c0", "One"), Chunk("d#c1", "Two"))
    draft = Draft(Document("d", metadata={FINGERPRINT: "f"}), chunks, ())
    part = enriched(draft, {"d#c0": Findings()}, "model", DEFAULT)
    assert part is not None
    assert part.document.metadata["sextant:read_by"] == "model, in part"
    assert enriched(part, {"d#c0": Findings()}, "model", DEFAULT) is None
    assert enriched(draft, {}, "model", DEFAULT) is None


def test_every_kind_is_known_by_its_name_and_in_words() -> None:
    for kind in relation_kinds():
        assert saying_of(kind) == Saying(kind)
    assert saying_of("is owned by the") == Saying("owned_by")
    assert saying_of("Maintains") == Saying("owned_by", backwards=True)
    assert saying_of("likes") is None
    assert saying_of("") is None


async def stored(history: Sequence[Sequence[Draft] | int]) -> Store:
    store = new_store(Settings(), None)
    keeper = Keeper(store, None, SCOPE)
    for step in history:
        if isinstance(step, int):
            await keeper.remove([f"doc{step}"])
        else:
            unique = {draft.document.id: draft for draft in step}
            await keeper.put(list(unique.values()), lambda *_: None, _fail)
    return store


def _fail(unit: Put, error: Exception) -> None:
    raise AssertionError(unit.document.id) from error


async def lines(store: Store) -> list[str]:
    return [line async for line in store.admin.dump(SCOPE) if '"ingest.' not in line]


steps = st.lists(
    st.one_of(
        st.lists(st.one_of(drafts, read_drafts()), min_size=1, max_size=3), st.integers(0, 5)
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_whatever_was_read_and_removed_it_is_as_if_only_the_rest_had_come(
    history: list[list[Draft] | int],
) -> None:
    async def task() -> None:
        store = await stored(history)
        rest: dict[str, Draft] = {}
        for step in history:
            if isinstance(step, int):
                rest.pop(f"doc{step}", None)
            else:
                rest |= {draft.document.id: draft for draft in step}
        assert await lines(store) == await lines(await stored([list(rest.values())]))
        before = await lines(store)
        await store.records.count(SCOPE, {SETTLED: 1})
        await Keeper(store, None, SCOPE).open()
        assert await lines(store) == before
        for unit in (await store.truth.units(SCOPE, list(rest))).values():
            assert set(draft_from(unit).claims) == set(rest[unit.document.id].claims)
            assert draft_from(unit).heard == rest[unit.document.id].heard

    asyncio.run(task())
