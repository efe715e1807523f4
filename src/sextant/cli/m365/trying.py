"""`sextant m365 try`: the bot on this machine, with Microsoft's playground to write to it."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sextant.cli.m365.group import app
from sextant.cli.m365.playground import playground_variables
from sextant.cli.shared.console import StoreOption, err, flag, note, out, run, settings
from sextant.cli.shared.questions import LlmOption
from sextant.settings import Settings

if TYPE_CHECKING:
    from sextant.serve.running import Running

_DOOR = "m365"
_PLAYGROUND = "@microsoft/m365agentsplayground@0.2.28"
_PLAYGROUND_PORT = 56_150
"""Where it listens by itself."""


@app.command(name="try")
def try_out(
    llm: LlmOption = None,
    store: StoreOption = None,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Where the bot listens; 0 is any port.")
    ] = 3_978,
    channel: Annotated[
        str, typer.Option(help="The channel to look like: `msteams`, `webchat` or `emulator`.")
    ] = "msteams",
    no_playground: Annotated[
        bool, flag("--no-playground", help="Start the bot, and not the Agents Playground.")
    ] = False,
) -> None:
    """Answer as a bot on this machine, with the Agents Playground to write to it, until Ctrl+C.

    Nobody is asked who they are, so only this machine reaches it. The playground is a package of
    Microsoft's that `npx` fetches; it needs Node.
    """
    chosen = settings(store, llm)
    serve = replace(chosen.serve, host="127.0.0.1", port=port, auth="local", doors=_DOOR)
    own = replace(chosen, serve=serve, m365=replace(chosen.m365, anonymous=True))
    run(_try(own, channel, wants_playground=not no_playground))


async def _try(chosen: Settings, channel: str, *, wants_playground: bool) -> None:
    from sextant.cli.shared.ending import end_within
    from sextant.serve.records.logs import writing_log
    from sextant.serve.running import running, until_stopped

    npx = shutil.which("npx") if wants_playground else None
    with writing_log(chosen.log):
        async with running(chosen) as server:
            _show(server, has_playground=bool(npx), wanted=wants_playground)
            task = asyncio.create_task(_play(npx, server, channel)) if npx else None
            try:
                await until_stopped(None, end_within)
            finally:
                if task:
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)


def _show(server: Running, *, has_playground: bool, wanted: bool) -> None:
    out.print(f"The bot answers at {server.url}/api/messages", highlight=False, soft_wrap=True)
    if has_playground:
        place = f"http://localhost:{_PLAYGROUND_PORT}"
        out.print(f"The Agents Playground opens at {place}", highlight=False)
    elif wanted:
        note("There is no npx here, so no playground: install Node, or use a Bot Framework client.")
    out.print("Ctrl+C ends it.", highlight=False)


async def _play(npx: str, server: Running, channel: str) -> None:
    """Run the playground until it, or this, ends; it is kept on this machine."""
    place = f"{server.url}/api/messages"
    asked = ("start", "-e", place, "-c", channel, "-p", str(_PLAYGROUND_PORT))
    child = await asyncio.create_subprocess_exec(
        *(npx, "--yes", _PLAYGROUND, *asked, "--disable-telemetry"),
        env=playground_variables(),
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        if await child.wait():
            err.print("The playground ended; the bot still answers.", highlight=False)
    finally:
        if child.returncode is None:
            child.terminate()
            await child.wait()
