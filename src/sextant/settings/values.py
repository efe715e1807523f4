"""From what a file or a variable says to a value of the type that a setting has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from sextant.errors import ConfigError, InvalidInput
from sextant.limits import check_base_url
from sextant.settings.copilot_sections import RemoteEndpointSettings, ToolServerSettings
from sextant.settings.m365_sections import M365TenantSettings
from sextant.settings.sections import Rule
from sextant.settings.variables import TOKEN_VARIABLE, remote_variable, tool_server_variable

T = TypeVar("T")


def convert(name: str, value: Any, wanted: Any, origin: str) -> Any:
    """Return a value as the type that is wanted, or say what it takes and who set it."""
    if wanted is str and isinstance(value, str):
        return value
    if wanted is bool and str(value).lower() in _YES_OR_NO:
        return _YES_OR_NO[str(value).lower()]
    if wanted == tuple[str, ...] and (texts := _texts(value)) is not None:
        return texts
    if wanted in _ROWS:
        first, make = _ROWS[wanted]
        return tuple(make(name, one, origin) for one in _tables(name, value, origin, first))
    if wanted in _SERVERS:
        kind, needed, variable_of = _SERVERS[wanted]
        tables = _tables(name, value, origin, "name")
        made = [_made(kind, needed, name, one, origin) for one in tables]
        return _once_each(name, made, origin, variable_of)
    if isinstance(value, bool):
        value = str(value)
    if wanted in (int, float) and isinstance(value, str | int | float):
        number = _number(value, wanted)
        if number is not None:
            return number
    if wanted not in _KINDS:
        raise ConfigError(
            f"{name} has a type that cannot be set: {wanted}.",
            "Declare it as str, int, float, bool or tuple[str, ...].",
        )
    kind, hint = _KINDS[wanted]
    raise ConfigError(f"{origin} sets {name} to {value!r}; it takes {kind}.", hint)


def _texts(value: Any) -> tuple[str, ...] | None:
    """Return a list of texts, which a variable holds as JSON, or with commas between them."""
    if isinstance(value, str) and _LIST.fullmatch(value):
        value = _json_in(value)
    if isinstance(value, str):
        return tuple(one for part in value.split(",") if (one := part.strip()))
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    return None


_LIST = re.compile(r"\s*\[(\s*\".*|.*\]\s*)", re.DOTALL)
"""What was meant as a list of JSON, whole or not; a pattern such as `[ab]*` was not."""


def _json_in(text: str) -> Any:
    """Return what a text is as JSON; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _number(value: str | float, wanted: type[int | float]) -> float | None:
    """Return a value as a number of this kind; None if it is none, or is cut to become one."""
    if wanted is int and isinstance(value, float) and not value.is_integer():
        return None
    try:
        return wanted(value)
    except (ValueError, OverflowError):
        return None


_KINDS: dict[Any, tuple[str, str]] = {
    tuple[str, ...]: ("a list of texts", 'Write one such as ["a", "b"].'),
    str: ("text", "Put it into quotes."),
    int: ("a whole number", "Write one such as 4."),
    float: ("a number", "Write one such as 0.5."),
    bool: ("true or false", "Write one of the two."),
}
_YES_OR_NO = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


def _tables(name: str, value: Any, origin: str, first: str) -> list[dict[str, Any]]:
    """Return a list of tables, which an environment variable holds as JSON."""
    tables = _json_in(value) if isinstance(value, str) else value
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise ConfigError(
            f"{origin} sets {name} to something else than a list of tables.",
            f"Write [[{name}]] with {first} = … for each.",
        )
    return tables


def _rule(name: str, table: dict[str, Any], origin: str) -> Rule:
    rule = _made(Rule, ("match",), name, table, origin)
    if "reputation" in table and not 0 <= rule.reputation <= 1:
        raise ConfigError(
            f"{origin} has a rule in {name} with a reputation outside 0 to 1.",
            "Write one such as 0.8.",
        )
    if rule.base_url:
        try:
            check_base_url(rule.base_url)
        except InvalidInput as error:
            raise ConfigError(
                f"{origin} has a rule in {name}: {error.message}", error.hint
            ) from None
    return rule


def _made(
    kind: type[T], needed: tuple[str, ...], name: str, table: dict[str, Any], origin: str
) -> T:
    """Return one of several tables as its type."""
    hints, what = get_type_hints(kind), _TABLES[kind]
    unknown = table.keys() - hints.keys()
    missing = next((one for one in needed if not table.get(one)), "")
    if unknown or missing:
        wrong = f"the unknown key {min(unknown)!r}" if unknown else f"no {missing}"
        raise ConfigError(
            f"{origin} has a {what} in {name} with {wrong}.", f"A {what} takes {', '.join(hints)}."
        )
    texts = {one for one in table if hints[one] == tuple[str, ...]}
    for each in sorted(texts):
        if not isinstance(table[each], list) or not all(
            isinstance(one, str) for one in table[each]
        ):
            raise ConfigError(
                f"{origin} has a {what} in {name} whose {each} are not texts.",
                f'Write a list of texts, such as {each} = ["ops"].',
            )
    values: dict[str, Any] = {
        each: tuple(value)
        if each in texts
        else convert(f"{name}.{each}", value, hints[each], origin)
        for each, value in table.items()
    }
    return kind(**values)


def _directory(name: str, table: dict[str, Any], origin: str) -> M365TenantSettings:
    return _made(M365TenantSettings, ("id",), name, table, origin)


_ROWS: dict[Any, tuple[str, Callable[[str, dict[str, Any], str], Any]]] = {
    tuple[Rule, ...]: ("match", _rule),
    tuple[M365TenantSettings, ...]: ("id", _directory),
}
"""Lists of tables that have no secrets: what stands first in each, and what makes it."""
_TABLES: dict[type, str] = {
    Rule: "rule",
    ToolServerSettings: "server",
    RemoteEndpointSettings: "server",
    M365TenantSettings: "directory",
}
_SERVERS: dict[Any, tuple[Any, tuple[str, ...], Callable[[str, str], str]]] = {
    tuple[ToolServerSettings, ...]: (ToolServerSettings, ("name", "at"), tool_server_variable),
    tuple[RemoteEndpointSettings, ...]: (
        RemoteEndpointSettings,
        ("name", "url"),
        remote_variable,
    ),
}
"""Lists of servers: what each is, what it needs, and which variable holds its secrets."""


def _once_each(
    name: str, servers: list[Any], origin: str, variable_of: Callable[[str, str], str]
) -> tuple[Any, ...]:
    """Refuse two servers whose secrets would stand in one variable."""
    seen: set[str] = set()
    for one in servers:
        variable = variable_of(one.name, TOKEN_VARIABLE)
        if variable in seen:
            raise ConfigError(
                f"{origin} has two servers in {name} whose token is {variable}.", "Rename one."
            )
        seen.add(variable)
    return tuple(servers)
