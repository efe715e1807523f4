"""Whether a table, or a schema, of a workflow's files is right. Every mistake is told, not one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sextant.ask.workflow.kinds import MAY_BE_LEFT_OUT, STEP, Kind
from sextant.ask.workflow.nouns import STEPS
from sextant.ask.workflow.place import close
from sextant.ask.workflow.tables import Table
from sextant.errors import ConfigError
from sextant.types import JsonObject

_SHOWN = 60
_TOLD = frozenset({"$schema", "$id", "$comment", "title", "description", "examples"})
"""What a schema says to readers only; a copy may say it otherwise."""


def wrong_values(
    table: Table, kinds: Mapping[str, Kind], *within: str | int
) -> Iterator[ConfigError]:
    """Tell every key that is unknown, missing, or has a value that is not taken."""
    values: Any = table.values
    for one in within:
        values = values[one]
    for key, value in values.items():
        where = f"{table.at(*within, key)}: {key}"
        if key not in kinds:
            yield ConfigError(f"{where} is no key here.", close(str(key), kinds))
        elif wanted := kinds[key].wants(value):
            yield ConfigError(
                f"{where} is {_shown(value)}; it takes {wanted}.", "Correct it there."
            )
    for key in (one for one in kinds if one not in {*values, *MAY_BE_LEFT_OUT}):
        yield ConfigError(f"{table.at(*within)}: {key} is missing.", f"Add `{key}: …`.")


def wrong_steps(table: Table) -> Iterator[ConfigError]:
    """Tell what is wrong with the list of steps; their order is not the file's to change."""
    steps = table.values["steps"]
    for number, step in enumerate(steps):
        if not isinstance(step, dict):
            at = table.at("steps", number)
            yield ConfigError(
                f"{at}: a step is {_shown(step)}; it takes `name` and `agent`.", "Write both."
            )
            return
        yield from wrong_values(table, STEP, "steps", number)
    names = [str(step.get("name")) for step in steps]
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        at = table.at("steps", names.index(unknown[0]), "name")
        yield ConfigError(f"{at}: there is no step {_shown(unknown[0])}.", close(unknown[0], STEPS))
    elif names != list(STEPS):
        yield ConfigError(
            f"{table.at('steps')}: the steps are not in their order, which is the program's.",
            f"List each of them once: {', '.join(STEPS)}.",
        )


def read_schema(file: str, text: str) -> JsonObject:
    """Read a JSON schema."""
    try:
        schema = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{file}, line {error.lineno}: it is no JSON: {error.msg}.", "Correct it there."
        ) from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{file}: it is no JSON that can be read.", "Write it simpler.") from None
    if not isinstance(schema, dict):
        raise ConfigError(f"{file}: a schema is an object.", "Begin with `{`.")
    return schema


def wrong_schema(file: str, schema: JsonObject, shipped: JsonObject) -> Iterator[ConfigError]:
    """Tell where a schema asks for something else than the shipped one."""
    difference = _difference(schema, shipped)
    if difference:
        yield ConfigError(
            f"{file}: {difference}.",
            "A copy may change titles and descriptions; the workflow's limits shorten lists.",
        )


def _difference(own: Any, shipped: Any, where: str = "") -> str:
    """Say the first thing in which a schema differs, or nothing."""
    at = where or "the top"
    if not isinstance(own, dict) or not isinstance(shipped, dict):
        if _sorted(own) == _sorted(shipped):
            return ""
        return f"{at} is {_shown(own)}; it must be {json.dumps(shipped)}"
    told = frozenset() if where.endswith("properties") else _TOLD
    for key in sorted((own.keys() | shipped.keys()) - told):
        if key not in own:
            return f"{at} lacks {key}"
        if key not in shipped:
            return f"{at} has {_shown(key)}, which must not be there"
        if found := _difference(own[key], shipped[key], f"{where}.{key}".lstrip(".")):
            return found
    return ""


def _sorted(value: Any) -> Any:
    """Return a list without its order, which means nothing in `required` and `enum`."""
    return sorted(map(repr, value)) if isinstance(value, list) else (type(value), value)


def _shown(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…"
