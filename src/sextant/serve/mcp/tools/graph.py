"""Tools over the whole line and the graph: a cited answer, an entity, what lies round some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Protocol

from pydantic import Field, model_validator

from sextant.ask.question import Question
from sextant.errors import NotFound
from sextant.retrieval.events import Emit, ignore
from sextant.serve.around import NamedGraph, entity_page, expanded
from sextant.serve.caller import Role, Wanted
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.answer import AskReply, AskRequest, question_of, reply_of
from sextant.serve.wire.common.models import (
    PERSONA_ID,
    PERSONA_IDS,
    Id,
    Name,
    PersonaIds,
    Request,
    Whole,
    named_personas,
)
from sextant.serve.wire.knowledge import EntityPage, Expanded, MatchShape, match_of
from sextant.serve.wire.toolbox.suggesting import HasToolbox, suggested_for
from sextant.text.markdown import inert, line_of_code, readable
from sextant.text.orders import has_order
from sextant.types import Answer, Direction, Entity, NameMatch, Scope, Turn, Walk

_OTHERS = 5
_MOST_LINKS = 500
_MOST_SEEDS = 50
_LOOK_UP = "Look it up with entity_lookup."
_FOLLOW_UP = "Pass the same conversationId for questions that follow up on each other."
_ONLY_READS = "Say all in the question: this server only reads, and remembers no conversation."


class Line(NamedGraph, HasToolbox, Protocol):
    """What these tools ask of the core."""

    async def conversation(self, scope: Scope, name: str) -> Sequence[Turn]:
        """Return what is remembered of a conversation."""

    async def ask(self, scope: Scope, question: str | Question, emit: Emit = ignore) -> Answer:
        """Answer a question."""


class ForWhom(Request):
    """For whom it is asked."""

    tenant_id: Id | None = Field(None, description="The caller's own.")
    persona_id: Id | None = PERSONA_ID
    persona_ids: PersonaIds | None = PERSONA_IDS

    @property
    def wanted(self) -> Wanted:
        """For whom it says that it asks."""
        return Wanted(self.tenant_id or "", named_personas(self.persona_id, self.persona_ids))


class GraphRagQuery(AskRequest):
    """A question; tenant and locale may stand here or in its context."""

    locale: Annotated[str, Field(max_length=35)] | None = Field(
        None, description="For fixed sentences and dates, such as en-US."
    )

    @property
    def subject(self) -> str:
        """What is asked."""
        return self.query


class EntityLookup(ForWhom):
    """An entity by its id, or by one of its names."""

    entity_id: Id | None = Field(None, examples=["component:default/service-a"])
    name: Name | None = Field(None, description="Its name, an alias, or about how it is spelt.")
    limit: Whole = Field(30, ge=1, le=_MOST_LINKS, description="How many relations at most.")

    @model_validator(mode="after")
    def _names_one(self) -> EntityLookup:
        if not (self.entity_id or self.name):
            raise ValueError("give entityId or name")
        return self

    @property
    def subject(self) -> str:
        """Whom it names."""
        return self.entity_id or self.name or ""


class EntityFound(EntityPage):
    """An entity, its strongest relations, and others that the name may mean."""

    others: list[MatchShape]


class GraphExpansion(ForWhom):
    """Where to start, and how far to go."""

    entity_ids: Annotated[list[Id], Field(min_length=1, max_length=_MOST_SEEDS)] = Field(
        description="Ids of entities, or their names."
    )
    hops: Whole = Field(1, ge=1, le=3)
    direction: Direction = Field(Direction.BOTH, strict=False)
    kinds: Annotated[list[Id], Field(max_length=_MOST_SEEDS)] = Field(
        [], description="Only these kinds of relation, such as depends_on; none is all."
    )
    limit: Whole = Field(50, ge=1, le=_MOST_LINKS, description="How many relations at most.")

    @property
    def subject(self) -> str:
        """Whom it names."""
        return ", ".join(self.entity_ids)


def tools(line: Line, *, remembers: bool = True, store: str = "") -> Sequence[Tool]:
    """Return the three tools; where nothing is to be written, no question is remembered.

    A store that is named is told to who asks a tenant that holds nothing.
    """

    async def ask(scope: Scope, request: GraphRagQuery, emit: Emit) -> Plain:
        question = question_of(request)
        if question.conversation and not remembers:
            said = tuple(await line.conversation(scope, question.conversation))
            question = replace(question, conversation="", history=said)
        if request.locale:
            question = replace(question, locale=request.locale)
        answer = await line.ask(scope, question, emit)
        told = await suggested_for(line, scope, answer) if request.tools else {}
        return {**reply_of(answer, question.conversation, request.trace), **told}

    async def look_up(scope: Scope, request: EntityLookup, _: Emit) -> Plain:
        return await _looked_up(line, scope, request)

    async def expand(scope: Scope, request: GraphExpansion, _: Emit) -> Plain:
        walk = Walk(frozenset(request.kinds), request.direction, request.hops, limit=request.limit)
        return await expanded(line, scope, request.entity_ids, walk, _LOOK_UP)

    return (
        Tool(
            "graphrag_query",
            "Ask the knowledge base",
            "Answers a question from the documents and the knowledge graph, each part cited, or "
            "shows what comes nearest and says what is missing. Use it first for any question "
            "about the organisation's own "
            f"systems, people, processes or documents. {_FOLLOW_UP if remembers else _ONLY_READS}",
            GraphRagQuery,
            AskReply,
            Role.SEARCH,
            ask,
            remembers=remembers,
            text=partial(_markdown, store=store),
        ),
        Tool(
            "entity_lookup",
            "Look up an entity",
            "Tells what is known of one thing, such as a service, a team or a person: its names, "
            "type, metadata and strongest relations, each with the sentence that says it. Use it "
            "when you have a name or an id and want facts rather than an answer.",
            EntityLookup,
            EntityFound,
            Role.SEARCH,
            look_up,
        ),
        Tool(
            "graph_expansion",
            "Follow relations",
            "Follows relations from entities over one to three hops: what depends on it, who owns "
            "it, what it breaks. Use it for impact and ownership, or to see what lies around.",
            GraphExpansion,
            Expanded,
            Role.SEARCH,
            expand,
        ),
    )


async def _looked_up(line: Line, scope: Scope, request: EntityLookup) -> Plain:
    """Return an entity with its relations; who has no id is found by name."""
    entity, others = await _meant(line, scope, request)
    if entity is None:
        raise NotFound("There is no such entity.", "Try another spelling, or a part of the name.")
    page = await entity_page(line, scope, entity, request.limit)
    return {**page, "others": [match_of(one) for one in others]}


async def _meant(
    line: Line, scope: Scope, request: EntityLookup
) -> tuple[Entity | None, Sequence[NameMatch]]:
    if request.entity_id:
        return (await line.entities(scope, [request.entity_id])).get(request.entity_id), ()
    matches = await line.find(scope, request.name or "", 1 + _OTHERS)
    return (matches[0].entity if matches else None), matches[1:]


def _markdown(reply: Plain, store: str = "") -> str:
    """Return the answer with its sources listed below it, or where there was nothing to answer."""
    if store and reply["state"] == "empty":
        return f"{reply['answer'].rstrip()}\n\nThe store is {line_of_code(store)}."
    sources = [f"[{one['label']}] {_source(one)}" for one in reply["citations"]]
    listed = ["", "Sources:", *sources] if sources else []
    tools = [f"{line_of_code(one['tool'])} for [{one['label']}]" for one in reply.get("tools", ())]
    named = ["", "Tools:", *tools] if tools else []
    return "\n".join([reply["answer"].rstrip(), *listed, *named])


def _source(citation: Plain) -> str:
    """Return a source on one line of Markdown that does nothing, without what reads as an order."""
    title, chunk_id, url = (citation[name] for name in ("title", "chunkId", "url"))
    named = inert(readable(title or citation["documentId"]))
    told = [(title, named), (chunk_id, f"({line_of_code(chunk_id)})"), (url, line_of_code(url))]
    return " ".join(shown for own, shown in told if shown and not has_order(own))
