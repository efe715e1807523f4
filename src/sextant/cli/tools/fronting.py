"""The command that serves the tools of many MCP servers as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from sextant.cli.serve import AuthOption, HostOption, PortOption
from sextant.cli.shared.console import StoreOption, err, flag, run, serving, show_error, typed_exit
from sextant.cli.shared.questions import PersonaOption, personas_of
from sextant.cli.tools.group import app
from sextant.errors import InvalidInput
from sextant.settings import Settings
from sextant.toolbox.catalogue.report import ImportReport


@app.command()
def gateway(
    mcp: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND|URL",
            help="A server to stand before, or its name in [[toolbox.servers]]; may repeat.",
            show_default="all of [[toolbox.servers]]",
        ),
    ] = None,
    request: Annotated[
        str,
        typer.Option("--for", help="List the tools that this request needs, not the two."),
    ] = "",
    http: Annotated[bool, flag("--http", help="Serve over HTTP, not for who starts this.")] = False,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant", "-t", help="Whose tools they are.", show_default="the tenant default"
        ),
    ] = None,
    persona: PersonaOption = None,
    store: StoreOption = None,
    host: HostOption = None,
    port: PortOption = None,
    auth: AuthOption = None,
) -> None:
    """Serve the tools of many MCP servers as one, for a client that would drown in them.

    A client sees `search_tools` and `call_tool`: it says what is to be done, gets the few tools
    for it, and calls them. Each use is remembered, and later searches learn from it. Over HTTP, an
    address such as `/mcp?for=open+a+pull+request` lists the tools of that request instead.

    Each server gets its own credential from the environment, and never the caller's token. A
    server that fails is tried again every half minute. `--host`, `--port` and `--auth` are for
    `--http`; `call_tool` needs a key with the role `call`, `search_tools` one with `search`.

    Examples:

    - `sextant tools gateway --mcp "npx -y @modelcontextprotocol/server-everything"`
    - `sextant tools gateway --mcp docs=https://mcp.example/mcp --http --port 8790`
    - `sextant tools gateway --for "open a pull request for the fix"`
    """
    with typed_exit():
        if not http and (host or port is not None or auth):
            raise InvalidInput(
                "--host, --port and --auth are for --http.", "Add --http to serve many clients."
            )
        if persona and http:
            raise InvalidInput(
                "--persona is for a client that starts this.", "Over HTTP the key names personas."
            )
    chosen = serving(store, None, tenant=tenant, host=host, port=port, auth=auth)
    if http:
        run(_serve_http(chosen, mcp or (), request))
    else:
        _serve_stdio(chosen, mcp or (), request, personas_of(persona))


def _serve_stdio(
    chosen: Settings, servers: Sequence[str], request: str, personas: frozenset[str]
) -> None:
    from sextant.cli.shared.ending import end_within
    from sextant.serve.mcp.gateway.running import Fronted, serve_over_stdio
    from sextant.serve.records.logs import writing_log

    with writing_log(chosen.log):
        run(serve_over_stdio(chosen, Fronted(servers, request), personas, _show, end_within))


async def _serve_http(chosen: Settings, servers: Sequence[str], request: str) -> None:
    from sextant.cli.shared.ending import end_within
    from sextant.cli.shared.startup import show_alone, tell_closing
    from sextant.serve.mcp.gateway.running import Fronted, running_gateway
    from sextant.serve.records.logs import writing_log
    from sextant.serve.running import until_stopped

    with writing_log(chosen.log):
        async with running_gateway(chosen, Fronted(servers, request), _show) as server:
            await until_stopped(show_alone(server, "gateway", chosen.serve), end_within)
            tell_closing()


def _show(report: ImportReport) -> None:
    """Say on stderr what a server brought: stdout may be the client's."""
    if report.error:
        err.print(f"[bold]{escape(report.source)}[/bold] is left out for now.", highlight=False)
        show_error(report.error)
        return
    count = len(report.added) + len(report.changed) + report.unchanged
    flagged = f", {len(report.flagged)} of them suspicious" if report.flagged else ""
    err.print(
        f"[bold]{escape(report.source)}[/bold]: {count:,} tools{flagged}.",
        highlight=False,
        soft_wrap=True,
    )
