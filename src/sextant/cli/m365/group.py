"""The group of commands for Microsoft 365."""

from __future__ import annotations

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="""
Write the app package for Teams and Microsoft 365 Copilot, and try the bot here.

The bot answers where `serve.doors` names `m365`; `pip install 'sextant[m365]'` has what it needs.
""",
)
