"""What OpenAPI says beside shapes: statuses with their problems, tags, spellings, events."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from sextant.serve.http.problem import MEDIA_TYPE
from sextant.serve.rest.openapi.fields import other_name
from sextant.serve.rest.request.bodies import JSON, STREAM
from sextant.serve.wire.common.strict import spellings

_MEANINGS = {
    400: "The body is no JSON, or a field comes twice.",
    401: "No token, or one that does not hold.",
    403: "The token does not allow this: not the role, the tenant, the persona or the user.",
    404: "There is no such thing, as far as the caller can see.",
    406: "The reply cannot be told in a media type that is accepted.",
    408: "The request did not come in time.",
    409: "Somebody else changed it first, or it is not as it was given.",
    412: "It is not as the request says it should be.",
    413: "Something is over a limit.",
    415: "The body is of a kind that is not taken.",
    416: "There is no such part of it.",
    421: "The request calls this server by a name that is not its own.",
    422: "A field has the wrong shape or a value that cannot be.",
    429: "This caller asks too often; wait as long as Retry-After says.",
    431: "The address and the headers are too long.",
    503: "Too much at once, or something is out of order; see Retry-After.",
}
_WAIT = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_TAG = {"ETag": {"description": "Names these bytes.", "schema": {"type": "string"}}}
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "An ETag that is known: if it still holds, the reply is 304.",
}
ALWAYS = (400, 401, 403, 406, 408, 413, 415, 421, 422, 429, 431, 503)


def shape(name: str) -> dict[str, Any]:
    """Return the schema of a shape that some reply has as a whole."""
    return {"$ref": f"#/components/schemas/{name}"}


def problems(*more: int) -> dict[int, dict[str, Any]]:
    """Return the errors that every operation can have, and these."""
    return {status: _problem(status) for status in sorted({*ALWAYS, *more})}


def _problem(status: int) -> dict[str, Any]:
    told: dict[str, Any] = {
        "description": _MEANINGS[status],
        "content": {MEDIA_TYPE: {"schema": shape("Problem")}},
    }
    return {**told, "headers": _WAIT} if status in (429, 503) else told


NOT_MODIFIED: dict[int, dict[str, Any]] = {
    304: {"description": "It is still as If-None-Match says.", "headers": _TAG}
}


def kept(model: type[BaseModel], description: str) -> dict[int, dict[str, Any]]:
    """Return a reply that can be kept under its tag."""
    return {
        200: {"model": model, "description": description, "headers": _TAG},
        **NOT_MODIFIED,
    }


def events(description: str, **schemas: dict[str, Any]) -> dict[str, Any]:
    """Return what a stream sends: events of these names, whose data is JSON of these schemas."""
    kinds = [_event(name, schema) for name, schema in schemas.items()]
    return {STREAM: {"itemSchema": {"description": description, "oneOf": kinds}}}


def _event(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": schema}
    return {
        "type": "object",
        "properties": {"event": {"const": name}, "data": data},
        "required": ["event", "data"],
    }


def with_spellings(document: dict[str, Any], *models: type[BaseModel]) -> None:
    """Let the schemas of models list every name that a field may have."""
    for model in models:
        schema = document["components"]["schemas"][model.__name__]
        for first, *others in spellings(model):
            known = schema["properties"][first]
            schema["properties"] |= {one: other_name(first, known) for one in others}
            if others and first in schema.get("required", ()):
                schema["required"].remove(first)
                either = [{"required": [one]} for one in (first, *others)]
                schema.setdefault("allOf", []).append({"anyOf": either})


def with_tags(document: dict[str, Any]) -> None:
    """Let every operation whose reply can be kept take If-None-Match."""
    for operations in document["paths"].values():
        for operation in operations.values():
            if "304" in operation["responses"]:
                operation.setdefault("parameters", []).append(_IF_NONE_MATCH)
