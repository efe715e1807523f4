"""A span for each message of MCP, inside the caller's own if ``_meta`` names one. Knows no tool.

It stands in for the SDK's, whose spans hold the text of whatever went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError

from sextant.spans import Kind, Span, Tracer, Value, is_traced, span, traced

_PLAIN = re.compile(r"[A-Za-z0-9._/-]{1,64}")
_HEADERS = ("traceparent", "tracestate")


class Tracing(ServerMiddleware[Any]):
    """Tells a tracer of every message, and of what is done for it."""

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Pass a message on, and tell how it went."""
        if self._tracer is None and not is_traced():
            return await call_next(ctx)
        method, target = (
            _printable_name(ctx.method),
            _printable_name((ctx.params or {}).get("name")),
        )
        facts = _facts(ctx, method, target)
        name = f"{method} {target}".strip()
        with (
            traced(self._tracer),
            span(name, facts, Kind.SERVER, parent_of(ctx.meta)) as told,
        ):
            return await _answered(told, ctx, call_next)


def parent_of(meta: Mapping[str, Any] | None) -> dict[str, str]:
    """Return which span the caller names."""
    given = {name: (meta or {}).get(name) for name in _HEADERS}
    return {name: value for name, value in given.items() if isinstance(value, str)}


async def _answered(
    told: Span, ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    try:
        result = await call_next(ctx)
    except MCPError as error:
        told.fail(str(error.error.code))
        raise
    if isinstance(result, Mapping) and result.get("isError") is True:
        told.fail("tool_error")
    return result


def _facts(ctx: ServerRequestContext[Any, Any], method: str, target: str) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "mcp.method.name": method,
        "mcp.protocol.version": ctx.protocol_version,
    }
    if target and method == "tools/call":
        facts |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": target}
    elif target and method == "prompts/get":
        facts["gen_ai.prompt.name"] = target
    return facts


def _printable_name(name: object) -> str:
    """Return a name that anybody may read; a client may send any other."""
    return name if isinstance(name, str) and _PLAIN.fullmatch(name) else ""
