"""The OpenAPI document: every operation with its parameters, its body and all its replies."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.json_schema import JsonSchemaMode, models_json_schema

from sextant.serve.rest.openapi.operations import with_operations
from sextant.serve.rest.openapi.schemas import with_spellings, with_tags
from sextant.serve.rest.request.bodies import JSON
from sextant.serve.rest.request.routing import Operation
from sextant.serve.wire.common.models import Problem
from sextant.serve.wire.filters import KnowledgeSearchFilters
from sextant.serve.wire.pipeline import RankingPreferences
from sextant.serve.wire.search import SearchRequest
from sextant.version import __version__

TITLE = "Sextant"
DESCRIPTION = (
    "Answers that cite what they rest on, from knowledge as documents and as a graph. "
    "Every error is a problem document with a hint. For whom a request asks it may say in its "
    "address, at the top of its body, or in `context` and `user`; two that disagree are refused, "
    "and so is every field that is not listed here, but for more in `context` and `user`."
)
_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "The token that `sextant serve` prints, an API key, or a token of the issuer.",
}
_READ: JsonSchemaMode = "validation"
_TOLD: JsonSchemaMode = "serialization"
_Model = tuple[Any, JsonSchemaMode]
_References = Mapping[_Model, dict[str, Any]]


def openapi_of(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the OpenAPI document of operations, with their problems and how to be let in."""
    models: list[_Model] = [(Problem, _READ), *_models(operations)]
    models = list(dict.fromkeys(models))
    references, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        known = paths.setdefault(one.path.replace(":path}", "}"), {})
        known[one.method.lower()] = _operation(one, references)
    document = {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": __version__, "description": DESCRIPTION},
        "paths": paths,
        "components": {"schemas": schemas["$defs"], "securitySchemes": {"bearer": _BEARER}},
        "security": [{"bearer": []}],
    }
    with_tags(document)
    with_operations(document)
    with_spellings(document, SearchRequest, KnowledgeSearchFilters, RankingPreferences)
    return document


def _models(operations: Sequence[Operation]) -> Iterator[_Model]:
    for operation in operations:
        if operation.signature.body:
            yield operation.signature.body, _READ
        for reply in operation.responses.values():
            if "model" in reply:
                yield reply["model"], _TOLD


def _operation(operation: Operation, references: _References) -> dict[str, Any]:
    described = [one.described() for one in operation.signature.parameters]
    body = operation.request_body
    if operation.signature.body:
        schema = references[operation.signature.body, _READ]
        body = {"required": True, "content": {JSON: {"schema": schema}}}
    return {
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": inspect.getdoc(operation.endpoint),
        "operationId": operation.id,
        "parameters": [*described, *operation.headers],
        **({"requestBody": body} if body else {}),
        "responses": {
            str(status): _reply(dict(reply), references)
            for status, reply in operation.responses.items()
        },
    }


def _reply(reply: dict[str, Any], references: _References) -> dict[str, Any]:
    """Return a reply as OpenAPI tells it: of a model, the schema of what is sent."""
    model = reply.pop("model", None)
    if model:
        content = {JSON: {"schema": references[model, _TOLD]}, **reply.get("content", {})}
        return {**reply, "content": content}
    return reply
