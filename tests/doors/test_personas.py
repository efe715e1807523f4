"""Whoever may use one persona never gets a byte of what only another one may see."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sextant.prompting.network.trust import trusted
from sextant.serve.caller import Role
from sextant.serve.records.folder import server_folder
from sextant.types import Chunk, Document, Entity, Put, Relation, Scope
from tests.doors import requests
from tests.doors.sending import Bare, Names, Sent, send
from tests.doors.verbs import verbs
from tests.doors.worlds import OURS, Held, Tenant, World, held, world
from tests.ingest.folders import lay_out
from tests.serve.identity.making import Keys
from tests.serve.rest.knowing import page

MARK = "zqvarnish"
"""A word that stands in everything that only the other persona may see."""
ROLES = (Role.SEARCH, Role.READ, Role.WRITE, Role.MODEL)
OURSELVES, ALSO, THEM = "sre", "it", "hr"
_numbers = count()


def _hidden(document_id: str) -> Put:
    """Return a document of theirs, with the mark in every field, that speaks of our Hub, too."""
    document = Document(
        document_id,
        f"Title {MARK}",
        f"https://{MARK}.example/",
        f"type-{MARK}",
        tags=frozenset({MARK}),
        personas=frozenset({THEM}),
        metadata={MARK: MARK},
    )
    text = f"Blue Moon is {MARK}, and so is the Hub of {MARK}."
    chunk = Chunk(f"{document_id}#c0", text, 0, len(text), headings=(MARK,))
    name = f"thing:{MARK}"
    entities = (
        Entity(name, f"Thing {MARK}", MARK, frozenset({"Blue Moon"}), {MARK: MARK}),
        Entity("thing:hub", "Hub", MARK, frozenset({f"Hub {MARK}"}), {MARK: MARK}),
        Entity("thing:theirs.md", f"Theirs {MARK}", aliases=frozenset({"Red Sun"})),
    )
    relations = (
        Relation(name, "thing:hub", f"rules_{MARK}", evidence=(chunk.id,)),
        Relation("thing:theirs.md", "thing:hub", f"feeds_{MARK}", evidence=(chunk.id,)),
    )
    return Put(document, (chunk,), entities, relations)


@dataclass(frozen=True)
class House:
    """A tenant in which two personas know different things: we, and they."""

    tenant: str
    world: World
    ours: Tenant
    theirs: Tenant

    async def told(self, who: Tenant, sent: Sent) -> Bare:
        """Return what one of them is told."""
        return await send(who, sent, Names("another", lambda: self.theirs.jobs), 0)


@asynccontextmanager
async def _house(one: World, *ours: str) -> AsyncIterator[House]:
    """Let there be a tenant in which they have been busy already; we have some personas."""
    tenant = f"acme-{next(_numbers)}"
    pages = [page(name, f"Hub of {name} is in Oslo.") for name in OURS]
    secrets = [_hidden("theirs.md"), _hidden(f"{MARK}.md")]
    await one.server.house.sextant.write(Scope(tenant), [*pages, *secrets])
    async with AsyncExitStack() as stack:
        us, them = [
            Tenant(await stack.enter_async_context(_client(one, tenant, *personas)))
            for personas in (ours, (THEM,))
        ]
        house = House(tenant, one, us, them)
        for sent in (
            requests.ingest(MARK, f"Blue Moon depends on {MARK}."),
            requests.save_profile(MARK, 0.9, default=False),
            requests.ask(f"What is {MARK}?", "talk"),
            requests.ask("Where is the Hub?", "talk"),
        ):
            persona = f"?personaId={THEM}" if sent.path != "/api/ask" else ""
            assert (await house.told(them, replace(sent, path=sent.path + persona))).status == 200
        yield house


def _client(
    one: World, tenant: str, *personas: str, roles: Sequence[Role] = ROLES
) -> httpx2.AsyncClient:
    with closing(Keys(server_folder(one.server.house.settings))) as keys:
        _, key = keys.create("key", tenant, roles, personas)
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.AsyncClient(
        base_url=one.server.url, headers=headers, timeout=60, verify=trusted()
    )


@pytest.fixture(scope="module")
def held_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Held, World]]:
    """A server for all examples; each has a tenant of its own."""
    with held() as loop:
        yield loop, loop.open(world(tmp_path_factory.mktemp("personas") / "one"))


def _has_mark(reply: Bare) -> bool:
    return MARK in f"{reply.headers}{reply.body.decode()}".lower()


_SEEN = [
    *(Sent("GET", path) for path in ("/api/documents", "/api/status", "/api/profiles")),
    Sent("GET", "/api/documents/theirs.md"),
    *(
        Sent("GET", f"/api/entities?name={name}")
        for name in ("Blue Moon", "Hub", "Thing", "Theirs")
    ),
    *(Sent("GET", f"/api/entities/{name}") for name in ("thing:hub", "thing:theirs.md")),
    Sent("POST", "/api/expand", {"entityIds": ["thing:hub", "thing:theirs.md"], "hops": 2}),
    Sent("GET", "/api/conversations/talk"),
    requests.ask("What is Blue Moon?"),
    replace(requests.ask("What is the Hub?", "talk"), headers={"accept": "text/event-stream"}),
    Sent("POST", "/api/search", {"query": "What rules the Hub, Blue Moon?", "topK": 50}),
    requests.tool("graphrag_query", query="What is Blue Moon?"),
    requests.tool("RAGPipeline.SearchAndRank", UserQueryText="Hub Blue Moon", TopKFinalRank=50),
    requests.tool("entity_lookup", name="Blue Moon"),
    requests.tool("graph_expansion", entityIds=["Hub"], hops=3),
    requests.tool("LlmOrchestration.ExpandOrRephraseQuery", Query="What is Red Sun?"),
    requests.tool("KnowledgeStore.GetEntry", EntryId="theirs.md#c0"),
    requests.tool("KnowledgeStore.GetArtifactMetadata", ArtifactId="theirs.md"),
    requests.tool("KnowledgeStore.SearchPersonaKnowledgeByFilters", Keywords="Blue Moon"),
    requests.rpc("resources/list"),
    requests.rpc("resources/read", uri="sextant://documents/theirs.md"),
    requests.rpc("resources/read", uri="sextant://entities/thing%3Ahub"),
]
_NEVER_SEEN = [
    Sent("GET", "/api/conversations"),
    Sent("GET", "/api/documents/hub.md"),
    Sent("GET", "/api/jobs"),
    Sent("GET", "/api/jobs/THEIR-JOB-0"),
    Sent("GET", "/api/jobs/THEIR-JOB-0/events"),
    Sent("GET", f"/api/documents?personaId={THEM}"),
    Sent("GET", "/api/documents?all=true"),
    Sent("GET", "/metrics"),
    Sent("GET", "/openapi.json"),
    Sent("GET", "/docs"),
    Sent("GET", "/ready"),
    Sent("DELETE", "/api/documents/theirs.md"),
    requests.ask("What is Blue Moon?", personaId=THEM),
    requests.ask("Where is the Hub?", rankingPrefs="no such profile"),
    requests.ingest("mine", "Blue Moon depends on Hub. Hub is Theirs."),
    Sent("GET", "/api/documents/mine"),
    requests.tool("KnowledgeStore.UpsertEntry", ArtifactId="theirs.md", Content="Blue Moon."),
    requests.tool("KnowledgeStore.DeleteEntry", EntryId="theirs.md#c0"),
    requests.tool("graphrag_query", query="What is Blue Moon?", personaId=THEM),
    requests.rpc("tools/list"),
    requests.rpc("prompts/list"),
]


@pytest.mark.parametrize("personas", [(OURSELVES,), (OURSELVES, ALSO)])
def test_no_reply_of_any_kind_has_a_word_that_only_another_persona_may_see(
    held_world: tuple[Held, World], personas: tuple[str, ...]
) -> None:
    loop, one = held_world

    async def task() -> tuple[list[Sent], list[Sent]]:
        async with _house(one, *personas) as house:
            theirs = [one for one in _SEEN if _has_mark(await house.told(house.theirs, one))]
            both = [*_SEEN, *_NEVER_SEEN]
            ours = [one for one in both if _has_mark(await house.told(house.ours, one))]
            return ours, theirs

    ours, theirs = loop.run(task())
    assert ours == []
    assert [sent for sent in _SEEN if sent not in theirs] == []


_JOBS = [
    Sent("GET", "/api/jobs?"),
    Sent("GET", "/api/jobs?after=THEIR-JOB-0&"),
    Sent("GET", "/api/jobs/THEIR-JOB-0?"),
    Sent("GET", "/api/jobs/THEIR-JOB-0?wait=1&"),
    Sent("GET", "/api/jobs/THEIR-JOB-0/events?"),
    Sent("DELETE", "/api/jobs/THEIR-JOB-0?"),
]


@pytest.mark.parametrize(
    ("personas", "asks_as"), [((OURSELVES,), OURSELVES), ((OURSELVES,), ""), ((), OURSELVES)]
)
def test_who_asks_for_the_same_user_finds_no_job_of_another_persona(
    held_world: tuple[Held, World], personas: Sequence[str], asks_as: str
) -> None:
    loop, one = held_world
    tenant, roles = f"acme-{next(_numbers)}", (*ROLES, Role.ON_BEHALF)

    async def task() -> None:
        async with (
            _client(one, tenant, THEM, roles=roles) as their_client,
            _client(one, tenant, *personas, roles=roles) as our_client,
        ):
            ours, theirs = Tenant(our_client), Tenant(their_client)

            async def told(who: Tenant, sent: Sent, persona: str) -> Bare:
                query = f"aadObjectId=ann&personaId={persona}"
                named = replace(sent, path=sent.path + query)
                return await send(who, named, Names("another", lambda: theirs.jobs), 0)

            sent = requests.ingest(MARK, f"Blue Moon depends on {MARK}.")
            sent = replace(sent, path=f"{sent.path}?")
            assert (await told(theirs, sent, THEM)).status == 200
            for look in _JOBS:
                reply = await told(ours, look, asks_as)
                assert not _has_mark(reply)
                never = replace(look, path=look.path.replace("THEIR-JOB-0", "no-such-job"))
                assert reply == await told(ours, never, asks_as)
            assert _has_mark(await told(theirs, _JOBS[0], THEM))
            assert _has_mark(await told(theirs, _JOBS[2], THEM))

    loop.run(task())


_few = settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[*HealthCheck],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@_few
@given(sent=st.lists(requests.rest | requests.mcp, min_size=10, max_size=20))
def test_no_sequence_of_requests_brings_out_what_another_persona_knows(
    held_world: tuple[Held, World], sent: list[Sent]
) -> None:
    loop, one = held_world

    async def task() -> list[Sent]:
        async with _house(one, OURSELVES, ALSO) as house:
            return [each for each in sent if _has_mark(await house.told(house.ours, each))]

    assert loop.run(task()) == []


@_few
@given(choice=st.data())
def test_no_sequence_of_verbs_brings_out_what_another_persona_knows(
    held_world: tuple[Held, World], choice: st.DataObject, tmp_path: Path
) -> None:
    loop, one = held_world
    lay_out(tmp_path, {"mine.md": "# Mine\n\nBlue Moon depends on Hub.\n"})
    chosen = choice.draw(st.lists(verbs(tmp_path), min_size=10, max_size=20))

    async def task() -> list[str]:
        async with _house(one, OURSELVES, ALSO) as house:
            scope = Scope(house.tenant, frozenset({OURSELVES, ALSO}), "we")
            return [
                str(each)
                for each in chosen
                if MARK in str(await each.outcome(one.server.house.sextant, scope)).lower()
            ]

    assert loop.run(task()) == []
