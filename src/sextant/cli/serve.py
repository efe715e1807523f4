"""The command that opens the doors over HTTP, and says where they are and how one comes in."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from sextant.cli.asking import LlmOption
from sextant.cli.frame import StoreOption, err, out, run, settings
from sextant.settings import TOKEN_VARIABLE, ServeSettings, Settings

if TYPE_CHECKING:
    from sextant.serve.running import Running

app = typer.Typer()
_QUESTION = {"query": "If Service A fails, what breaks and who owns escalation?"}


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Where to listen; this machine only.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="0 is any port that is free.")
    ] = None,
    auth: Annotated[
        str | None, typer.Option(help="Who may come in: `none`, `local`, `api-key` or `oidc`.")
    ] = None,
    tenant: Annotated[
        str | None, typer.Option("--tenant", "-t", help="Whose knowledge `local` callers ask.")
    ] = None,
    hosts: Annotated[
        str | None, typer.Option(help="Names that this server goes by too, with commas.")
    ] = None,
    origins: Annotated[
        str | None, typer.Option(help="Origins whose pages may call it, with commas.")
    ] = None,
    llm: LlmOption = None,
    store: StoreOption = None,
) -> None:
    """Answer over REST and MCP until Ctrl+C, with a token that is printed.

    Only this machine reaches it unless `--auth api-key` or `--auth oidc` says who may come in;
    `sextant keys create` makes a key. `SEXTANT_TOKEN` keeps the token of `--auth local` the same.

    Examples: `sextant serve`, `sextant serve --port 9000 --llm openai:gpt-5`,
    `sextant serve --host 0.0.0.0 --auth api-key --hosts sextant.example.com`
    """
    given: dict[str, Any] = {
        "host": host,
        "port": port,
        "auth": auth,
        "tenant": tenant,
        "hosts": hosts,
        "origins": origins,
    }
    chosen = settings(store, llm)
    wanted = {name: value for name, value in given.items() if value is not None}
    run(_serve(replace(chosen, serve=replace(chosen.serve, **wanted))))


async def _serve(chosen: Settings) -> None:
    from sextant.serve.running import running, until_stopped

    async with running(chosen) as server:
        _show(server, chosen.serve)
        await until_stopped()
        err.print("Closing.", highlight=False)


def _show(server: Running, own: ServeSettings) -> None:
    """Say where the doors are, and give a line that asks a question."""
    if own.auth == "none":
        err.print(
            "[bold red]warning:[/bold red] Nobody is asked for a token: every program on this "
            "machine can read, write and delete all knowledge. Use it for tests only.",
            highlight=False,
            soft_wrap=True,
        )
    rows = [
        ("REST", f"{server.url}/api"),
        ("API", f"{server.url}/docs, {server.url}/openapi.json"),
        ("MCP", f"{server.url}/mcp"),
        ("health", f"{server.url}/health, {server.url}/ready, {server.url}/metrics"),
    ]
    if server.token:
        rows.append(("token", f"${TOKEN_VARIABLE}" if _is_given() else server.token))
    _say(f"[bold]Sextant answers at {server.url}[/bold]")
    for name, value in rows:
        _say(f"  {name:<7} {escape(value)}")
    _say("\nAsk it:")
    _say(escape(_curl(server, own)))
    _say("\nCtrl+C ends it.")


def _curl(server: Running, own: ServeSettings) -> str:
    token = f"${TOKEN_VARIABLE}" if _is_given() else server.token or "KEY"
    proof = "" if own.auth == "none" else f'-H "Authorization: Bearer {token}" '
    body = shlex.quote(json.dumps(_QUESTION))
    return f"curl {server.url}/api/ask {proof}-H 'Content-Type: application/json' -d {body}"


def _is_given() -> bool:
    """Whether whoever starts the server chose the token, and so need not see it."""
    return bool(os.environ.get(TOKEN_VARIABLE, "").strip())


def _say(line: str) -> None:
    out.print(line, highlight=False, soft_wrap=True)
