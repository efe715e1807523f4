"""What the service lets through is what our own filters and scopes do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant import query
from sextant.errors import InvalidFilter
from sextant.query import Filter, passes
from sextant.settings import Settings
from sextant.stores.azure.search.definition import index_definition
from sextant.stores.azure.search.filters import query_filter, seed_filter
from sextant.stores.azure.search.rows import seed_passage_in, unit_rows
from sextant.types import OPERATOR, Chunk, Document, Put, Scope
from tests.peers.search_service.documents import Held, apply_actions
from tests.peers.search_service.fields import Definition, checked
from tests.peers.search_service.filters import compiled
from tests.strategies import PERSONAS, WIDTH, filters, puts

OURS = checked(index_definition(Settings(), WIDTH).as_dict())
SEED = Definition(
    {},
    {
        "id": {"type": "Edm.String", "key": True, "filterable": True},
        "content": {"type": "Edm.String"},
        "title": {"type": "Edm.String"},
        "url": {"type": "Edm.String"},
        "entityIds": {"type": "Collection(Edm.String)", "filterable": True},
    },
)
scopes = st.builds(
    Scope,
    st.sampled_from(["acme", "globex"]),
    st.frozensets(st.sampled_from([*PERSONAS, "o'brien"])),
    roles=st.sampled_from([frozenset(), frozenset({OPERATOR})]),
)


def _let_through(unit: Put, text: str) -> set[str]:
    held = Held(OURS)
    apply_actions(held, list(unit_rows("acme", unit, 1, 7)), 0)
    test = compiled(text, OURS)
    return {row["chunkId"] for row in held.rows.values() if test(row)}


@given(puts(), scopes, st.none() | filters)
def test_a_filter_lets_through_what_it_does_everywhere(
    unit: Put, scope: Scope, tree: Filter | None
) -> None:
    is_seen = scope.tenant == "acme" and scope.sees(unit.document)
    expected = {
        chunk.id
        for chunk in unit.chunks
        if is_seen and passes(tree or query.AllOf(()), unit.document, chunk)
    }
    assert _let_through(unit, query_filter(scope, tree)) == expected


_names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.lists(_names, min_size=1, max_size=12), _names, st.data())
def test_any_names_are_only_text(names: list[str], other: str, data: st.DataObject) -> None:
    own = data.draw(st.sampled_from([*names, other]))
    document = Document(own, tags=frozenset({own}), personas=frozenset({own}), source_type=own)
    unit = Put(document, (Chunk("c", "text", entity_ids=(own,)),))
    for kind in (query.TagsAny, query.EntitiesAny, query.SourceTypes, query.DocumentsAny):
        scope = Scope("acme", frozenset(names))
        text = query_filter(scope, kind(tuple(names)))
        assert _let_through(unit, text) == ({"c"} if own in names else set()), text


def test_no_filter_widens_what_a_scope_sees() -> None:
    secret = Put(Document("d", personas=frozenset({"auditor"})), (Chunk("c", "text"),))
    for tree in (query.AllOf(()), query.Not(query.AnyOf(())), query.ChunksAny(("c",))):
        for scope in (Scope("acme"), Scope("globex", frozenset({"auditor"}))):
            assert not _let_through(secret, query_filter(scope, tree))
        assert _let_through(secret, query_filter(Scope("acme", frozenset({"auditor"})), tree))


@given(st.lists(st.sampled_from(["a", "b"]), max_size=2), filters)
def test_rows_of_others_are_filtered_as_documents_without_tags(
    entities: list[str], tree: Filter
) -> None:
    row = {"id": "ZG9jMSNjMTI", "content": "text", "entityIds": entities}
    passage = seed_passage_in(row)
    assert passage.chunk.id == "doc1#c12"
    try:
        text = seed_filter(tree)
    except InvalidFilter:
        assert any(isinstance(one, query.DocumentsAny) for one, _ in query.walk(tree))
    else:
        assert compiled(text, SEED)(row) == passes(tree, passage.document, passage.chunk)


def test_rows_of_others_cannot_be_filtered_by_document() -> None:
    with pytest.raises(InvalidFilter, match="document"):
        seed_filter(query.Not(query.DocumentsAny(("doc1",))))
    assert seed_filter(None) == ""
