"""From ``sextant.toml`` and the environment to settings: which value holds, and who said so.

A top-level name is read from ``SEXTANT_STORE``, one in a section from ``SEXTANT_KEYWORD_LANGUAGE``.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from sextant.entrypoints import plugin_names
from sextant.errors import ConfigError
from sextant.settings.sections import (
    TOKEN_VARIABLE,
    RemoteEndpointSettings,
    Rule,
    Settings,
    ToolServerSettings,
    is_server_secret,
    remote_variable,
    secret_variables,
    tool_server_variable,
)

T = TypeVar("T")
_PLUGINS = "plugins"
PREFIX = "SEXTANT_"
FILE = "sextant.toml"
FILE_VARIABLE = "SEXTANT_CONFIG"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as ``sextant config`` shows it."""

    name: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and where each that is not a default came from."""

    settings: Settings
    origins: Mapping[str, str]
    unknown: tuple[str, ...] = ()

    def rows(self) -> Iterator[Setting]:
        """Yield every setting with its value and origin."""
        for name, value in _flatten(self.settings):
            yield Setting(name, value, self.origins.get(name, "default"))


def load(folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Read the settings that hold in this folder and environment."""
    environment = os.environ if environment is None else environment
    settings, origins = Settings(), dict[str, str]()
    path = _file(folder or Path(), environment)
    plugins: dict[str, dict[str, Any]] = {}
    if path is not None:
        for name, value in _read_file(path):
            origins[name] = str(path)
            if not _is_plugins(name):
                settings = _with(settings, name, value, f"{path.name}")
                continue
            table, _, inner = name.partition(".")
            plugins.setdefault(table, {})[inner] = value
    for name, _ in _flatten(settings):
        variable = PREFIX + name.replace(".", "_").upper()
        if variable in environment:
            settings = _with(settings, name, environment[variable], variable)
            origins[name] = variable
    unknown = set(_unknown(environment))
    for variable, table, inner in _plugin_variables(unknown):
        plugins.setdefault(table, {})[inner] = environment[variable]
        origins[f"{table}.{inner}"] = variable
        unknown.discard(variable)
    settings = replace(settings, plugins=plugins)
    check(settings, origins)
    return Loaded(settings, origins, tuple(sorted(unknown)))


def section(settings: Settings, name: str, kind: type[T]) -> T:
    """Return the table of a plugin as its own type: a dataclass whose fields have defaults."""
    own, table = kind(), f"[{name}]"
    for inner, value in settings.plugins.get(name, {}).items():
        hints = get_type_hints(kind)
        if inner not in hints:
            known = ", ".join(hints)
            raise ConfigError(f"{table} has no setting {inner}.", f"It has: {known}.")
        own = replace(own, **{inner: _convert(f"{name}.{inner}", value, hints[inner], table)})  # type: ignore[type-var]
    return own


def _is_plugins(name: str) -> bool:
    """Whether a setting stands in the table of a plugin; a section of ours is never one."""
    table, dot, _ = name.partition(".")
    return bool(dot) and table not in get_type_hints(Settings) and table in plugin_names()


