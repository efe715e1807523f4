"""The command that shows the settings: each with where it came from, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from sextant.cli.shared.console import (
    JsonOption,
    print_json,
    show_error,
    show_table,
    typed_exit,
    warn_unknown,
)
from sextant.cli.shared.settings_check import mistakes
from sextant.errors import SextantError
from sextant.settings import Setting, find_plugin_mistakes, list_settings, load

app = typer.Typer()


@app.command()
def config(as_json: JsonOption = False) -> None:
    """Show each setting, its value, and where it came from.

    Exits with 1 if one of them names something that nobody here knows.
    """
    with typed_exit():
        loaded = load()
        rows = list(list_settings(loaded))
    wrong: dict[str, SextantError] = {**mistakes(loaded.settings, loaded.origins)}
    wrong |= find_plugin_mistakes(loaded.settings)
    if as_json:
        print_json({row.name: _setting_json(row, wrong.get(row.name)) for row in rows})
    else:
        table = Table("setting", "value", "from", box=None, header_style="bold")
        for row in rows:
            table.add_row(row.name, escape(_written(row.value)), escape(row.origin))
        show_table(table)
    warn_unknown(loaded)
    for mistake in wrong.values():
        show_error(mistake)
    if wrong:
        raise typer.Exit(1)


def _setting_json(row: Setting, wrong: SextantError | None) -> dict[str, Any]:
    shown = {"value": _rule_tables(row.value), "from": row.origin}
    return {**shown, "problem": str(wrong)} if wrong else shown


def _written(value: Any) -> str:
    """Return a value as it can be set by the environment."""
    return value if isinstance(value, str) else json.dumps(_rule_tables(value), ensure_ascii=False)


def _rule_tables(value: Any) -> Any:
    """Return rules as tables of what they say; other values are plain already."""
    if not isinstance(value, tuple):
        return value
    return [
        {
            item.name: getattr(rule, item.name)
            for item in fields(rule)
            if getattr(rule, item.name) != item.default
        }
        for rule in value
    ]
