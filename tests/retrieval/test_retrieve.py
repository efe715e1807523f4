"""Finding passages for a query: which way each was found, and what falls back when it must."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ask.question import Means
from sextant.llms.tiny import Tiny
from sextant.ports import Finder, GraphReader, PassageReader, Recall
from sextant.query import Not, Query, SourceTypes
from sextant.retrieval.legs.filtered import MOST_ENTITIES
from sextant.retrieval.link import link
from sextant.retrieval.retrieve import Retrieved, Sought, retrieve
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.text.embedding import embed_chunks
from sextant.text.passages import embeddables
from sextant.text.words import Words
from sextant.types import (
    Chunk,
    Document,
    Entity,
    Facets,
    Found,
    Linked,
    Pieces,
    Put,
    Relation,
    Scope,
)

SCOPE = Scope()


def page(name: str, title: str, text: str, *mentioned: str, **fields: object) -> Put:
    """Return a document about the entity of its own name, which mentions others."""
    return Put(
        Document(name, title, **fields),  # type: ignore[arg-type]
        (Chunk(f"{name}#c0", text, 0, len(text), entity_ids=(name, *mentioned)),),
        (Entity(name, title, metadata={"sextant:found_in": "title"}),),
        (Relation(f"doc:{name}", name, "about", 0.9),),
    )


FILM = page("film", "A Rare Bird", "A Rare Bird is a comedy directed by Paul Stone.", "stone")
STONE = page("stone", "Paul Stone", "Paul Stone, born in Lyon, made eleven pictures.", "lyon")
LYON = page("lyon", "Lyon", "Lyon lies where two rivers meet.")
NOISE = [
    page(f"bird{at}", f"Bird {at}", f"The place where the rare bird number {at} was seen to die.")
    for at in range(12)
]
SECRET = page("secret", "Secret Bird", "A Rare Bird cost too much.", personas=frozenset({"boss"}))
ALL = (FILM, STONE, LYON, *NOISE, SECRET)
QUESTION = "Where was the director of the film A Rare Bird born?"


async def means_of(*puts: Put, bare: Sequence[Put] = ()) -> Means:
    """Return a store of documents with vectors, and of others without."""
    embedder = Tiny()
    store = new_store(Settings(store="memory:"), embedder.identity)
    await store.truth.write(
        SCOPE,
        [replace(put, vectors=(await embed_chunks(embedder, embeddables(put)))[0]) for put in puts],
    )
    await store.truth.write(SCOPE, bare)
    return Means(store, embedder, Settings(), Words())


def retrieved(text: str, scope: Scope = SCOPE, *, vector: bool = True, **how: object) -> Retrieved:
    async def run() -> Retrieved:
        means = await means_of(*ALL)
        row = (await means.embedder.embed([text], "query"))[0] if vector else None
        sought = Sought(text, vector=row, **how)  # type: ignore[arg-type]
        if "linked" not in how:
            sought = replace(sought, linked=await link(means.store, scope, text, row))
        return await retrieve(means, scope, sought)

    return asyncio.run(run())


def documents(found: Retrieved) -> list[str]:
    return [one.passage.document.id for one in found.candidates]


def test_a_passage_without_a_word_of_the_question_is_found_through_the_graph() -> None:
    first = documents(retrieved(QUESTION))[:2]
    assert first == ["film", "stone"]
    assert "stone" not in documents(retrieved(QUESTION, linked=(), k=2))


def test_the_graph_leads_to_a_passage_that_has_neither_a_word_of_the_question_nor_a_vector() -> (
    None
):
    async def run() -> Retrieved:
        stone = page("stone", "Paul Stone", "Paul Stone, Lyon, eleven pictures.", "lyon")
        means = await means_of(*ALL, bare=[stone])
        row = (await means.embedder.embed([QUESTION], "query"))[0]
        linked = await link(means.store, SCOPE, QUESTION, row)
        return await retrieve(means, SCOPE, Sought(QUESTION, vector=row, linked=linked))

    found = asyncio.run(run())
    legs = {one.passage.document.id: one.legs for one in found.candidates}
    assert documents(found)[:2] == ["film", "stone"]
    assert legs["stone"].graph
    assert legs["stone"].vector is None


def test_every_candidate_tells_how_it_was_found() -> None:
    found = retrieved(QUESTION).candidates
    legs = {one.passage.document.id: one.legs for one in found}
    assert legs["film"].keyword
    assert legs["film"].vector
    assert legs["stone"].graph
    assert all(one.legs.vector is not None for one in found)


def test_relevancy_orders_the_candidates_and_each_comes_once() -> None:
    found = retrieved(QUESTION).candidates
    scores = [one.relevancy for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    ids = [one.passage.chunk.id for one in found]
    assert len(ids) == len(set(ids))


def test_without_a_vector_words_and_the_graph_do() -> None:
    found = retrieved(QUESTION, vector=False)
    assert documents(found)[:2] == ["film", "stone"]
    assert all(one.legs.vector is None for one in found.candidates)


def test_a_filter_holds_for_what_the_graph_brings() -> None:
    narrow = Not(SourceTypes(("",)))
    assert retrieved(QUESTION, filter=narrow).candidates == ()


def test_evidence_of_the_graph_counts() -> None:
    plain = retrieved("rivers", linked=())
    helped = retrieved("rivers", linked=(), evidence=("stone#c0",))
    assert documents(helped).index("stone") < len(documents(helped))
    assert "stone" not in documents(plain)[:1]
    graph = {one.passage.document.id: one.legs.graph or 0.0 for one in helped.candidates}
    assert graph["stone"] > 0


def test_the_filter_is_shown_as_odata_with_quotes_doubled() -> None:
    linked = (
        Linked("o'neal", "O'Neal", "O'Neal", 0, 6, 1.0, "exact"),
        Linked("b", "B", "B", 8, 9, 1.0, "exact"),
        Linked("b", "B", "B", 10, 11, 1.0, "exact"),
    )
    mentioned = "entityIds/any(e: e eq 'o''neal' or e eq 'b')"
    wiki = SourceTypes(("wiki",))
    assert retrieved(QUESTION, linked=linked).filter == mentioned
    narrowed = retrieved(QUESTION, linked=linked, filter=wiki).filter
    assert narrowed == f"sourceType eq 'wiki' and {mentioned}"
    assert retrieved(QUESTION, linked=(), filter=wiki).filter == "sourceType eq 'wiki'"
    assert retrieved(QUESTION, linked=()).filter == ""


def found_by(found: Retrieved) -> dict[str, tuple[str, ...]]:
    return {one.passage.document.id: one.found_by for one in found.candidates}


def test_a_leg_is_filtered_by_those_who_are_linked_and_those_round_them() -> None:
    film = (Linked("film", "A Rare Bird", "A Rare Bird", 0, 11, 1.0, "exact"),)
    found = retrieved(QUESTION, linked=film, around=("film", "lyon"))
    assert found.filter == "entityIds/any(e: e eq 'film' or e eq 'lyon')"
    among = {name for name, legs in found_by(found).items() if "entities" in legs}
    assert among == {"film", "stone", "lyon"}
    assert dict(found.facts)["among"] == len(among)


def test_the_entities_only_add_candidates_and_change_no_score() -> None:
    film = (Linked("film", "A Rare Bird", "A Rare Bird", 0, 11, 1.0, "exact"),)
    few = retrieved(QUESTION, linked=film, depth=3)
    more = retrieved(QUESTION, linked=film, depth=3, around=("lyon",))
    assert found_by(more)["lyon"] == ("entities",)
    scores = {one.passage.document.id: one.relevancy for one in more.candidates}
    known = {one.passage.document.id: one.relevancy for one in few.candidates}
    assert known == {name: scores[name] for name in known}


def test_a_filter_by_entities_has_an_end() -> None:
    film = (Linked("film", "A Rare Bird", "A Rare Bird", 0, 11, 1.0, "exact"),)
    around = tuple(f"e{at:03}" for at in range(2 * MOST_ENTITIES))
    told = retrieved(QUESTION, linked=film, around=around).filter
    assert told.startswith("entityIds/any(e: e eq 'film' or e eq 'e000'")
    assert told.count(" eq ") == MOST_ENTITIES


def test_what_is_not_walked_is_not_filtered_either() -> None:
    film = (Linked("film", "A Rare Bird", "A Rare Bird", 0, 11, 1.0, "exact"),)
    found = retrieved(QUESTION, linked=film, around=("lyon",), walk=False)
    assert found.filter == ""
    assert set(found_by(found).values()) == {("search",)}


def test_a_filter_that_starves_the_result_says_so() -> None:
    found = retrieved(QUESTION)
    assert found.filter == "entityIds/any(e: e eq 'film')"
    assert "one passage" in found.fallback
    assert len(found.candidates) > 3
    nobody = (Linked("nobody", "Nobody", "", 0, 0, 1.0, "exact"),)
    assert "nothing" in retrieved(QUESTION, linked=nobody).fallback
    assert retrieved("birds that were seen", linked=()).fallback == ""


def test_what_a_persona_may_not_see_is_not_found() -> None:
    assert "secret" not in documents(retrieved("A Rare Bird cost"))
    assert "secret" in documents(retrieved("A Rare Bird cost", Scope(personas=frozenset({"boss"}))))


def test_no_more_come_than_were_asked_for() -> None:
    assert len(retrieved(QUESTION, k=3).candidates) == 3


def test_no_way_of_finding_brings_more_than_the_depth_and_all_together_no_more_than_k() -> None:
    film = (Linked("film", "A Rare Bird", "A Rare Bird", 0, 11, 1.0, "exact"),)
    for depth in (1, 2, 5):
        found = retrieved(QUESTION, linked=film, around=("stone", "lyon"), depth=depth)
        legs = [leg for own in found_by(found).values() for leg in own]
        assert all(legs.count(leg) <= depth for leg in legs)
        few = retrieved(QUESTION, linked=film, around=("stone", "lyon"), depth=depth, k=depth)
        assert documents(few) == documents(found)[:depth]


def test_a_blank_query_finds_nothing() -> None:
    assert retrieved("  ", vector=False).candidates == ()


def test_an_empty_store_has_nothing() -> None:
    async def run() -> Retrieved:
        return await retrieve(await means_of(), SCOPE, Sought("anything"))

    found = asyncio.run(run())
    assert found.candidates == ()
    assert found.is_empty


@dataclass(frozen=True)
class Parts:
    """What a question needs of a store."""

    truth: PassageReader
    index: Finder
    graph: GraphReader
    records: Recall


@dataclass(frozen=True)
class Uncounted:
    """An index with exact scores that does not count its chunks, as somebody else's may be."""

    index: Finder

    async def search(self, scope: Scope, query: Query) -> Found:
        """Find as the index does."""
        return replace(await self.index.search(scope, query), chunks=0)

    async def pieces(self, scope: Scope, versions: Mapping[str, str]) -> Mapping[str, Pieces]:
        """Return what the index has."""
        return await self.index.pieces(scope, versions)

    async def facets(self, scope: Scope) -> Facets:
        """Return what the index has."""
        return await self.index.facets(scope)


@pytest.mark.parametrize("text", [QUESTION, "xyzzy", ""])
def test_a_store_that_does_not_count_its_chunks_is_not_empty(text: str) -> None:
    async def run(*puts: Put) -> Retrieved:
        means = await means_of(*puts)
        own = Parts(
            means.store.truth, Uncounted(means.store.index), means.store.graph, means.store.records
        )
        return await retrieve(replace(means, store=own), SCOPE, Sought(text))

    assert not asyncio.run(run(*ALL)).is_empty
    assert not asyncio.run(run(SECRET, LYON)).is_empty
    assert asyncio.run(run(SECRET)).is_empty
    assert asyncio.run(run()).is_empty


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=60))
def test_any_text_finds_the_same_again(text: str) -> None:
    found = retrieved(text)
    assert found == retrieved(text)
    assert all(0.0 <= one.relevancy <= 1.0 for one in found.candidates)
