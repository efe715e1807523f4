"""The command that opens the doors over HTTP until somebody wants an end."""

from __future__ import annotations

from typing import Annotated

import typer

from sextant.cli.shared.console import StoreOption, run, serving
from sextant.cli.shared.questions import LlmOption
from sextant.settings import ServeSettings, Settings

app = typer.Typer()
_USUAL = ServeSettings()

HostOption = Annotated[
    str | None,
    typer.Option(help="Where to listen.", show_default=f"{_USUAL.host}, this machine only"),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        min=0, max=65_535, help="0 is any port that is free.", show_default=str(_USUAL.port)
    ),
]
AuthOption = Annotated[
    str | None,
    typer.Option(
        help="Who may come in: `none`, `local`, `api-key` or `oidc`.", show_default=_USUAL.auth
    ),
]


@app.command()
def serve(
    host: HostOption = None,
    port: PortOption = None,
    auth: AuthOption = None,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant",
            "-t",
            help="Whose knowledge `local` callers ask.",
            show_default=f"the tenant {_USUAL.tenant}",
        ),
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option(
            help="Names that this server goes by too, with commas.",
            show_default="localhost and its own addresses",
        ),
    ] = None,
    origins: Annotated[
        str | None,
        typer.Option(
            help="Origins whose pages may call it, with commas.", show_default="its own only"
        ),
    ] = None,
    llm: LlmOption = None,
    store: StoreOption = None,
) -> None:
    """Answer over REST, MCP and to copilots until Ctrl+C, with a token that is printed.

    Only this machine reaches it unless `--auth api-key` or `--auth oidc` says who may come in;
    `sextant keys create` makes a key. `SEXTANT_TOKEN` keeps the token of `--auth local` the same.

    Examples:

    - `sextant serve`
    - `sextant serve --port 9000 --llm openai:gpt-5`
    - `sextant serve --host 0.0.0.0 --auth api-key --hosts sextant.example.com`
    """
    chosen = serving(
        store,
        llm,
        host=host,
        port=port,
        auth=auth,
        tenant=tenant,
        hosts=hosts,
        origins=origins,
    )
    run(_serve(chosen, store))


async def _serve(chosen: Settings, store: str | None) -> None:
    from sextant.cli.shared import startup as opening
    from sextant.cli.shared.ending import end_within
    from sextant.serve.records.logs import writing_log
    from sextant.serve.running import running, until_stopped

    with writing_log(chosen.log):
        async with running(chosen) as server:
            await until_stopped(opening.show(server, chosen, store), end_within)
            opening.tell_closing()
