"""Which tools there are: list them, read one, count them, import a catalogue."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from sextant.limits import DEFAULT
from sextant.serve.caller import Role
from sextant.serve.house import House
from sextant.serve.rest.openapi.schemas import kept, problems
from sextant.serve.rest.request.common_parameters import (
    After,
    All,
    For,
    Limit,
    to_read,
    visit_of,
    wanted_in,
)
from sextant.serve.rest.request.parameters import in_path
from sextant.serve.rest.request.replies import json_reply, next_link, paged, tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.common.models import PersonaIds
from sextant.serve.wire.common.whom import Whom
from sextant.serve.wire.ingest import SOURCE_NAME
from sextant.serve.wire.toolbox.importing import ImportReply, import_of
from sextant.serve.wire.toolbox.nouns import (
    ToolPage,
    ToolsPage,
    ToolStatsShape,
    tool_of,
    tool_page_of,
    tool_stats_of,
)
from sextant.text.codec.json_bytes import written
from sextant.toolbox.catalogue.sources import DataSource

ToolId = Annotated[
    str,
    in_path(),
    Field(
        min_length=1,
        max_length=DEFAULT.id,
        description="Percent-encoded where it holds more than letters, digits, `/`, `.`, `-`, `_`.",
        examples=["github.createPullRequest"],
    ),
]


class ImportRequest(Whom):
    """A catalogue under the name of its source, in place of what that brought before."""

    name: Annotated[str, Field(min_length=1, max_length=200, pattern=SOURCE_NAME)] = Field(
        description="The source; its tools that are not listed any more are removed.",
        examples=["payments"],
    )
    catalogue: dict[str, Any] | Annotated[list[Any], Field(max_length=DEFAULT.tools)] = Field(
        description="{tools, categories, relations}, {nodes, edges}, a list of tools as MCP or "
        "OpenAI have them, or an OpenAPI document.",
        examples=[{"tools": [{"id": "payments.refund", "description": "Refund a payment."}]}],
    )
    personas: PersonaIds | None = Field(
        None, description="Only these may see its tools; none given is everybody."
    )
    dry_run: bool = Field(False, description="Change nothing, and say what would change.")


def routes(house: House) -> Operations:
    """Return what can be done with the catalogue."""
    operations = Operations("tools")
    _list(operations, house)
    _get(operations, house)
    _count(operations, house)
    _import(operations, house)
    return operations


def _list(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/tools",
        operation_id="listTools",
        summary="List tools by id",
        responses={**kept(ToolsPage, "A page of tools."), **problems()},
    )
    async def list_tools(
        request: Request, wanted: For, after: After = "", limit: Limit = 100, is_all: All = False
    ) -> Response:
        """List the tools that the caller sees, from the first one after an id."""
        role = to_read(is_all)
        scope = house.enter(visit_of(request), wanted, role, "list tools", after)
        found = await house.sextant.toolbox.list_tools(scope, after, limit + 1)
        page, there = paged(request, found, limit)
        value = {"tools": [tool_of(one) for one in page], "next": there}
        return tagged(request, value, next_link(there))


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/tools/by-id/{tool_id:path}",
        operation_id="getTool",
        summary="Read a tool and how it is related",
        responses={**kept(ToolPage, "The tool with its schemas and relations."), **problems(404)},
    )
    async def get_tool(
        request: Request, wanted: For, tool_id: ToolId, is_all: All = False
    ) -> Response:
        """Read a tool's description and schemas, and its declared and imported relations."""
        role = to_read(is_all)
        scope = house.enter(visit_of(request), wanted, role, "read tool", tool_id)
        tool, relations = await house.sextant.toolbox.show_tool(scope, tool_id)
        return tagged(request, tool_page_of(tool, list(relations)))


def _count(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/tools/stats",
        operation_id="toolGraphStats",
        summary="Count the tools and how they are related",
        responses={
            **kept(ToolStatsShape, "Counts, and the tools that are used most."),
            **problems(),
        },
    )
    async def tool_graph_stats(request: Request, wanted: For, is_all: All = False) -> Response:
        """Count tools, categories, relations and uses."""
        scope = house.enter(visit_of(request), wanted, to_read(is_all), "tool graph stats")
        return tagged(request, tool_stats_of(await house.sextant.toolbox.graph_stats(scope)))


def _import(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/tools/import",
        operation_id="importTools",
        summary="Import a catalogue of tools",
        responses={
            200: {"model": ImportReply, "description": "What changed, tool by tool."},
            **problems(409),
        },
    )
    async def import_tools(request: Request, wanted: For, body: ImportRequest) -> Response:
        """Compare a catalogue with what its source brought before, and take in what changed.

        Commands and addresses of servers are not taken from requests: import these with
        `sextant tools import --mcp`.
        """
        whom = wanted_in(request, wanted, body.places)
        scope = house.enter(visit_of(request), whom, Role.ADMIN, "import tools", body.name)
        personas = frozenset(body.personas or ())
        source = DataSource(body.name, written(body.catalogue), "catalogue.json", personas=personas)
        toolbox = house.sextant.toolbox
        (report,) = await toolbox.import_tools(scope, [source], dry_run=body.dry_run)
        if report.error:
            raise report.error
        return json_reply(import_of(report))
