"""Ways through the graph: where they lead, how sure they are, and what their sources are worth."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.ports import Store
from sextant.retrieval.expand import Expansion, expand, path_confidence
from sextant.retrieval.sorts import sorts
from sextant.settings import Settings
from sextant.stores.memory.store import new_store
from sextant.types import Chunk, Cue, Direction, Document, Entity, Linked, Put, Relation, Scope

SCOPE = Scope()


def linked(*names: str) -> list[Linked]:
    return [Linked(name, name, name, 0, 1, 1.0, "exact") for name in names]


def put(name: str, *relations: Relation, **fields: object) -> Put:
    ends = sorted({end for one in relations for end in (one.source, one.target)})
    return Put(
        Document(name, title=name, **fields),  # type: ignore[arg-type]
        (Chunk(f"{name}#c0", f"What {name} says.", 0, 12 + len(name)),),
        tuple(Entity(end, end.upper()) for end in ends if not end.startswith("doc:")),
        relations,
    )


def edge(source: str, kind: str, target: str, chunk: str, sure: float = 1.0) -> Relation:
    return Relation(source, target, kind, sure, 1.0, (chunk,) if chunk else ())


async def store_of(*puts: Put) -> Store:
    store = new_store(Settings(store="memory:"), None)
    await store.truth.write(SCOPE, puts)
    return store


NEEDS = frozenset({"depends_on", "uses", "calls"})
OWNER = Cue(frozenset({"owned_by"}), Direction.OUT, "owns")
DEPENDENTS = Cue(NEEDS, Direction.IN, "breaks")
ESCALATION = Cue(frozenset({"escalates_to"}), Direction.OUT, "escalation")


def expanded(cues: Sequence[Cue], names: str, *puts: Put) -> Expansion:
    async def run() -> Expansion:
        return await expand(await store_of(*puts), SCOPE, linked(*names.split()), cues)

    return asyncio.run(run())


def ways(found: Expansion) -> list[tuple[str, ...]]:
    return [path.entity_ids for path in found.paths]


@pytest.mark.parametrize(
    ("confidences", "expected"), [([0.8], 0.8), ([0.8, 0.5], 0.2), ([1.0, 1.0], 0.5), ([], 1.0)]
)
def test_two_hops_are_half_as_sure_as_their_product(
    confidences: list[float], expected: float
) -> None:
    assert path_confidence(confidences) == pytest.approx(expected)


def test_what_breaks_walks_to_dependents_and_on_from_there() -> None:
    page = put(
        "page",
        edge("x", "depends_on", "a", "page#c0"),
        edge("y", "depends_on", "x", "page#c0"),
        edge("a", "depends_on", "below", "page#c0"),
    )
    assert ways(expanded([DEPENDENTS], "a", page)) == [("a", "x"), ("a", "x", "y")]


def test_who_owns_walks_to_the_owner_alone() -> None:
    page = put(
        "page",
        edge("a", "owned_by", "team", "page#c0"),
        edge("a", "escalates_to", "desk", "page#c0"),
        edge("a", "depends_on", "b", "page#c0"),
    )
    assert ways(expanded([OWNER], "a", page)) == [("a", "team")]


SEED = put(
    "page",
    edge("service-a", "depends_on", "process-x", "page#c0"),
    edge("process-x", "escalates_to", "team-y", "page#c0"),
    edge("team-y", "part_of", "house", "page#c0"),
    edge("service-a", "mentioned_with", "other", "page#c0", 0.3),
    edge("other", "uses", "far", "page#c0"),
)


@pytest.mark.parametrize("cues", [[DEPENDENTS, ESCALATION], [DEPENDENTS], [OWNER], []])
def test_everybody_within_two_typed_hops_is_told_in_order_of_discovery(cues: list[Cue]) -> None:
    assert expanded(cues, "service-a", SEED).entity_ids == ("service-a", "process-x", "team-y")


def test_nearer_ones_are_told_first_and_there_is_an_end() -> None:
    first = [edge("a", "uses", f"n{at}", "page#c0", 0.5) for at in range(3)]
    second = [edge("n1", "uses", f"far{at:03}", "page#c0") for at in range(100)]
    found = expanded([], "a", put("page", *first, *second)).entity_ids
    assert found[:5] == ("a", "n0", "n1", "n2", "far000")
    assert len(found) <= 50


def test_what_breaks_finds_the_way_where_edges_only_lead_the_other_way() -> None:
    found = expanded([DEPENDENTS], "service-a", SEED)
    assert ways(found) == [("service-a", "process-x")]
    both = expanded([DEPENDENTS, OWNER], "service-a", SEED)
    assert ("service-a", "process-x") in ways(both)


def test_the_seeds_own_question_finds_the_way_to_the_team() -> None:
    found = expanded([DEPENDENTS, ESCALATION], "service-a", SEED)
    assert ways(found) == [("service-a", "process-x"), ("service-a", "process-x", "team-y")]


def test_without_a_cue_typed_edges_are_followed_and_mentions_are_not() -> None:
    page = put(
        "page",
        edge("a", "owned_by", "team", "page#c0"),
        edge("a", "mentioned_with", "b", "page#c0", 0.3),
    )
    assert ways(expanded([], "a", page)) == [("a", "team")]


def test_documents_are_never_on_the_way() -> None:
    page = put(
        "page",
        edge("doc:page", "about", "a", "", 0.9),
        edge("a", "links_to", "doc:other", "page#c0", 0.5),
        edge("a", "uses", "doc:other", "page#c0", 0.5),
    )
    found = expanded([], "a", page)
    assert found.paths == ()
    assert found.entity_ids == ("a",)


def test_an_edge_from_a_chat_does_not_win_over_one_from_a_policy() -> None:
    chat = put("chat", edge("a", "owned_by", "mallow", "chat#c0"), reputation=0.1)
    policy = put("policy", edge("a", "owned_by", "team", "policy#c0", 0.7), reputation=0.95)
    found = expanded([OWNER], "a", chat, policy)
    assert [path.entity_ids[1] for path in found.paths] == ["team", "mallow"]
    assert [round(path.confidence, 3) for path in found.paths] == [0.7, 0.2]


@pytest.mark.parametrize(
    "fields",
    [{"metadata": {"status": "superseded"}}, {"metadata": {"superseded_by": "new"}}],
)
def test_what_is_superseded_counts_least(fields: dict[str, object]) -> None:
    old = put("old", edge("a", "owned_by", "former", "old#c0"), **fields)
    new = put("new", edge("a", "owned_by", "team", "new#c0", 0.7))
    assert ways(expanded([OWNER], "a", old, new)) == [("a", "team"), ("a", "former")]


def test_one_good_source_is_enough() -> None:
    chat = put("chat", edge("a", "owned_by", "team", "chat#c0"), reputation=0.1)
    page = put("page", edge("a", "owned_by", "team", "page#c0"), reputation=0.9)
    found = expanded([OWNER], "a", chat, page)
    assert [path.confidence for path in found.paths] == [1.0]


def test_a_hub_is_capped_and_said_to_be() -> None:
    edges = [edge(f"n{number:03}", "depends_on", "hub", "page#c0") for number in range(200)]
    found = expanded([DEPENDENTS], "hub", put("page", *edges))
    assert 0 < len(found.paths) <= 24
    assert found.capped == ("hub",)


def test_evidence_and_names_come_along() -> None:
    page = put("page", edge("a", "owned_by", "team", "page#c0"))
    found = expanded([OWNER], "a", page)
    assert found.evidence == ("page#c0",)
    assert found.passages["page#c0"].document.id == "page"
    assert found.entities["team"].name == "TEAM"
    assert found.facts["best"] == ["A -owned_by-> TEAM"]


def test_what_another_persona_may_not_see_is_not_there() -> None:
    secret = put("secret", edge("a", "owned_by", "team", "secret#c0"), personas=frozenset({"sre"}))
    found = expanded([OWNER], "a", secret, put("open", edge("b", "uses", "a", "open#c0")))
    assert all("team" not in path.entity_ids for path in found.paths)


def test_nobody_named_leads_nowhere() -> None:
    assert expanded([OWNER], "") == Expansion()


def test_names_that_are_not_known_lead_nowhere() -> None:
    assert expanded([OWNER], "nobody").paths == ()


def test_the_sort_of_a_document_is_its_type_and_its_folders() -> None:
    document = Document("sample/runbooks/a.md", source_type="Runbook")
    assert sorts(document) == ["runbook"]
    assert sorts(Document("catalogue/file.yaml#component:default/x")) == []


NODES = st.sampled_from(["a", "b", "c", "d", "doc:x"])
KINDS = st.sampled_from(["depends_on", "owned_by", "mentioned_with", "escalates_to"])
EDGES = st.lists(
    st.tuples(NODES, KINDS, NODES, st.sampled_from([0.3, 0.5, 1.0])), max_size=14, unique=True
)
CUES = st.lists(st.sampled_from([DEPENDENTS, OWNER, ESCALATION]), max_size=2)


@settings(max_examples=60)
@given(EDGES, CUES, st.floats(0.0, 1.0))
def test_ways_are_in_order_of_one_or_two_hops_and_the_same_each_time(
    edges: list[tuple[str, str, str, float]], cues: list[Cue], reputation: float
) -> None:
    relations = [edge(one, kind, other, "p#c0", sure) for one, kind, other, sure in edges]
    modified = datetime(2026, 1, 1, tzinfo=UTC)
    page = put("p", *relations, reputation=reputation, modified=modified)
    found = expanded(cues, "a b", page)
    assert found == expanded(cues, "a b", page)
    sure = [path.confidence for path in found.paths]
    assert sure == sorted(sure, reverse=True)
    for path in found.paths:
        assert 1 <= len(path.relations) <= 2
        assert len(path.entity_ids) == len(path.relations) + 1
        assert path.entity_ids[0] in ("a", "b")
        assert not any(name.startswith("doc:") for name in path.entity_ids)
        for at, relation in enumerate(path.relations):
            ends = {relation.source, relation.target}
            assert {path.entity_ids[at], path.entity_ids[at + 1]} == ends
