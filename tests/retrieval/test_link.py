"""Names in questions: whom they may mean, how sure that is, and what is no name at all."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.llms.tiny import Tiny
from sextant.retrieval.link import link
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import Chunk, Document, Entity, Linked, Put, Relation, Scope

FOUND_IN = "sextant:found_in"
SCOPE = Scope()
PIECES = ["Service", "A's", "The", "Beatles", '"', "of", "south", "Park"]


def page(entity: Entity, text: str = "", **fields: object) -> Put:
    """Return a document about an entity."""
    name = f"page-{entity.id}"
    document = Document(name, entity.name, **fields)  # type: ignore[arg-type]
    chunk = Chunk(f"{name}#c0", text or f"All about {entity.name}.", entity_ids=(entity.id,))
    about = Relation(f"doc:{name}", entity.id, "about", 0.9)
    return Put(document, (chunk,), (entity,), (about,))


def titled(entity_id: str, name: str, *aliases: str) -> Entity:
    return Entity(entity_id, name, aliases=frozenset(aliases), metadata={FOUND_IN: "title"})


KNOWLEDGE = (
    page(Entity("component:default/checkout", "checkout", "service")),
    page(titled("service-a", "Service A", "SvcA")),
    page(titled("the-beatles", "The Beatles")),
    page(titled("park", "South Park")),
    page(titled("park-film", "South Park (film)", "South Park")),
    page(titled("lilu-1", "Lilu (myth)", "Lilu")),
    page(titled("lilu-2", "Lilu (place)", "Lilu")),
    page(titled("brother", "Brother")),
    page(titled("aschen", "Aschenbrödel")),
    page(titled("night", "Night")),
    page(titled("night-shift", "Night Shift")),
    Put(
        Document("notes"),
        (Chunk("notes#c0", "Best Selling and Hong Kong.", entity_ids=("best", "hong-kong")),),
        (
            Entity("best", "Best Selling", metadata={FOUND_IN: "text"}),
            Entity("hong-kong", "Hong Kong", metadata={FOUND_IN: "text"}),
        ),
    ),
    page(titled("secret", "Project Falcon"), personas=frozenset({"boss"})),
)


def linked(text: str, scope: Scope = SCOPE, *, meaning: bool = False) -> tuple[Linked, ...]:
    async def run() -> tuple[Linked, ...]:
        embedder = Tiny()
        store = new_store(Settings(store="memory:"), embedder.identity)
        puts = []
        for put in KNOWLEDGE:
            texts = [f"{put.document.title}\n{chunk.text}" for chunk in put.chunks]
            vectors = await embedder.embed(texts, "document")
            puts.append(Put(put.document, put.chunks, put.entities, put.relations, vectors))
        await store.truth.write(SCOPE, puts)
        vector = (await embedder.embed([text], "query"))[0] if meaning else None
        return await link(store, scope, text, vector)

    return asyncio.run(run())


def meant(text: str, scope: Scope = SCOPE) -> list[str]:
    return [one.entity_id for one in linked(text, scope)]


def test_a_name_is_found_with_its_place_in_the_text() -> None:
    [found] = linked("If Service A fails, what breaks?")
    assert found == Linked("service-a", "Service A", "Service A", 3, 12, 1.0, "exact")


def test_case_and_signs_do_not_count_and_an_alias_does() -> None:
    [found] = linked("What is SERVICE-A?")
    assert (found.entity_id, found.how) == ("service-a", "normalised")
    assert meant("Who owns svcA?") == ["service-a"]


def test_an_owner_is_named_by_the_owning_form() -> None:
    assert meant("Who is Service A's owner?") == ["service-a"]
    assert meant("The Beatles’ last album") == ["the-beatles"]  # noqa: RUF001 - as it is printed


def test_the_longest_name_goes_first_and_none_overlap() -> None:
    assert meant("Who starred in Night Shift?") == ["night-shift"]
    assert meant("Was it a Night of The Beatles?") == ["night", "the-beatles"]


def test_an_ambiguous_name_keeps_all_that_it_may_mean() -> None:
    one, other = linked("Where is Lilu?")
    assert {one.entity_id, other.entity_id} == {"lilu-1", "lilu-2"}
    assert one.score == other.score < 1.0


def test_who_is_called_so_goes_before_whom_others_call_so() -> None:
    assert meant("Who made South Park?") == ["park", "park-film"]
    one, other = linked("Who made South Park?")
    assert one.score > other.score > 0


def test_words_of_the_question_are_no_names() -> None:
    assert meant("What is the best selling brother of the night?") == []
    assert meant("Who? What? Which? It is not the one, and where was that?") == []


def test_a_name_in_small_letters_is_found_if_it_is_known_as_such() -> None:
    [small] = linked("what does checkout need?")
    assert small.entity_id == "component:default/checkout"
    [pair] = linked("who owns service a?")
    assert pair.entity_id == "service-a"
    assert pair.score < 1.0
    assert meant("who were the beatles?") == ["the-beatles"]


def test_a_name_that_only_stands_in_text_is_worth_less() -> None:
    [found] = linked("Who lives in Hong Kong?")
    assert found.entity_id == "hong-kong"
    assert found.score < 0.5


def test_a_misspelt_name_is_found_nearly() -> None:
    [found] = linked("Who composed Aschenbrodel?")
    assert (found.entity_id, found.how) == ("aschen", "fuzzy")
    assert 0 < found.score < 0.7
    assert meant('What is "servise a"?') == ["service-a"]


def test_without_a_name_the_nearest_titles_are_a_guess() -> None:
    guesses = linked("all about brother", meaning=True)
    assert guesses
    assert {one.how for one in guesses} == {"meaning"}
    assert max(one.score for one in guesses) <= 0.2


def test_what_a_persona_may_not_see_is_nobody() -> None:
    assert meant("What is Project Falcon?") == []
    assert meant("What is Project Falcon?", Scope(personas=frozenset({"boss"}))) == ["secret"]


def test_names_come_in_the_order_of_the_text() -> None:
    found = linked("Did South Park, Service A or The Beatles use checkout?")
    assert [one.start for one in found] == sorted(one.start for one in found)


@pytest.mark.parametrize(
    "text",
    ["", " ", "?!", "\x00\x01", "\u202e\u05d0\u05d1", "日本語の質問", "a" * 20_000],
)
def test_a_text_without_names_has_none(text: str) -> None:
    assert linked(text) == ()


def test_many_names_and_long_questions_stay_bounded() -> None:
    found = linked("Service A, The Beatles and South Park " * 500)
    assert 20 <= len(found) <= 1_000


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["Service", "A's", "The", "Beatles", '"', "of"])).map(" ".join)
)
def test_spans_lie_in_the_text_and_scores_in_0_to_1(text: str) -> None:
    found = linked(text)
    assert found == linked(text)
    for one in found:
        assert text[one.start : one.end] == one.matched
        assert 0.0 < one.score <= 1.0
