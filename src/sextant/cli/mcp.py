"""The command for MCP: serve over stdio, bridge to a server, or tell clients how to find us."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sextant.cli.asking import LlmOption, PersonaOption
from sextant.cli.frame import StoreOption, err, run, settings, typed_exit
from sextant.errors import InvalidInput
from sextant.settings import FILE, FILE_VARIABLE, PREFIX, TOKEN_VARIABLE, Settings, load

app = typer.Typer()
_ALONE = ("rag-pipeline", "knowledge-store", "llm-orchestration")


@app.command("mcp")
def mcp(
    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help="With `--config`: for whom.", hidden=True)
    ] = "",
    store: StoreOption = None,
    tenant: Annotated[
        str | None, typer.Option("--tenant", "-t", help="Whose knowledge to serve.")
    ] = None,
    persona: PersonaOption = None,
    llm: LlmOption = None,
    portable_names: Annotated[
        bool,
        typer.Option("--portable-names", help="List tools without dots in their names."),
    ] = False,
    config: Annotated[
        bool,
        typer.Option(
            "--config", help="Print what `claude`, `vscode`, `copilot` or all need to find us."
        ),
    ] = False,
    url: Annotated[
        str, typer.Option(help=f"Bridge to the server there; `{TOKEN_VARIABLE}` lets us in.")
    ] = "",
    serve: Annotated[
        str,
        typer.Option(metavar="WHICH", help=f"Serve one alone, over HTTP: {', '.join(_ALONE)}."),
    ] = "",
    host: Annotated[str | None, typer.Option(help="Where `--serve` listens.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535)] = None,
    auth: Annotated[
        str | None, typer.Option(help="Who may call it: `none`, `local`, `api-key` or `oidc`.")
    ] = None,
) -> None:
    """Serve the tools of Sextant over MCP on stdin and stdout, for the client that starts this.

    Examples: `sextant mcp --config claude`, `sextant mcp --store sqlite:kept --portable-names`,
    `sextant mcp --url http://127.0.0.1:8787/mcp`, `sextant mcp --serve knowledge-store`
    """
    own = {"tenant": tenant, "host": host, "port": port, "auth": auth}
    with typed_exit():
        _check(client, serve, config=config)
    if config:
        with typed_exit():
            _show_config(client, _arguments(store, tenant, persona, llm), url)
    elif url:
        _bridge(url, portable_names=portable_names)
    elif serve:
        _serve_alone(_chosen(store, llm, own), serve)
    else:
        _serve(_chosen(store, llm, own), persona, portable_names=portable_names)


def _check(client: str, serve: str, *, config: bool) -> None:
    if client and not config:
        raise InvalidInput(f"{client[:40]!r} is not expected here.", "Did you mean --config?")
    if serve and serve not in _ALONE:
        raise InvalidInput(f"{serve[:40]!r} is no server.", f"Use one of {', '.join(_ALONE)}.")


def _chosen(store: str | None, llm: str | None, own: dict[str, Any]) -> Settings:
    found = settings(store, llm)
    given = {name: value for name, value in own.items() if value is not None}
    return replace(found, serve=replace(found.serve, **given))


def _serve(chosen: Settings, persona: str | None, *, portable_names: bool) -> None:
    from sextant.serve.mcp.stdio import serve_stdio

    run(serve_stdio(chosen, persona, portable_names=portable_names))


def _bridge(url: str, *, portable_names: bool) -> None:
    from sextant.serve.mcp.bridge import bridge
    from sextant.serve.mcp.config import portable

    run(bridge(portable(url) if portable_names else url, os.environ.get(TOKEN_VARIABLE, "")))


def _serve_alone(chosen: Settings, which: str) -> None:
    run(_alone(chosen, which))


async def _alone(chosen: Settings, which: str) -> None:
    from sextant.serve.mcp.alone import running_alone
    from sextant.serve.running import until_stopped

    async with running_alone(chosen, which) as server:
        print(f"{which} answers at {server.url}/mcp", flush=True)
        if server.token and not os.environ.get(TOKEN_VARIABLE, "").strip():
            print(f"token {server.token}", flush=True)
        await until_stopped()
        err.print("Closing.", highlight=False)


def _show_config(client: str, arguments: list[str], url: str) -> None:
    """Print snippets to stdout, and where they belong to stderr."""
    from sextant.serve.mcp import config

    for one in config.chosen(client or config.EVERY):
        err.print(f"[bold]{one.name}[/bold]: {one.file}", highlight=False)
        if url:
            print(config.reached(one, url))
            err.print(f"{one.name}, as a command:", highlight=False)
            print(config.bridged(one, url))
        else:
            print(config.started(one, arguments, _variables()))


def _arguments(
    store: str | None, tenant: str | None, persona: str | None, llm: str | None
) -> list[str]:
    """Return what the command needs to find here what it finds now, from wherever it is started."""
    given = {"--tenant": tenant, "--persona": persona, "--llm": llm}
    told = [part for name, value in given.items() if value for part in (name, value)]
    return ["--store", _absolute(settings(store).store), *told, "--portable-names"]


def _absolute(store: str) -> str:
    scheme, _, rest = store.partition(":")
    return f"{scheme}:{Path(rest).absolute()}" if scheme == "sqlite" and rest else store


def _variables() -> dict[str, str]:
    """Return the variables that hold settings here; what is secret is no setting."""
    names = [one for one in load().origins.values() if one.startswith(PREFIX)]
    found = {name: os.environ[name] for name in names if name != f"{PREFIX}STORE"}
    file = os.environ.get(FILE_VARIABLE) or (FILE if Path(FILE).is_file() else "")
    return found | ({FILE_VARIABLE: str(Path(file).absolute())} if file else {})