def _plugin_variables(unknown: Set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield variables such as ``SEXTANT_POSTGRES_POOL``, with the plugin and the setting in it."""
    if not unknown:
        return
    names = plugin_names() - get_type_hints(Settings).keys()
    left = set(unknown)
    for name in sorted(names, key=lambda one: (-len(one), one)):
        prefix = f"{PREFIX}{name.replace('-', '_').upper()}_"
        for variable in sorted(left):
            if variable.startswith(prefix) and len(variable) > len(prefix):
                left.discard(variable)
                yield variable, name, variable.removeprefix(prefix).lower()


def load_settings(
    folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings, without where each came from."""
    return load(folder, environment).settings


def check(settings: Settings, origins: Mapping[str, str]) -> None:
    """Refuse what is out of its range or none of its choices, and say who set it so."""
    for name, value in _flatten(replace(settings, plugins={})):
        _check_range(name, value, origins.get(name, "default"))
        _check_choice(name, value, origins.get(name, "default"))


_RANGES: dict[str, tuple[float, float]] = {
    "keyword.title_weight": (0, 100),
    "keyword.headings_weight": (0, 100),
    "sqlite.wait_seconds": (0, 3_600),
    "sqlite.flush_chunks": (1, 1_000_000),
    "sqlite.readers": (1, 64),
    "minilm.threads": (1, 256),
    "ingest.chunk_characters": (200, 100_000),
    "ingest.file_megabytes": (1, 4_096),
    "ingest.readers": (1, 64),
    "ingest.read_seconds": (1, 3_600),
    "ingest.read_megabytes": (64, 1_048_576),
    "ingest.turn_seconds": (0, 3_600),
    "ingest.wait_seconds": (0, 3_600),
    "ask.relevancy": (0, 1),
    "ask.recency": (0, 1),
    "ask.richness": (0, 1),
    "ask.reputation": (0, 1),
    "ask.half_life_days": (0.01, 1_000_000),
    "ask.candidates": (1, 1_000),
    "ask.results": (1, 1_000),
    "model.connect_seconds": (0.01, 3_600),
    "model.read_seconds": (0.01, 3_600),
    "model.total_seconds": (0.01, 86_400),
    "model.retries": (0, 10),
    "model.concurrency": (1, 10_000),
    "model.batch_concurrency": (1, 1_000),
    "model.tokens": (0, 2**40),
    "model.input_price": (0, 1_000_000),
    "model.output_price": (0, 1_000_000),
    "serve.port": (0, 65_535),
    "sqlite.descriptors": (0, 2**31),
    "serve.header_seconds": (0.01, 3_600),
    "serve.body_seconds": (0.01, 3_600),
    "serve.request_seconds": (0.01, 86_400),
    "serve.waiting": (0, 100_000),
    "serve.job_minutes": (0.01, 100_000),
    "serve.cached_searches": (0, 1_000_000),
    "oidc.leeway_seconds": (0, 600),
    "remote.call_seconds": (0.01, 3_600),
    "remote.retries": (0, 10),
    "toolbox.list_seconds": (0.01, 3_600),
    "toolbox.call_seconds": (0.01, 3_600),
    "chat.rounds": (1, 100),
    "chat.tools": (1, 128),
    "chat.action_seconds": (0.01, 3_600),
    "toolbox.refresh_seconds": (1, 86_400),
    "toolbox.result_megabytes": (0.001, 64),
    "chat.kept_seconds": (0, 3_600),
    "chat.remote_seconds": (0.01, 86_400),
    "guardrails.likeness": (0, 1),
    "guardrails.seconds": (0.01, 3_600),
}


def _check_range(name: str, value: Any, origin: str) -> None:
    low, high = _RANGES.get(name, (1, 2**40))
    if type(value) in (int, float) and not low <= value <= high:
        raise ConfigError(
            f"{origin} sets {name} to {value}, which is out of range.",
            f"Set it between {low:g} and {high:g}.",
        )


_CHOICES = {
    "ask.unsupported": ("drop", "mark"),
    "ask.no_rag": ("reply", "search"),
    "chat.grounding": ("agent", "tool", "off"),
    "chat.links": ("auto", "known", "all"),
    "guardrails.when_down": ("closed", "open"),
    "serve.auth": ("none", "local", "api-key", "oidc"),
    "log.level": ("debug", "info", "warning", "error"),
    "log.format": ("text", "json"),
}


def _check_choice(name: str, value: Any, origin: str) -> None:
    choices = _CHOICES.get(name)
    if choices and value not in choices:
        raise ConfigError(f"{origin} sets {name} to {value!r}.", f"Use {' or '.join(choices)}.")


def _file(folder: Path, environment: Mapping[str, str]) -> Path | None:
    named = environment.get(FILE_VARIABLE)
    path = Path(named) if named else folder / FILE
    if path.is_file():
        return path
    if named:
        raise ConfigError(
            f"{FILE_VARIABLE} names {named}, which is not a file.", "Correct or unset it."
        )
    if path.exists():
        raise ConfigError(f"{path} is not a file.", "Move it away, or write settings there.")
    return None


def _read_file(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}.", "Correct it there.") from None
    except OSError as error:
        raise ConfigError(
            f"{path.name} cannot be read: {error.strerror}.", "Let this account read it."
        ) from None
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", item) for inner, item in value.items())
        else:
            yield name, value


def _with(settings: T, name: str, value: Any, origin: str, within: str = "") -> T:
    head, _, rest = name.partition(".")
    hints = get_type_hints(type(settings))
    if head not in hints or bool(rest) != is_dataclass(hints[head]):
        whole = within + name
        raise ConfigError(f"{origin} sets {whole}, which is not a setting.", _did_you_mean(whole))
    if rest:
        inner = _with(getattr(settings, head), rest, value, origin, f"{head}.")
        return replace(settings, **{head: inner})  # type: ignore[type-var]
    return replace(settings, **{head: _convert(within + name, value, hints[head], origin)})  # type: ignore[type-var]


def _convert(name: str, value: Any, wanted: Any, origin: str) -> Any:
    if wanted is str and isinstance(value, str):
        return value
    if wanted is bool and str(value).lower() in _YES_OR_NO:
        return _YES_OR_NO[str(value).lower()]
    if wanted == tuple[str, ...] and (texts := _texts(value)) is not None:
        return texts
    if wanted == tuple[Rule, ...]:
        return tuple(_rule(name, one, origin) for one in _tables(name, value, origin, "match"))
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
    """Return a list of texts, which an environment variable holds with commas between them."""
    if isinstance(value, str):
        return tuple(one for part in value.split(",") if (one := part.strip()))
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
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
    try:
        tables = json.loads(value) if isinstance(value, str) else value
    except json.JSONDecodeError:
        tables = None
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
        else _convert(f"{name}.{each}", value, hints[each], origin)
        for each, value in table.items()
    }
    return kind(**values)


_TABLES: dict[type, str] = {
    Rule: "rule",
    ToolServerSettings: "server",
    RemoteEndpointSettings: "server",
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


def _flatten(section: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for item in fields(section):
        value = getattr(section, item.name)
        if item.name == _PLUGINS:
            for name, table in value.items():
                yield from ((f"{name}.{key}", own) for key, own in table.items())
        elif is_dataclass(value):
            yield from _flatten(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, value


def _did_you_mean(name: str) -> str:
    known = [known for known, _ in _flatten(Settings())]
    close = difflib.get_close_matches(name, known, 1)
    return f"Did you mean {close[0]}?" if close else "`sextant config` lists every setting."


def _unknown(environment: Mapping[str, str]) -> Iterator[str]:
    known = {PREFIX + name.replace(".", "_").upper() for name, _ in _flatten(Settings())}
    known |= {FILE_VARIABLE} | secret_variables()
    given = (name for name in environment if name.startswith(PREFIX))
    return (name for name in given if name not in known and not is_server_secret(name))
