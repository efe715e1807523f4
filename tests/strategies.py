"""Knowledge out of thin air: small alphabets, so that words, names and edges collide often."""

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import strategies as st

from sextant import query
from sextant.types import Chunk, Direction, Document, Entity, Pieces, Put, Reach, Relation, Walk

WIDTH = 8
WORDS = [
    "pod",
    "pods",
    "restart",
    "service",
    "fails",
    "the",
    "the",
    "the",
    "owner",
    "Übergröße",
    "日本",
]
NODES = [f"n{number}" for number in range(6)]
KINDS = ["calls", "owns"]
TAGS = ["ops", "hr", "dev"]
TYPES = ["", "wiki", "runbook"]
PERSONAS = ["dev", "audit", "legal"]
IDS = [f"d{number}" for number in range(8)]
CHUNK_IDS = [f"{name}#{at}" for name in IDS[:4] for at in range(2)]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
nodes = st.sampled_from(NODES)
days = st.integers(0, 9).map(lambda day: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day))


@st.composite
def vectors(draw: st.DrawFn) -> np.ndarray:
    """Draw a vector; few directions, so that many scores tie."""
    values = draw(st.lists(st.integers(-2, 2), min_size=WIDTH, max_size=WIDTH).filter(any))
    return np.array(values, np.float32)


@st.composite
def puts(draw: st.DrawFn) -> Put:
    """Draw a unit of work."""
    name = draw(st.sampled_from(IDS))
    count = draw(st.integers(0, 3))
    chunks = tuple(_chunk(draw, name, at) for at in range(count))
    rows = [draw(vectors()) for _ in chunks]
    embedded = draw(st.booleans())
    evidence = st.lists(st.sampled_from([chunk.id for chunk in chunks]), max_size=2, unique=True)
    relations = st.builds(
        Relation,
        nodes,
        nodes,
        st.sampled_from(KINDS),
        st.sampled_from([0.25, 0.5, 1.0]),
        st.sampled_from([0.1, 1.0, 2.5]),
        evidence.map(tuple) if chunks else st.just(()),
    )
    return Put(
        draw(_documents(name)),
        chunks,
        tuple(draw(st.lists(_entities(), max_size=2, unique_by=lambda entity: entity.id))),
        tuple(draw(st.lists(relations, max_size=4))),
        np.stack(rows) if embedded and rows else None,
        pieces=tuple(draw(_pieces(chunk)) for chunk in chunks) if embedded and rows else None,
    )


@st.composite
def _pieces(draw: st.DrawFn, chunk: Chunk) -> Pieces | None:
    places = st.tuples(st.integers(0, len(chunk.text)), st.integers(0, len(chunk.text)))
    spans = draw(st.none() | st.lists(places.map(sorted), max_size=3))
    if spans is None:
        return None
    codes = draw(st.lists(vectors(), min_size=len(spans), max_size=len(spans)))
    return Pieces(
        np.array(spans, np.int32).reshape(-1, 2), np.array(codes, np.int8).reshape(-1, WIDTH)
    )


def _chunk(draw: st.DrawFn, name: str, at: int) -> Chunk:
    headings = draw(st.lists(texts, max_size=2))
    mentioned = draw(st.lists(nodes, max_size=3, unique=True))
    return Chunk(f"{name}#{at}", draw(texts), headings=tuple(headings), entity_ids=tuple(mentioned))


def _documents(name: str) -> st.SearchStrategy[Document]:
    return st.builds(
        Document,
        st.just(name),
        texts | st.just(""),
        source_type=st.sampled_from(TYPES),
        tags=st.frozensets(st.sampled_from(TAGS)),
        personas=st.frozensets(st.sampled_from(PERSONAS)),
        created=st.none() | days,
        modified=st.none() | days,
        reputation=st.sampled_from([0.0, 0.5, 1.0]),
    )


def _entities() -> st.SearchStrategy[Entity]:
    names = st.sampled_from(["Pod", "pod!", "Service A", "service-a", "Owner", "Ownr"])
    return st.builds(
        Entity, nodes, names, st.sampled_from(["", "service"]), st.frozensets(names, max_size=2)
    )


leaves: st.SearchStrategy[query.Filter] = st.one_of(
    st.builds(query.TagsAny, st.lists(st.sampled_from(TAGS), max_size=2).map(tuple)),
    st.builds(query.TagsAll, st.lists(st.sampled_from(TAGS), max_size=2).map(tuple)),
    st.builds(query.SourceTypes, st.lists(st.sampled_from(TYPES), max_size=2).map(tuple)),
    st.builds(query.EntitiesAny, st.lists(nodes, max_size=3).map(tuple)),
    st.builds(query.ChunksAny, st.lists(st.sampled_from(CHUNK_IDS), max_size=3).map(tuple)),
    st.builds(query.DocumentsAny, st.lists(st.sampled_from(IDS), max_size=3).map(tuple)),
    st.builds(
        query.TimeRange,
        st.none() | days,
        st.none() | days,
        st.sampled_from(["created", "modified"]),
    ),
)
filters: st.SearchStrategy[query.Filter] = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.builds(query.AllOf, st.lists(parts, max_size=3).map(tuple)),
        st.builds(query.AnyOf, st.lists(parts, max_size=3).map(tuple)),
        st.builds(query.Not, parts),
    ),
    max_leaves=4,
)
queries = st.builds(
    query.Query,
    st.just("") | texts,
    st.none() | vectors(),
    st.none() | filters,
    st.integers(1, 12),
)
walks = st.builds(
    Walk,
    st.frozensets(st.sampled_from(KINDS)),
    st.sampled_from(list(Direction)),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 12),
)
reaches = st.builds(
    Reach,
    st.integers(0, 3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 12),
    st.sampled_from(KINDS),
)
