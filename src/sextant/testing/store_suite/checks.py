"""What the store suite asks again and again, and the inputs that it tries."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from sextant import query
from sextant.errors import InvalidFilter, InvalidInput, InvalidVector, SextantError, TooLarge
from sextant.limits import MOST_PIECES
from sextant.ports import Store
from sextant.query import Query
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import direction
from sextant.types import (
    OPERATOR,
    Document,
    Found,
    NameMode,
    Pieces,
    Put,
    Reach,
    Relation,
    Scope,
    StoreAbility,
    Walk,
    Web,
)


def ids(found: Found) -> list[str]:
    """Return the chunk ids that were found, best first."""
    return [match.passage.chunk.id for match in found.matches]


def scores(found: Found) -> dict[str, float]:
    """Return the score of every match."""
    return {match.passage.chunk.id: match.score for match in found.matches}


def web_fields(
    web: Web,
) -> tuple[list[str], dict[str, tuple[int, int]], list[tuple[str, str, bool]]]:
    """Return a web's chunks, how often its seeds are mentioned, and where.

    Numbers are a store's own, so entities that were not asked for show only their counts.
    """
    counts = list(zip(web.mentions.tolist(), web.abouts.tolist(), strict=True))
    names = {at: name for name, at in web.entities.items()}
    pairs = zip(web.chunk.tolist(), web.entity.tolist(), web.about.tolist(), strict=True)
    where = [
        (web.chunk_ids[chunk], names.get(entity, f"{counts[entity]}"), about)
        for chunk, entity, about in pairs
    ]
    seeds = {name: counts[at] for name, at in sorted(web.entities.items())}
    return sorted(web.chunk_ids), seeds, sorted(where)


async def refused(kind: type[SextantError], call: Awaitable[Any]) -> None:
    """Make sure that a call is refused with an error of this kind that says what to do."""
    try:
        await call
    except kind as error:
        if error.message and error.hint and error.code:
            return
        raise
    raise AssertionError(f"The call was not refused with {kind.__name__}.")


async def versions(store: Store, scope: Scope, chunk_ids: Sequence[str]) -> dict[str, str]:
    """Return the version at which each of these chunks stands, seen by the scope or not."""
    found = await store.truth.passages(replace(scope, roles=frozenset({OPERATOR})), chunk_ids)
    return {name: one.version for name, one in found.items()}


async def content(store: Store, scope: Scope) -> list[str]:
    """Return what a scope sees of the truth as lines, the canonical ones if there are such."""
    if StoreAbility.CANONICAL_DUMP in store.admin.abilities:
        return [line async for line in store.admin.dump(scope)]
    ids = [document.id for document in await store.truth.documents(scope)]
    return [repr(unit) for _, unit in sorted((await store.truth.units(scope, ids)).items())]


async def everything(store: Store, scope: Scope) -> dict[str, Any]:
    """Return all that a scope can learn from a store, without commit numbers.

    Scores are left out where others' documents may be felt in them.
    """
    names = ["Service A", "Team Y", "Quiet Q", "Secret A", "a service"]
    nodes = ["a", "x", "y", "z", "q"]
    chunks = ["runbook#c1", "policy#c1", "secret#c1"]
    queries = [
        Query("service a fails, restart pods", k=50),
        Query(vector=direction(1.0, 0.5), k=50),
        Query("escalation audit", direction(0.1, 0.1, 1.0)),
        Query(filter=query.EntitiesAny(("a",)), k=50),
    ]
    found = [replace(await store.index.search(scope, one), commit=0) for one in queries]
    has_own_scores = StoreAbility.PERSONA_STATISTICS in store.index.abilities
    return {
        "content": await content(store, scope),
        "found": found if has_own_scores else [sorted(ids(one)) for one in found],
        "counts": await store.truth.counts(scope),
        "documents": await store.truth.documents(scope),
        "passages": await store.truth.passages(scope, chunks),
        "pieces": await store.index.pieces(scope, await versions(store, scope, chunks)),
        "chunks": await store.truth.chunk_ids(scope, ["runbook", "policy", "secret"]),
        "entities": await store.graph.entities(scope, nodes),
        "names": [await store.graph.lookup(scope, names, mode) for mode in NameMode],
        "walk": await store.graph.neighbours(scope, nodes, Walk(hops=2)),
        "web": web_fields(
            await store.graph.web(scope, ["runbook#c1", "secret#c1"], nodes, Reach())
        ),
    }


def bad_units() -> list[tuple[type[SextantError], Put]]:
    """Return units that no store takes, and why."""
    good = samples.runbook()
    document, chunk, entity = good.document, good.chunks[0], good.entities[0]
    naive = datetime(2026, 1, 1)
    long = "x" * 300_000
    assert good.vectors is not None

    def with_chunk(**changes: Any) -> Put:
        return Put(Document("d"), (replace(chunk, id="d#1", **changes),))

    def with_document(**changes: Any) -> Put:
        return Put(replace(document, **changes))

    def with_relation(**changes: Any) -> Put:
        return Put(Document("d"), relations=(replace(Relation("a", "b", "k"), **changes),))

    def with_vectors(vectors: Any) -> Put:
        return replace(good, vectors=vectors)

    def with_pieces(*pieces: Any) -> Put:
        return replace(good, pieces=pieces)

    def with_arrays(spans: Any, codes: Any = None) -> Put:
        row = np.zeros((1, samples.WIDTH), np.int8) if codes is None else codes
        return with_pieces(Pieces(spans, row), None)

    span = np.array([[0, 1]], np.int32)
    many = MOST_PIECES + 1

    return [
        (InvalidInput, with_document(id="")),
        (TooLarge, with_document(id=long)),
        (InvalidInput, with_document(id="half \ud800 pair")),
        (TooLarge, with_document(title=long)),
        (InvalidInput, with_document(modified=naive)),
        (InvalidInput, with_document(reputation=float("nan"))),
        (InvalidInput, with_document(reputation=1.5)),
        (InvalidInput, with_document(reputation=10**400)),
        (InvalidInput, with_document(reputation=10**5_000)),
        (InvalidInput, with_document(tags=frozenset({""}))),
        (InvalidInput, with_document(metadata={"n": 1})),
        (InvalidInput, with_document(metadata=None)),
        (InvalidInput, with_document(tags="runbook")),
        (InvalidInput, with_document(created="2026")),
        (InvalidInput, with_document(created=datetime.max.replace(tzinfo=UTC))),
        (InvalidInput, with_chunk(text="")),
        (TooLarge, with_chunk(text=long)),
        (InvalidInput, with_chunk(text="\udfff")),
        (InvalidInput, with_chunk(start=-1)),
        (InvalidInput, with_chunk(start=5, end=4)),
        (InvalidInput, with_chunk(entity_ids=("",))),
        (InvalidInput, with_chunk(entity_ids={"a"})),
        (InvalidInput, with_chunk(headings="Restart")),
        (InvalidInput, with_chunk(headings={"Restart"})),
        (InvalidInput, with_chunk(headings=None)),
        (TooLarge, with_chunk(page=10**5_000)),
        (InvalidInput, Put(Document("d"), (chunk, chunk))),
        (InvalidInput, Put(Document("d"), (replace(chunk, id=[]),))),  # type: ignore[arg-type]
        (InvalidInput, Put(Document("d"), (None,))),  # type: ignore[arg-type]
        (InvalidInput, Put(Document("d"), None)),  # type: ignore[arg-type]
        (InvalidInput, Put(Document("d"), {chunk})),  # type: ignore[arg-type]
        (InvalidInput, Put(Document("d"), entities=(None,))),  # type: ignore[arg-type]
        (InvalidInput, Put(Document("d"), relations=(None,))),  # type: ignore[arg-type]
        (InvalidInput, Put(None)),  # type: ignore[arg-type]
        (InvalidInput, Put(Document("d"), entities=(replace(entity, name=""),))),
        (InvalidInput, Put(Document("d"), entities=(entity, entity))),
        (InvalidInput, with_relation(kind="")),
        (InvalidInput, with_relation(confidence=float("inf"))),
        (InvalidInput, with_relation(weight=-1.0)),
        (InvalidInput, with_relation(evidence=("runbook#c1",))),
        (InvalidInput, with_relation(evidence=(5,))),
        (InvalidInput, with_relation(evidence=([],))),
        (InvalidInput, with_relation(evidence=None)),
        (InvalidVector, with_vectors(np.zeros((2, samples.WIDTH + 1), np.float32))),
        (InvalidVector, with_vectors(good.vectors[:1])),
        (InvalidVector, with_vectors(np.full_like(good.vectors, np.nan))),
        (InvalidVector, with_vectors(np.full_like(good.vectors, np.inf))),
        (InvalidVector, with_vectors(good.vectors * 0)),
        (InvalidVector, with_vectors([["a"] * samples.WIDTH] * 2)),
        (InvalidVector, with_vectors([[1.0], [1.0, 2.0]])),
        (InvalidVector, replace(good, vectors=None)),
        (InvalidVector, with_pieces(None)),
        (InvalidVector, with_pieces(None, None, None)),
        (InvalidVector, with_pieces("piece", None)),
        (InvalidVector, with_arrays(span, np.zeros((1, samples.WIDTH + 1), np.int8))),
        (InvalidVector, with_arrays(span, np.zeros((2, samples.WIDTH), np.int8))),
        (InvalidVector, with_arrays(span, np.zeros((1, samples.WIDTH), np.float32))),
        (InvalidVector, with_arrays(span.astype(np.int64))),
        (InvalidVector, with_arrays(span[0])),
        (InvalidVector, with_arrays(np.int32(1))),
        (InvalidVector, with_arrays([[0], [0, 1]])),
        (InvalidVector, with_arrays(span, [[1], [1, 2]])),
        (InvalidVector, with_arrays(np.array([[2, 1]], np.int32))),
        (InvalidVector, with_arrays(np.array([[-1, 1]], np.int32))),
        (InvalidVector, with_arrays(np.array([[0, 10_000]], np.int32))),
        (
            InvalidVector,
            with_arrays(np.zeros((many, 2), np.int32), np.zeros((many, samples.WIDTH), np.int8)),
        ),
    ]


def bad_queries() -> list[tuple[type[SextantError], Query]]:
    """Return queries that no store answers, and why."""
    deep: query.Filter = query.TagsAny(("t",))
    for _ in range(20):
        deep = query.Not(deep)
    naive = datetime(2026, 1, 1)
    return [
        (InvalidInput, Query("x", k=0)),
        (TooLarge, Query("x", k=10**9)),
        (TooLarge, Query("x", k=10**5_000)),
        (TooLarge, Query("x" * 10**6)),
        (InvalidInput, Query("\ud800")),
        (InvalidInput, Query("x", at_least=-1)),
        (InvalidVector, Query(vector=np.ones(3, np.float32))),
        (InvalidVector, Query(vector=direction(float("nan")))),
        (InvalidVector, Query(vector=direction())),
        (InvalidVector, Query(vector=[1.0, [2.0]])),  # type: ignore[arg-type]
        (InvalidFilter, Query(filter=deep)),
        (InvalidFilter, Query(filter=query.TimeRange(by="deleted"))),
        (InvalidInput, Query(filter=query.TimeRange(start=naive))),
        (TooLarge, Query(filter=query.EntitiesAny(tuple(map(str, range(50_000)))))),
        (InvalidFilter, Query(filter={"tags_any": ["t"]})),  # type: ignore[arg-type]
        (InvalidInput, Query(filter=query.TagsAny(None))),  # type: ignore[arg-type]
        (InvalidInput, Query(None)),  # type: ignore[arg-type]
        (InvalidInput, None),  # type: ignore[list-item]
    ]


def disguised_names() -> list[str]:
    """Return names that do not show what they are: turned round, invisible, or half so."""
    return ["\u202etxt.exe", "\u2066a\u2069", "\u200b", "ad\u200cmin", "a\U000e0062", "\u3164"]


def odd_names() -> list[str]:
    """Return texts that trip careless stores."""
    return [
        "../../etc/passwd",
        "C:\\Windows\\system32",
        "'; DROP TABLE documents; --",
        "%_*?[a-z]",
        "a\0b",
        "\n\r\t\v",
        " ",
        "Ünïcödé",
        "Service\u00a0A",
        "مرحبا بالعالم",
        "日本語の名前",
        "👩‍👩‍👧‍👦 🏳️‍🌈",
        "e\u0301 \u00e9",
        "\U0010ffff",
        "null",
        "0",
        "-1",
        '{"id": 1}',
        "doc1#c12",
        "x" * 900,
    ]
