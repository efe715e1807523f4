"""Conversations: read what is remembered of one, and have it forgotten."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.core import Sextant
from sextant.errors import NotFound
from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.described.describing import kept, problems
from sextant.serve.rest.frame.parameters import in_path
from sextant.serve.rest.frame.routing import Operations
from sextant.serve.rest.frame.telling import tagged
from sextant.serve.rest.frame.wanting import For, visit_of
from sextant.serve.wire.models import Wire
from sextant.types import Role as Speaker
from sextant.types import Scope

ConversationId = Annotated[
    str,
    in_path(),
    Field(min_length=1, max_length=DEFAULT.id, description="The conversationId of its questions."),
]


class TurnShape(Wire):
    """What somebody said."""

    role: Speaker
    text: str


class ConversationShape(Wire):
    """What is remembered of a conversation: its last turns, in order."""

    conversation_id: str
    turns: list[TurnShape]


def routes(house: House) -> Operations:
    """Return what can be done with conversations."""
    operations = Operations("ask")
    _get(operations, house)
    _forget(operations, house)
    return operations


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
