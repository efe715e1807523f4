"""POST /api/ask: a question to a cited answer, whole or as it comes about."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import events, problems, shape
from sextant.serve.rest.request.bodies import JSON, STREAM, accepted
from sextant.serve.rest.request.common_parameters import For, visit_of, wanted_in
from sextant.serve.rest.request.replies import json_reply
from sextant.serve.rest.request.routing import Operations
from sextant.serve.rest.request.stream import Stream
from sextant.serve.wire.answer import AskRequest, question_of, reply_of
from sextant.serve.wire.toolbox.suggesting import ReplyWithTools, suggested_for

_ID = {"id": {"type": "integer", "description": "The same when the step begins and ends."}}
_BEGUN = {
    "type": "object",
    "properties": {**_ID, "name": {"type": "string"}},
    "required": ["id", "name"],
}
_STREAMED = events(
    "`begin` and `step` as a step begins and ends, `text` and `citation` as they come, then `done` "
    "with the whole reply, or `error`.",
    begin=_BEGUN,
    step={"allOf": [shape("StepShape"), {"type": "object", "properties": _ID, "required": ["id"]}]},
    text={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    citation=shape("CitationShape"),
    done=shape("ReplyWithTools"),
    error=shape("Problem"),
)


def routes(house: House) -> Operations:
    """Return what can be asked."""
    operations = Operations("ask")

    @operations.on(
        "POST",
        "/api/ask",
        operation_id="ask",
        summary="Answer a question from the knowledge, with the passages that say it",
        responses={
            200: {
                "model": ReplyWithTools,
                "description": "The answer, or what is missing.",
                "content": _STREAMED,
            },
            **problems(404),
        },
        media=(JSON, STREAM),
    )
    async def ask(request: Request, wanted: For, body: AskRequest) -> Response:
        """Link names, follow the graph, find and rank passages, and answer with what they say.

        With `Accept: text/event-stream` the steps, the text in pieces and the citations are sent
        as they come about. The trace is compact unless `trace` is `full`; either reply can be sent
        back as feedback. With `tools` it ends with the tools that carry out what the evidence says.
        """
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.SEARCH, "ask", body.query)
        question = question_of(body)
        if accepted(request, JSON, STREAM) == STREAM:
            stream = Stream(request, house.sextant, scope, question, body.trace, body.tools)
            return stream.response()
        answer = await house.sextant.ask(scope, question)
        told = await suggested_for(house.sextant, scope, answer) if body.tools else {}
        return json_reply({**reply_of(answer, question.conversation, body.trace), **told})

    return operations
