"""A store behind a real KnowledgeStore server is, for a question, the store itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.errors import CommitUnknown, InvalidFilter, InvalidVector, PeerRefused, TooLarge
from sextant.links.mcp_caller import McpCaller
from sextant.links.mcp_knowledge import McpKnowledge
from sextant.links.tokens import open_tokens
from sextant.ports import Knowledge
from sextant.query import AllOf, Filter, Not, Query, SourceTypes, TagsAny
from sextant.retrieval.feedback.opinions import Opinion, OpinionOn
from sextant.retrieval.profiles.saved import Profile
from sextant.serve.caller import Role
from sextant.serve.mcp.transports.single_server import running_alone
from sextant.settings import TOKEN_VARIABLE, Settings
from sextant.types import NameMode, Pieces, Reach, Scope, Walk, Web
from tests.serve.identity.making import Keys
from tests.serve.mcp.doors import OTHER, take_in
from tests.serve.running import TOKEN, small

Asking = Callable[[Knowledge, Scope], Awaitable[Any]]
CHUNKS = ["docs/queue.md#c0", "docs/a.md#c0", "nowhere#1"]
NAMES = ["Harbor Queue", "HQ", "Nobody"]
VECTOR = np.linspace(-1, 1, 64, dtype=np.float32)
NOT_A = AllOf((Not(TagsAny(("a",))), SourceTypes(("markdown",))))


async def pieces(one: Knowledge, scope: Scope) -> Mapping[str, Pieces]:
    """Ask of each chunk at the version that is seen, and of one at another."""
    seen = {name: own.version for name, own in (await one.truth.passages(scope, CHUNKS)).items()}
    return await one.index.pieces(scope, seen | {CHUNKS[1]: "another"})


ASKED: dict[str, Asking] = {
    "both": lambda one, scope: one.index.search(scope, Query("Harbor Queue", VECTOR, NOT_A, 5)),
    "words": lambda one, scope: one.index.search(scope, Query("Harbor Queue", k=5)),
    "filter": lambda one, scope: one.index.search(scope, Query(filter=NOT_A)),
    "passages": lambda one, scope: one.truth.passages(scope, CHUNKS),
    "pieces": lambda one, scope: pieces(one, scope),
    "facets": lambda one, scope: one.index.facets(scope),
    "exact": lambda one, scope: one.graph.lookup(scope, NAMES, NameMode.EXACT),
    "fuzzy": lambda one, scope: one.graph.lookup(scope, ["Harbor Que"], NameMode.FUZZY, 3),
    "entities": lambda one, scope: one.graph.entities(scope, ["harbor-queue", "nobody"]),
    "neighbours": lambda one, scope: one.graph.neighbours(scope, ["harbor-queue"], Walk(hops=2)),
    "counters": lambda one, scope: one.records.counters(scope, ["a", "b"]),
    "feedback": lambda one, scope: one.records.feedback(scope, 0, 5),
    "threads": lambda one, scope: one.records.threads(
        replace(scope, user="sextant:profiles"), ["profiles", "none"]
    ),
}
SCOPES = [
    Scope(),
    Scope(personas=frozenset({"sre"})),
    Scope(personas=frozenset({"sre", "finance"})),
    Scope(OTHER),
    Scope("nobody-knows"),
    Scope(user="ann"),
]


def with_knowledge(
    place: Path, task: Callable[[Sextant, McpKnowledge], Awaitable[None]], **serve: Any
) -> None:
    async def run() -> None:
        settings = small(place)
        settings = replace(settings, serve=replace(settings.serve, port=0, audit=False, **serve))
        async with (
            await open_sextant(settings) as whole,
            running_alone(settings, "knowledge-store", TOKEN) as server,
        ):
            tokens = open_tokens(Settings())
            caller = McpCaller("KnowledgeStore", f"{server.url}/mcp", Settings(), tokens)
            try:
                await task(whole, McpKnowledge(caller))
            finally:
                await caller.close()

    asyncio.run(run())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that knows a little."""
    folder = tmp_path_factory.mktemp("knowledge")
    asyncio.run(take_in(folder))
    return folder


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lets us in."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)


