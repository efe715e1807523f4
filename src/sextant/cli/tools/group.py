"""What all commands on tools share: the group, its options, and a toolbox to work with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from sextant import build
from sextant.core.toolbox import Toolbox
from sextant.errors import NotFound
from sextant.settings import Settings
from sextant.types import Scope

T = TypeVar("T")
app = typer.Typer(
    no_args_is_help=True,
    help="""
Import tools, select the few that a request needs, and learn from their use.

Begin with `sextant tools import --sample`, then `sextant tools select "open a PR for the fix and
tell the team" --explain`.
""",
)
ToolIdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="As `sextant tools list` shows it.")
]
ToolIdsArgument = Annotated[
    list[str], typer.Argument(metavar="ID...", help="As `sextant tools list` shows them.")
]
CategoryOption = Annotated[
    list[str] | None,
    typer.Option("--category", "-c", help="Only tools of this category; may be repeated."),
]
TenantOption = Annotated[str, typer.Option("--tenant", "-t", help="Whose tools they are.")]
_IMPORT = (
    "Import some: `sextant tools import tools.json`, `--openapi api.yaml` or "
    '`--mcp "npx some-server"`; `sextant tools import --sample` takes the bundled ones.'
)


async def with_toolbox(
    chosen: Settings, scope: Scope, task: Callable[[Toolbox], Awaitable[T]]
) -> T:
    """Run a task on a store that has tools of the tenant, or say how they come in."""
    if not build.is_there(chosen):
        raise NotFound(f"There is no store {chosen.store}.", _IMPORT)
    async with await build.open_sextant(chosen) as sextant:
        if not await sextant.toolbox.list_tools(scope, limit=1):
            raise NotFound(f"There are no tools of the tenant {scope.tenant!r} yet.", _IMPORT)
        return await task(sextant.toolbox)


def categories_of(given: list[str] | None) -> frozenset[str] | None:
    """Return the categories that are allowed; none given is all."""
    return frozenset(given) if given else None
