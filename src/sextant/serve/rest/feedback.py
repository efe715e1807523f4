"""POST /api/feedback: what an answer, one of its sources or a document was worth to somebody."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, model_validator
from starlette.requests import Request
from starlette.responses import Response

from sextant.ask.record.opinion import said_of
from sextant.errors import Conflict, InvalidInput
from sextant.limits import DEFAULT
from sextant.retrieval.feedback.opinions import DOCUMENT, OpinionOn
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.jobs import whose
from sextant.serve.records.idempotency import digest_of
from sextant.serve.rest.intake.submitting import KEY
from sextant.serve.rest.openapi.schemas import problems
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.replies import json_reply
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.answer import AskReply
from sextant.serve.wire.common.models import Id, Name, Wire
from sextant.serve.wire.common.whom import Whom
from sextant.serve.wire.returned import saved_in

_EITHER: list[JsonValue] = [
    {
        "required": ["answer"],
        "properties": {"answer": {"type": "object"}, "documentId": {"type": "null"}},
    },
    {
        "required": ["documentId"],
        "properties": {
            "documentId": {"type": "string"},
            "answer": {"type": "null"},
            "source": {"type": "null"},
        },
    },
]


class FeedbackRequest(Whom):
    """What was it worth, and what is it: an answer or a document."""

    model_config = ConfigDict(json_schema_extra={"oneOf": _EITHER})

    verdict: Literal["helpful", "unhelpful", "withdrawn"]
    answer: AskReply | None = Field(
        None, description="A whole reply of POST /api/ask, exactly as it came."
    )
    source: Name | None = Field(None, description="Only of the answer's citation of this label.")
    document_id: Id | None = Field(None, description="Of this document, without an answer.")
    comment: Annotated[str, Field(max_length=DEFAULT.name)] = Field(
        "", description="Why; it is kept, and not read."
    )

    @property
    def subject(self) -> str:
        """What is spoken of, by its name."""
        return self.answer.answer_id if self.answer else self.document_id or ""

    @model_validator(mode="after")
    def _is_clear(self) -> FeedbackRequest:
        if (self.answer is None) == (self.document_id is None):
            raise ValueError("give either answer or documentId")
        if self.source and self.answer is None:
            raise ValueError("a source is one of an answer's")
        return self

    def opinion(self) -> OpinionOn:
        """Return the word as the core takes it; an answer that was changed is refused."""
        now = datetime.now(UTC)
        if self.answer is None:
            return OpinionOn(f"{DOCUMENT}{self.document_id}", self.verdict, self.comment, now)
        try:
            saved = saved_in(self.answer)
        except InvalidInput:
            raise Conflict(
                "The answer is not as it was given.", "Send back a whole reply of POST /api/ask."
            ) from None
        return said_of(saved, self.verdict, self.source or "", self.comment, now)


class Noted(Wire):
    """What was noted, and the number from which on it counts."""

    subject: str
    verdict: str
    number: int


def routes(house: House) -> Operations:
    """Return what can be said."""
    operations = Operations("ask")

    @operations.on(
        "POST",
        "/api/feedback",
        operation_id="giveFeedback",
        summary="Say what an answer or a document was worth",
        headers=[KEY],
        responses={200: {"model": Noted, "description": "It is noted."}, **problems(404, 409)},
    )
    async def give_feedback(request: Request, wanted: For, body: FeedbackRequest) -> Response:
        """Move the sources' reputation a little; the latest word of a user counts."""
        verb = f"feedback {body.verdict}"
        visit = visit_of(request)
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit, whom, Role.SEARCH, verb, body.subject)

        async def note() -> Response:
            said = await asyncio.to_thread(body.opinion)
            number = await house.sextant.feedback(scope, said)
            return json_reply({"subject": said.subject, "verdict": said.verdict, "number": number})

        digest = digest_of(await request.body())
        return await house.replies.once(request, whose(scope, visit.caller), digest, note)

    return operations
