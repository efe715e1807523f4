"""Conversations: list them, read what is remembered of one, and have it forgotten."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.core import Sextant
from sextant.errors import NotFound
from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import For, Limit, visit_of
from sextant.serve.rest.request.parameters import in_path, in_query
from sextant.serve.rest.request.replies import linked, next_link, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import Wire
from sextant.serve.wire.knowledge import moment_of
from sextant.types import Role as Speaker
from sextant.types import Scope, ThreadSummary

ConversationId = Annotated[
    str,
    in_path(),
    Field(min_length=1, max_length=DEFAULT.id, description="The conversationId of its questions."),
]


Cursor = Annotated[
    str,
    in_query(),
    Field(max_length=DEFAULT.id, description="Where the page before ended; see `next`."),
]


class TurnShape(Wire):
    """What somebody said."""

    role: Speaker
    text: str


class ConversationShape(Wire):
    """What is remembered of a conversation: its last turns, in order."""

    conversation_id: str
    turns: list[TurnShape]


class ConversationRow(Wire):
    """A conversation as the list shows it."""

    conversation_id: str
    turns: int
    changed: datetime


class ConversationsPage(Wire):
    """A page of the user's conversations, and where the next one is."""

    conversations: list[ConversationRow]
    next: str | None


def routes(house: House) -> Operations:
    """Return what can be done with conversations."""
    operations = Operations("ask")
    _list(operations, house)
    _get(operations, house)
    _forget(operations, house)
    return operations


def _list(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/conversations",
        operation_id="listConversations",
        summary="List conversations, the last one spoken in first",
        responses={**kept(ConversationsPage, "A page of conversations."), **problems()},
    )
    async def list_conversations(
        request: Request, wanted: For, after: Cursor = "", limit: Limit = 100
    ) -> Response:
        """List what the user talks about as this persona, from the first one after a cursor."""
        scope = house.enter(visit_of(request), wanted, Role.SEARCH, "list conversations", after)
        found = await house.sextant.conversations(scope, after, limit + 1)
        there = linked(request, after=found[limit - 1].cursor) if len(found) > limit else None
        rows = [_row(one) for one in found[:limit]]
        return tagged(request, {"conversations": rows, "next": there}, next_link(there))


def _row(one: ThreadSummary) -> dict[str, Any]:
    changed = moment_of(one.changed)
    return {"conversationId": one.title, "turns": one.count, "changed": changed}


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/conversations/{conversation_id:path}",
        operation_id="getConversation",
        summary="Read a conversation",
        responses={**kept(ConversationShape, "What is remembered of it."), **problems(404)},
    )
    async def get_conversation(
        request: Request, wanted: For, conversation_id: ConversationId
    ) -> Response:
        """Read what the user asked in a conversation as this persona, and what was answered."""
        visit = visit_of(request)
        scope = house.enter(visit, wanted, Role.SEARCH, "read conversation", conversation_id)
        return tagged(request, await _read(house.sextant, scope, conversation_id))


def _forget(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        "/api/conversations/{conversation_id:path}",
        operation_id="deleteConversation",
        summary="Forget a conversation",
        responses={204: {"description": "It is forgotten."}, **problems(404, 409)},
    )
    async def delete_conversation(
        request: Request, wanted: For, conversation_id: ConversationId
    ) -> Response:
        """Forget what the user asked in a conversation as this persona, and what was answered."""
        visit = visit_of(request)
        scope = house.enter(visit, wanted, Role.SEARCH, "forget conversation", conversation_id)
        await _read(house.sextant, scope, conversation_id)
        await house.sextant.forget_conversation(scope, conversation_id)
        return Response(status_code=204)


async def _read(sextant: Sextant, scope: Scope, name: str) -> dict[str, Any]:
    """Return what is remembered of a conversation as plain values."""
    turns = await sextant.conversation(scope, name)
    if not turns:
        raise NotFound(
            "There is no such conversation.",
            "It is known to the user and the persona that had it, as long as it is remembered.",
        )
    said = [{"role": turn.role, "text": turn.text} for turn in turns]
    return {"conversationId": name, "turns": said}
