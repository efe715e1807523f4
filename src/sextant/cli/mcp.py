"""The command for MCP: serve over stdio, bridge to a server, or tell clients how to find us."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sextant import build
from sextant.cli.serve import AuthOption, HostOption, PortOption
from sextant.cli.shared.console import (
    StoreOption,
    err,
    flag,
    note,
    run,
    serving,
    settings,
    typed_exit,
)
from sextant.cli.shared.questions import LlmOption, PersonaOption, personas_of
from sextant.errors import InvalidInput, NotFound
from sextant.settings import (
    FILE,
    FILE_VARIABLE,
    PREFIX,
    SOURCE_VARIABLES,
    TOKEN_VARIABLE,
    Settings,
    load,
    read_secret_variable,
)

app = typer.Typer()
_TAKE_IN = "Take something in: `sextant ingest DOCS`."
_STORE = "knowledge-store"
_ALONE = ("rag-pipeline", _STORE, "llm-orchestration")


@app.command("mcp")
def mcp(
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT",
            help="With `--config`: `claude`, `vscode` or `copilot`.",
            show_default="all of them",
        ),
    ] = "",
    store: StoreOption = None,
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant", "-t", help="Whose knowledge to serve.", show_default="the tenant default"
        ),
    ] = None,
    persona: PersonaOption = None,
    llm: LlmOption = None,
    read_only: Annotated[
        bool,
        flag("--read-only", help="Over stdio: no tool that writes or deletes knowledge."),
    ] = False,
    portable_names: Annotated[
        bool,
        flag("--portable-names", help="List tools without dots in their names."),
    ] = False,
    config: Annotated[
        bool,
        flag("--config", help="Print what CLIENT needs to find us, ready to paste."),
    ] = False,
    url: Annotated[
        str, typer.Option(help=f"Bridge to the server there; `{TOKEN_VARIABLE}` lets us in.")
    ] = "",
    bridge: Annotated[
        bool,
        flag("--bridge", help="With `--config --url`: for a client that only starts commands."),
    ] = False,
    serve: Annotated[
        str,
        typer.Option(metavar="WHICH", help=f"Serve one alone, over HTTP: {', '.join(_ALONE)}."),
    ] = "",
    host: HostOption = None,
    port: PortOption = None,
    auth: AuthOption = None,
) -> None:
    """Serve the tools of Sextant over MCP on stdin and stdout, for the client that starts this.

    `--host`, `--port` and `--auth` are for `--serve`.

    Examples:

    - `sextant mcp --config claude`
    - `sextant mcp --store sqlite:kept --read-only`
    - `sextant mcp --serve knowledge-store`
    - `sextant mcp --url http://127.0.0.1:8787/mcp`
    """
    with typed_exit():
        _check(client, url, serve, config=config, bridge=bridge, read_only=read_only)
    if config and url:
        with typed_exit():
            _show_reaching(client, url, is_bridged=bridge)
    elif config:
        with typed_exit():
            _show_starting(client, settings(store), _arguments(tenant, personas_of(persona), llm))
    elif url:
        _bridge(url, portable_names=portable_names)
    else:
        chosen = serving(store, llm, tenant=tenant, host=host, port=port, auth=auth)
        chosen = replace(chosen, store=_absolute(chosen.store))
        if serve in ("", _STORE):
            with typed_exit():
                _check_store(chosen)
        if serve:
            run(_alone(chosen, serve))
        else:
            _serve(chosen, personas_of(persona), portable_names=portable_names, read_only=read_only)


def _check(
    client: str, url: str, serve: str, *, config: bool, bridge: bool, read_only: bool
) -> None:
    """Refuse what contradicts itself."""
    if client and not config:
        raise InvalidInput(f"{client[:40]!r} is not expected here.", "Did you mean --config?")
    if config and serve:
        raise InvalidInput(
            "--config and --serve contradict each other.",
            "Start the server first; then --config --url tells clients where it is.",
        )
    if bridge and not (config and url):
        raise InvalidInput("--bridge needs --config and --url.", "Without --config, --url bridges.")
    if read_only and (url or serve):
        raise InvalidInput(
            "--read-only is for a store that is opened here.",
            "Of a server the key decides: `sextant keys create --name NAME --role search`.",
        )
    if serve and serve not in _ALONE:
        raise InvalidInput(f"{serve[:40]!r} is not a server.", f"Use one of {', '.join(_ALONE)}.")


def _check_store(chosen: Settings) -> None:
    """Say that a store is new, and refuse one whose folder would stand in none: that is a typo."""
    folder = Path(chosen.store.partition(":")[2])
    if build.is_there(chosen):
        return
    if not folder.parent.is_dir():
        raise NotFound(
            f"There is no store {chosen.store}, and no folder {folder.parent} to make one in.",
            "Correct --store, or make that folder first.",
        )
    if build.is_vacant(chosen):
        note(f"There is no store {chosen.store} yet; an empty one is made. {_TAKE_IN}")


def _serve(
    chosen: Settings, personas: frozenset[str], *, portable_names: bool, read_only: bool
) -> None:
    from sextant.cli.shared.ending import end_within
    from sextant.serve.mcp.transports.stdio import serve_stdio
    from sextant.serve.records.logs import writing_log

    with writing_log(chosen.log):
        run(
            serve_stdio(
                chosen,
                personas,
                portable_names=portable_names,
                read_only=read_only,
                at_once=end_within,
            )
        )


def _bridge(url: str, *, portable_names: bool) -> None:
    from sextant.cli.shared.ending import end_within
    from sextant.serve.mcp.config import portable
    from sextant.serve.mcp.transports.bridge import bridge
    from sextant.serve.records.logs import writing_log

    address = portable(url) if portable_names else url
    with writing_log(settings(None).log):
        run(bridge(address, read_secret_variable(TOKEN_VARIABLE), end_within))


async def _alone(chosen: Settings, which: str) -> None:
    from sextant.cli.shared.ending import end_within
    from sextant.cli.shared.startup import show_alone, tell_closing
    from sextant.serve.mcp.transports.single_server import running_alone
    from sextant.serve.records.logs import writing_log
    from sextant.serve.running import until_stopped

    with writing_log(chosen.log):
        async with running_alone(chosen, which) as server:
            await until_stopped(show_alone(server, which, chosen.serve), end_within)
            tell_closing()


def _show_starting(client: str, chosen: Settings, arguments: list[str]) -> None:
    """Print snippets that start us to stdout, and to stderr what is to be known of them."""
    from sextant.serve.mcp import config

    given = ["--store", _absolute(chosen.store), *arguments, "--portable-names", "--read-only"]
    for one in config.chosen(client or config.EVERY):
        _tell(f"{one.name}: {one.file}")
        print(config.started(one, given, _variables()), flush=True)
    _tell("It can only read; without --read-only it may also write and delete knowledge.")
    if not build.is_there(chosen):
        err.print(
            "[bold yellow]warning:[/bold yellow]",
            escape(f"There is no store {chosen.store} yet; until then every answer says so."),
            _TAKE_IN,
            highlight=False,
            soft_wrap=True,
        )


def _show_reaching(client: str, url: str, *, is_bridged: bool) -> None:
    """Print snippets for a server that runs to stdout, and where they belong to stderr."""
    from sextant.serve.mcp import config

    for one in config.chosen(client or config.EVERY):
        if is_bridged:
            _tell(f"{one.name}: {one.file}")
            print(config.bridged(one, url), flush=True)
        else:
            _tell(f"{one.name}: {one.reaching or one.file}")
            print(config.reached(one, url), flush=True)
    _tell("It can do what its token allows: `sextant keys create --name NAME --role search`.")


def _tell(line: str) -> None:
    err.print(escape(line), highlight=False, soft_wrap=True)


def _arguments(tenant: str | None, personas: frozenset[str], llm: str | None) -> list[str]:
    """Return what the command needs to find here what it finds now, from wherever it is started."""
    named = [("--persona", persona) for persona in sorted(personas)]
    given = [("--tenant", tenant), *named, ("--llm", llm)]
    return [part for name, value in given if value for part in (name, value)]


def _absolute(store: str) -> str:
    scheme, _, rest = store.partition(":")
    is_folder = scheme == "sqlite" and rest
    return f"{scheme}:{Path(rest).expanduser().absolute()}" if is_folder else store


def _variables() -> dict[str, str]:
    """Return the variables that hold settings here; what is secret is not a setting."""
    names = {one for one in load().origins.values() if one.startswith(PREFIX)}
    names |= {one for one in SOURCE_VARIABLES if os.environ.get(one)}
    found = {name: os.environ[name] for name in sorted(names) if name != f"{PREFIX}STORE"}
    file = os.environ.get(FILE_VARIABLE) or (FILE if Path(FILE).is_file() else "")
    return found | ({FILE_VARIABLE: str(Path(file).absolute())} if file else {})