def test_every_answer_is_the_stores_own_for_every_scope(place: Path) -> None:
    async def task(whole: Sextant, far: McpKnowledge) -> None:
        said = OpinionOn("document:docs/queue.md", Opinion.HELPFUL, comment="Très bien.")
        await whole.feedback(Scope(user="ann"), said)
        await whole.save_profile(Scope(), Profile("fresh", default=True))
        await whole.store.records.count(Scope(), {"a": 3})
        told = 0
        for scope in SCOPES:
            for name, asking in ASKED.items():
                near = await asking(whole.store, scope)
                assert await asking(far, scope) == _comparable(near), name
                told += bool(near)
        assert told > len(ASKED)

    with_knowledge(place, task)


def _comparable(value: Any) -> Any:
    """Return lists as tuples, as they come back."""
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {name: _comparable(own) for name, own in value.items()}
    return value


def test_a_web_comes_with_all_its_numbers(place: Path) -> None:
    async def task(whole: Sextant, far: McpKnowledge) -> None:
        webs: list[Web] = [
            await one.graph.web(
                Scope(personas=frozenset({"sre"})), CHUNKS[:1], ["harbor-queue"], Reach()
            )
            for one in (whole.store, far)
        ]
        near, other = webs
        assert near.chunk_ids
        assert near == other
        for name in ("chunk", "entity", "about", "mentions", "abouts"):
            assert getattr(near, name).tolist() == getattr(other, name).tolist(), name

    with_knowledge(place, task)


def test_what_the_store_refuses_comes_through_as_what_it_is(place: Path) -> None:
    deep: Filter = TagsAny(("a",))
    for _ in range(8):
        deep = Not(deep)

    async def task(_: Sextant, far: McpKnowledge) -> None:
        with pytest.raises(InvalidVector):
            await far.index.search(Scope(), Query(vector=np.ones(3, np.float32)))
        with pytest.raises(InvalidFilter, match="nested deeper"):
            await far.index.search(Scope(), Query(filter=deep))
        with pytest.raises(TooLarge):
            await far.index.search(Scope(), Query("x", k=1_000_000))
        with pytest.raises(CommitUnknown):
            await far.index.search(Scope(), Query("x", at_least=1_000_000))

    with_knowledge(place, task)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ([Role.READ], "may not name that tenant"),
        ([Role.ON_BEHALF], "needs the role KnowledgeStore.ReadAccess"),
    ],
)
def test_a_token_without_the_roles_is_refused_and_told_which(
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    roles: list[Role],
    said: str,
) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    with closing(Keys(tmp_path / "keys")) as keys:
        monkeypatch.setenv(TOKEN_VARIABLE, keys.create("pipeline", "acme", roles)[1])

    async def task(_: Sextant, far: McpKnowledge) -> None:
        with pytest.raises(PeerRefused, match=said):
            await far.index.facets(Scope())

    with_knowledge(place, task, auth="api-key", folder=str(tmp_path / "keys"))


def test_what_people_said_is_only_for_who_speaks_for_others(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    with closing(Keys(tmp_path / "keys")) as keys:
        monkeypatch.setenv(TOKEN_VARIABLE, keys.create("reader", "default", [Role.READ])[1])

    async def task(_: Sextant, far: McpKnowledge) -> None:
        assert (await far.index.facets(Scope())).source_types
        with pytest.raises(PeerRefused, match="needs the role OnBehalf"):
            await far.records.feedback(Scope())

    with_knowledge(place, task, auth="api-key", folder=str(tmp_path / "keys"))


def test_a_wrong_token_is_said_to_be_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "another-token")

    async def task(_: Sextant, far: McpKnowledge) -> None:
        with pytest.raises(PeerRefused, match=r"does not let this server in \(401\)"):
            await far.index.facets(Scope())

    with_knowledge(place, task)
