"""One chain of LangServe at an address of its own, as an action of the name that settings give.

CopilotKit's own runtime does so too: what the chain takes is asked of it, it is called as a whole,
and what it returns is the result. A chain that takes no object is given the argument `input`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from sextant.errors import PeerError
from sextant.links.remote_endpoints.base import ConnectedEndpoint
from sextant.links.remote_endpoints.connection import NOT_OURS
from sextant.types import Json, JsonObject, Offer, RemoteCall, ToolSpec

_INPUT = "input"
_OBJECT = "object"


class LangServeEndpoint(ConnectedEndpoint):
    """A chain that others run."""

    _is_wrapped: bool | None = None
    """Whether the chain takes another value than an object, as it was last asked."""

    async def offer(self, call: RemoteCall) -> Offer:
        """Return the chain as an action, with what it takes now."""
        schema = await self._schema(call)
        self._is_wrapped = not _takes_object(schema)
        parameters = _wrapped(schema) if self._is_wrapped else schema
        own = self._remote.description or schema.get("description") or schema.get("title")
        return Offer(actions=(ToolSpec(self.name, str(own or ""), parameters),))

    async def execute(self, call: RemoteCall, action: str, arguments: JsonObject) -> Json:
        """Return what the chain returns; one that fails is a PeerError."""
        if action != self.name:
            return await super().execute(call, action, arguments)
        if self._is_wrapped is None:
            await self.offer(call)
        given = arguments.get(_INPUT) if self._is_wrapped else arguments
        body = {"input": given, "config": {}, "kwargs": {}}
        seconds = self._settings.chat.action_seconds
        answer = await self._connection.ask("invoke", call, body, seconds)
        if "output" not in answer:
            raise PeerError(f"{self.name} answered without an output.", NOT_OURS)
        return cast(Json, answer["output"])

    async def _schema(self, call: RemoteCall) -> Mapping[str, Any]:
        seconds = self._settings.chat.offer_seconds
        return await self._connection.ask("input_schema", call, None, seconds)


def _takes_object(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == _OBJECT and isinstance(schema.get("properties"), dict)


def _wrapped(schema: Mapping[str, Any]) -> JsonObject:
    """Return the schema of an object that has one value; definitions stay where they are found."""
    own = {name: value for name, value in schema.items() if name != "$defs"}
    described = {"description": "The input of the chain.", **own}
    made: dict[str, Json] = {
        "type": _OBJECT,
        "properties": {_INPUT: described},
        "required": [_INPUT],
    }
    return {**made, "$defs": schema["$defs"]} if "$defs" in schema else made
