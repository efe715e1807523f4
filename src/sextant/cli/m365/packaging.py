"""`sextant m365 package`: the archive by which Teams and Copilot know the bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sextant.cli.m365.group import app
from sextant.cli.shared.console import flag, note, out, settings, typed_exit
from sextant.errors import ConfigError, InvalidInput

_LARGEST_ICON = 4_000_000


@app.command()
def package(
    out_file: Annotated[
        Path, typer.Option("--out", "-o", help="The archive to write.", show_default=False)
    ],
    declarative: Annotated[
        bool, flag("--declarative", help="A declarative agent whose plugin is the MCP server.")
    ] = False,
    url: Annotated[
        str, typer.Option(help="The https address of the server; else `serve.public_url`.")
    ] = "",
    app_id: Annotated[str, typer.Option(help="The id of the bot; else `m365.app_id`.")] = "",
    name: Annotated[str, typer.Option(help="What it is called; else `m365.name`.")] = "",
    developer: Annotated[str, typer.Option(help="Who offers it; else its name.")] = "",
    website: Annotated[str, typer.Option(help="Where help is; else the server.")] = "",
    privacy: Annotated[str, typer.Option(help="Where privacy is told; else the website.")] = "",
    terms: Annotated[str, typer.Option(help="Where the terms of use are; else the website.")] = "",
    app_version: Annotated[str, typer.Option(help="Of the package.")] = "1.0.0",
    color: Annotated[
        Path | None, typer.Option(help="An icon of your own, a PNG of 192x192 pixels.")
    ] = None,
    outline: Annotated[
        Path | None, typer.Option(help="One in white on nothing, a PNG of 32x32 pixels.")
    ] = None,
    oauth_reference: Annotated[
        str, typer.Option(help="The OAuth registration that a declarative agent signs in by.")
    ] = "",
) -> None:
    """Write the app package that is uploaded to Teams or the Microsoft 365 admin center.

    It is checked against the published schemas before it is written; nothing is written of a
    package that breaks one.

    Examples:

    - `sextant m365 package --out app.zip`
    - `sextant m365 package --out agent.zip --declarative --url https://sextant.example.com`
    """
    from sextant.serve.m365.package.app import App
    from sextant.serve.m365.package.archive import package_of

    chosen = settings(None, only_store=True)
    m365 = chosen.m365
    called = name or m365.name
    own = App(
        app_id or m365.app_id,
        called,
        (url or chosen.serve.public_url).rstrip("/"),
        developer or called,
        app_version,
        website,
        privacy,
        terms,
        m365.examples,
        oauth_reference,
    )
    with typed_exit():
        packed = package_of(
            own,
            is_declarative=declarative,
            color=_picture("icons.color", color),
            outline=_picture("icons.outline", outline),
        )
        _write(out_file, packed)
    out.print(f"{out_file} is written: {len(packed):,} bytes, checked.", highlight=False)
    if declarative and not oauth_reference:
        note("The agent signs in to nothing: give --oauth-reference unless the server is open.")


def _picture(field: str, path: Path | None) -> bytes:
    if path is None:
        return b""
    try:
        picture = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{field} cannot be read: {error.strerror}.", "Name a file.") from None
    if not 0 < len(picture) <= _LARGEST_ICON:
        raise InvalidInput(f"{field} is not a PNG picture.", "Name one of less than 1 MB.")
    return picture


def _write(path: Path, packed: bytes) -> None:
    try:
        path.write_bytes(packed)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}.", "Name another file."
        ) from None
