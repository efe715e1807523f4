"""The command that shows the settings: each with where it came from, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
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
from sextant.prompting.secrets.redact import redacted
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
    shown = {"value": _as_json(row.value), "from": row.origin}
    return {**shown, "problem": redacted(str(wrong))} if wrong else shown


def _written(value: Any) -> str:
    """Return a value as it can be set by the environment."""
    return value if isinstance(value, str) else json.dumps(_as_json(value), ensure_ascii=False)


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it: a list of texts as it is, rules and servers as tables."""
    if not isinstance(value, tuple):
        return value
    return [_table(one) if is_dataclass(one) else one for one in value]


def _table(item: Any) -> dict[str, Any]:
    """Return what an item of a list sets; what is left as it is by default is left out."""
    return {
        one.name: getattr(item, one.name)
        for one in fields(item)
        if getattr(item, one.name) != one.default
    }
