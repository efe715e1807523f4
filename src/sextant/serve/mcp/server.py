"""The MCP server: tools, resources and prompts behind the low-level server of the official SDK."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ToolAnnotations,
)
from mcp_types import Tool as Listed
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from sextant.errors import NotFound, SextantError
from sextant.serve.around import Graph
from sextant.serve.caller import Role, Wanted
from sextant.serve.errors import hidden, shown
from sextant.serve.house import Visit
from sextant.serve.mcp import prompts, resources
from sextant.serve.mcp.calling import Enter, called
from sextant.serve.mcp.progress import telling
from sextant.serve.mcp.resources import Documents
from sextant.serve.mcp.schemas import input_schema, output_schema
from sextant.serve.mcp.tool import Plain, Tool, portable
from sextant.serve.mcp.tracing import Tracing
from sextant.spans import Tracer
from sextant.version import __version__

PORTABLE = "portable"
_LOG = logging.getLogger(__name__)
_INSTRUCTIONS = (
    "Sextant grounds answers in the organisation's own documents and knowledge graph. Ask "
    "graphrag_query for a cited answer; use RAGPipeline.SearchAndRank for ranked passages, "
    "entity_lookup and graph_expansion for facts and relations. Quote its citations, and say so "
    "when it says that something is not known."
)

Ctx = ServerRequestContext[Any, Any]
VisitOf = Callable[[Ctx], Visit]
"""Returns whose a request is."""


@dataclass(frozen=True, slots=True)
class Library:
    """What resources are read from."""

    documents: Documents
    graph: Graph


def mcp_server(
    tools: Sequence[Tool],
    enter: Enter,
    visit_of: VisitOf,
    *,
    library: Library | None = None,
    portable_names: bool = False,
    tracer: Tracer | None = None,
) -> Server[Any]:
    """Return a server of these tools; both spellings of their names can be called."""
    server = Server(
        "sextant",
        version=__version__,
        title="Sextant",
        instructions=_instructions(portable_names) if library else None,
        **_tools(tools, enter, visit_of, is_portable=portable_names),
        **(_resources(library, enter, visit_of) | _prompts() if library else {}),
    )
    server.middleware[:] = [Tracing(tracer), as_rpc_errors, _spelt]
    return server


def _instructions(is_portable: bool) -> str:
    return portable(_INSTRUCTIONS) if is_portable else _INSTRUCTIONS


def _tools(
    tools: Sequence[Tool], enter: Enter, visit_of: VisitOf, *, is_portable: bool
) -> dict[str, Any]:
    known = {name: tool for tool in tools for name in (tool.name, portable(tool.name))}
    dotted = [(tool.role, listed_tool(tool)) for tool in tools]
    undotted = [(role, _undotted(one)) for role, one in dotted]

    async def list_tools(ctx: Ctx, _: PaginatedRequestParams | None) -> ListToolsResult:
        roles = visit_of(ctx).caller.roles
        every = undotted if is_portable or _wants_portable(ctx) else dotted
        return ListToolsResult(tools=[one for role, one in every if role in roles])

    async def call_tool(ctx: Ctx, params: CallToolRequestParams) -> Plain:
        tool = known.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name[:80]!r}.")
        async with telling(ctx) as emit:
            return await called(tool, params.arguments or {}, visit_of(ctx), enter, emit)

    return {
        "on_list_tools": list_tools,
        "on_call_tool": call_tool,
        "get_tool_input_schema": without_headers,
    }


def _wants_portable(ctx: Ctx) -> bool:
    """Whether a client over HTTP says in its address that it takes no dots in names."""
    return ctx.request is not None and ctx.request.query_params.get("names") == PORTABLE


def without_headers(_: str) -> None:
    """No argument of ours is repeated in a header, so that none has to be compared."""


def _resources(library: Library, enter: Enter, visit_of: VisitOf) -> dict[str, Any]:
    async def list_them(ctx: Ctx, params: PaginatedRequestParams | None) -> ListResourcesResult:
        if not _reads(visit_of(ctx)):
            return ListResourcesResult(resources=[])
        scope = enter(visit_of(ctx), Wanted(), Role.READ, "resources/list", "")
        return await resources.page(library.documents, scope, params.cursor if params else None)

    async def list_templates(ctx: Ctx, _: object) -> ListResourceTemplatesResult:
        if not _reads(visit_of(ctx)):
            return ListResourceTemplatesResult(resource_templates=[])
        return resources.templates()

    async def read(ctx: Ctx, params: ReadResourceRequestParams) -> ReadResourceResult:
        scope = enter(visit_of(ctx), Wanted(), Role.READ, "resources/read", params.uri)
        try:
            return await resources.read(library.documents, library.graph, scope, params.uri)
        except NotFound as missing:
            raise _missing(ctx, params.uri, missing) from None

    return {
        "on_list_resources": list_them,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read,
    }


def _reads(visit: Visit) -> bool:
    """Whether there is a resource for somebody: like tools, only those are listed that may be."""
    return Role.READ in visit.caller.roles


def _prompts() -> dict[str, Any]:
    async def list_them(_: Ctx, __: object) -> ListPromptsResult:
        return prompts.listed()

    async def get(_: Ctx, params: GetPromptRequestParams) -> GetPromptResult:
        return prompts.written(params.name, params.arguments)

    return {"on_list_prompts": list_them, "on_get_prompt": get}


def _missing(ctx: Ctx, uri: str, error: NotFound) -> MCPError:
    """Say that a resource is not there, with the code that this version of the protocol has."""
    told = shown(error)
    code = INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else told.rpc
    data = {"uri": uri, "code": told.code, "hint": told.hint}
    return MCPError(code, f"{told.sentence} {told.hint}".strip(), data)


async def as_rpc_errors(ctx: Ctx, call_next: CallNext) -> HandlerResult:
    """Let errors become those of JSON-RPC, with nothing in them that is not for the caller."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except SextantError as error:
        told = shown(error)
        data = {"code": told.code, "hint": told.hint}
        raise MCPError(told.rpc, f"{told.sentence} {told.hint}".strip(), data) from None
    except Exception:
        _LOG.exception("%s failed", ctx.method)
        raise MCPError(INTERNAL_ERROR, hidden().sentence) from None


async def _spelt(ctx: Ctx, call_next: CallNext) -> HandlerResult:
    """Let instructions name tools as they are listed to a client that wants no dots."""
    result = await call_next(ctx)
    if _wants_portable(ctx) and isinstance(result, dict) and result.get("instructions"):
        return {**result, "instructions": portable(result["instructions"])}
    return result


def listed_tool(tool: Tool) -> Listed:
    """Return a tool as the protocol lists it."""
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.takes, tool.defaults),
        output_schema=output_schema(tool.gives) if tool.gives else None,
        annotations=ToolAnnotations(
            read_only_hint=not (tool.writes or tool.remembers),
            destructive_hint=tool.destroys,
            idempotent_hint=not tool.remembers,
            open_world_hint=False,
        ),
    )


def _undotted(tool: Listed) -> Listed:
    """Return a tool under its portable name, in whose words other tools have theirs, too."""
    told = {"name": portable(tool.name), "description": portable(tool.description or "")}
    return tool.model_copy(update=told)
