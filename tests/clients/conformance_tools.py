"""Tools that the conformance suite calls, of the same kind as our own and behind the same calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic import ConfigDict, Field

from sextant.errors import InvalidInput
from sextant.retrieval.events import Emit, StepBegan
from sextant.serve.caller import Role, Wanted
from sextant.serve.mcp.tool import Plain, Tool
from sextant.serve.wire.common.models import Wire
from sextant.types import Scope

_TEXT = "This is a simple text response for testing."
_Run = Callable[[Scope, Any, Emit], Awaitable[Plain]]


class Nothing(Wire):
    """No arguments."""

    @property
    def wanted(self) -> Wanted:
        """Nobody in particular."""
        return Wanted()

    @property
    def subject(self) -> str:
        """Nothing in particular."""
        return ""


class InHeader(Nothing):
    """An argument that a client repeats in a header."""

    region: str = Field(json_schema_extra={"x-mcp-header": "Region"})


class Address(Wire):
    """Where somebody lives; the suite wants an anchor here."""

    model_config = ConfigDict(title="address", json_schema_extra={"$anchor": "addressDef"})

    street: str = ""
    city: str = ""


class Contact(Nothing):
    """A schema with words that are new in JSON Schema 2020-12."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
        },
    )

    name: str = ""
    address: Address | None = None
    contact_method: str = ""
    phone: str = ""
    email: str = ""


class Said(Wire):
    """A sentence."""

    said: str


def tools() -> Sequence[Tool]:
    """Return them all."""
    return (
        _tool("test_simple_text", Nothing, _say),
        _tool("test_error_handling", Nothing, _refuse),
        _tool("test_tool_with_progress", Nothing, _step),
        _tool("test_logging_tool", Nothing, _step),
        _tool("test_x_mcp_header", InHeader, _say),
        _tool("json_schema_2020_12_tool", Contact, _say),
    )


def _tool(name: str, takes: type[Nothing], run: _Run) -> Tool:
    return Tool(
        name, name, "Does what the suite expects.", takes, Said, Role.SEARCH, run, text=_said
    )


async def _say(_: Scope, __: Nothing, ___: Emit) -> Plain:
    return {"said": _TEXT}


async def _refuse(_: Scope, __: Nothing, ___: Emit) -> Plain:
    raise InvalidInput("This tool intentionally returns an error for testing.", "Send it again.")


async def _step(_: Scope, __: Nothing, emit: Emit) -> Plain:
    for at, name in enumerate(("resolve", "retrieve", "answer")):
        emit(StepBegan(at, name))
    return {"said": _TEXT}


def _said(reply: Plain) -> str:
    return str(reply["said"])
