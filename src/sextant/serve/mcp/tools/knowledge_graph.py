"""Tools for a pipeline that runs alone: one for each thing that a question asks of a store.

They take and give the nouns themselves, to the last bit, and only a server that is nothing but the
knowledge store lists them. What people said and did is for callers that may speak for others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import Field

from sextant.errors import InvalidFilter, InvalidInput
from sextant.ports import Knowledge
from sextant.retrieval.events import Emit
from sextant.serve.caller import Role, Wanted
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.common.pascal import Asked, Id, PascalReply
from sextant.text.codec.decode import shaped
from sextant.text.codec.encode import plain_of
from sextant.text.codec.remote import (
    Ids,
    Names,
    Round,
    Since,
    Steps,
    Versions,
    pieces_plain,
    query_of,
    web_plain,
)
from sextant.types import Scope

T = TypeVar("T")
Given = Mapping[str, Any]


class LineRequest(Asked):
    """Whose knowledge, and what of it, under the names that the core has for it."""

    user_id: Id | None = Field(None, description="For whom it is asked.")
    arguments: dict[str, object] = Field({}, description="As the core names them.")

    @property
    def wanted(self) -> Wanted:
        """For whom it says that it asks."""
        return replace(super().wanted, user=self.user_id or "")

    @property
    def subject(self) -> str:
        """What is looked for, where that is a text."""
        text = self.arguments.get("text")
        return text if isinstance(text, str) else ""


class LineReply(PascalReply):
    """What was found, under the names that the core has for it."""

    value: object


@dataclass(frozen=True, slots=True)
class _Verb:
    """A thing to ask of a store: how it is called, who may, and how."""

    name: str
    title: str
    role: Role
    ask: Callable[[Knowledge, Scope, Given], Awaitable[object]]


def tools(store: Knowledge) -> Sequence[Tool]:
    """Return the tools."""
    return tuple(_tool(store, verb) for verb in _VERBS)


def _tool(store: Knowledge, verb: _Verb) -> Tool:
    async def run(scope: Scope, request: LineRequest, _: Emit) -> Plain:
        return {"Value": await verb.ask(store, scope, request.arguments)}

    return Tool(
        f"KnowledgeStore.{verb.name}",
        verb.title,
        f"{verb.title}. For a RAGPipeline server of the same version; others have better tools.",
        LineRequest,
        LineReply,
        verb.role,
        run,
        text=_short,
    )


def _short(_: Plain) -> str:
    """Say nothing twice: whoever calls these reads structured content."""
    return "See the structured content."


async def _search(store: Knowledge, scope: Scope, given: Given) -> object:
    return plain_of(await store.index.search(scope, _read(query_of, given)))


async def _passages(store: Knowledge, scope: Scope, given: Given) -> object:
    return plain_of(await store.truth.passages(scope, _ids(given)))


async def _pieces(store: Knowledge, scope: Scope, given: Given) -> object:
    return pieces_plain(await store.index.pieces(scope, _shaped(Versions, given).versions))


async def _facets(store: Knowledge, scope: Scope, _: Given) -> object:
    return plain_of(await store.index.facets(scope))


async def _lookup(store: Knowledge, scope: Scope, given: Given) -> object:
    asked = _shaped(Names, given)
    return plain_of(await store.graph.lookup(scope, asked.names, asked.mode, asked.limit))


async def _entities(store: Knowledge, scope: Scope, given: Given) -> object:
    return plain_of(await store.graph.entities(scope, _ids(given)))


async def _neighbours(store: Knowledge, scope: Scope, given: Given) -> object:
    asked = _shaped(Steps, given)
    return plain_of(await store.graph.neighbours(scope, asked.ids, asked.walk))


async def _web(store: Knowledge, scope: Scope, given: Given) -> object:
    asked = _shaped(Round, given)
    return web_plain(await store.graph.web(scope, asked.chunk_ids, asked.entity_ids, asked.reach))


async def _counters(store: Knowledge, scope: Scope, given: Given) -> object:
    return plain_of(await store.records.counters(scope, _ids(given)))


async def _threads(store: Knowledge, scope: Scope, given: Given) -> object:
    return plain_of(await store.records.threads(scope, _ids(given)))


async def _feedback(store: Knowledge, scope: Scope, given: Given) -> object:
    asked = _shaped(Since, given)
    return plain_of(list(await store.records.feedback(scope, asked.after, asked.limit)))


def _ids(given: Given) -> Sequence[str]:
    return _shaped(Ids, given).ids


def _shaped(kind: type[T], given: Given) -> T:
    return _read(lambda value: shaped(kind, value), given)


def _read(how: Callable[[object], T], given: Given) -> T:
    try:
        return how(given)
    except InvalidFilter:
        raise
    except InvalidInput as error:
        raise InvalidInput(
            f"The arguments are wrong: {error.message}.", "Run the same version on both sides."
        ) from None


_VERBS = (
    _Verb("Search", "Find passages by words, by vector or by both", Role.READ, _search),
    _Verb("GetPassages", "Read passages", Role.READ, _passages),
    _Verb("GetPieces", "Read what pieces of passages are about", Role.READ, _pieces),
    _Verb("GetFacets", "Count tags and source types", Role.READ, _facets),
    _Verb("LookUpNames", "Find who bears a name", Role.READ, _lookup),
    _Verb("GetEntities", "Read entities", Role.READ, _entities),
    _Verb("GetNeighbours", "Follow edges", Role.READ, _neighbours),
    _Verb("GetWeb", "See who is mentioned where", Role.READ, _web),
    _Verb("GetCounters", "Read how often documents were used", Role.ON_BEHALF, _counters),
    _Verb("GetThreads", "Read what is kept for a user", Role.ON_BEHALF, _threads),
    _Verb("GetFeedback", "Read what people said of documents", Role.ON_BEHALF, _feedback),
)
