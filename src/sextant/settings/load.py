"""From ``sextant.toml``, App Configuration and the environment to settings: which value holds.

Each wins over the one before it. A top-level name is read from ``SEXTANT_STORE``, one in a section
from ``SEXTANT_KEYWORD_LANGUAGE``.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from sextant.entrypoints import plugin_names
from sextant.errors import ConfigError
from sextant.settings.bounds import check, flatten
from sextant.settings.sections import Settings
from sextant.settings.values import convert
from sextant.settings.variables import is_server_secret, secret_variables
from sextant.settings_sources import (
    APPCONFIG_LABEL_VARIABLE,
    APPCONFIG_VARIABLE,
    KEYVAULT_VARIABLE,
    is_reference,
    read_app_configuration,
    resolve_reference,
)

T = TypeVar("T")
PREFIX = "SEXTANT_"
FILE = "sextant.toml"
FILE_VARIABLE = "SEXTANT_CONFIG"
SOURCE_VARIABLES = frozenset({KEYVAULT_VARIABLE, APPCONFIG_VARIABLE, APPCONFIG_LABEL_VARIABLE})
"""Where settings are kept elsewhere; as what names the file, none of them is a setting."""


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
    references: Mapping[str, str] = field(default_factory=dict)
    """Where the value of a setting is kept, of those that came from a vault."""

    def rows(self) -> Iterator[Setting]:
        """Yield every setting with its value and origin; of a secret, where it is kept."""
        for name, value in flatten(self.settings):
            shown = self.references.get(name, value)
            yield Setting(name, shown, self.origins.get(name, "default"))


def load(folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Read the settings that hold in this folder and environment."""
    environment = os.environ if environment is None else environment
    reading, unknown = _Reading(environment), set(_unknown(environment))
    path = _file(folder or Path(), environment)
    for name, value in _read_file(path) if path else ():
        reading.take(name, value, str(path), path.name if path else "")
    for name, value in read_app_configuration(environment):
        if _is_setting(name):
            reading.take(name, value, APPCONFIG_VARIABLE)
        else:
            unknown.add(f"sextant:{name} in {APPCONFIG_VARIABLE}")
    for name, _ in flatten(reading.settings):
        variable = PREFIX + name.replace(".", "_").upper()
        if variable in environment:
            reading.take(name, environment[variable], variable)
    for variable, table, inner in _plugin_variables(unknown):
        reading.take(f"{table}.{inner}", environment[variable], variable)
        unknown.discard(variable)
    return reading.checked(unknown)


@dataclass(slots=True)
class _Reading:
    """What was set so far; whoever sets something later wins."""

    environment: Mapping[str, str]
    settings: Settings = field(default_factory=Settings)
    origins: dict[str, str] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    plugins: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, name: str, value: Any, origin: str, shown_origin: str = "") -> None:
        """Set one setting, or one of a plugin; a value in a vault is read there."""
        shown_origin = shown_origin or origin
        self.origins[name] = origin
        self.references.pop(name, None)
        if is_reference(value):
            self.references[name] = value
            value = resolve_reference(value, self.environment, shown_origin)
        if _is_plugins(name):
            table, _, inner = name.partition(".")
            self.plugins.setdefault(table, {})[inner] = value
            return
        try:
            self.settings = _with(self.settings, name, value, shown_origin)
        except ConfigError as error:
            raise self._without_secret(name, shown_origin, error) from None

    def checked(self, unknown: Set[str]) -> Loaded:
        """Return what was set, if every value is one that may be set."""
        settings = replace(self.settings, plugins=self.plugins)
        check(settings, self.origins, self.references)
        return Loaded(settings, self.origins, tuple(sorted(unknown)), self.references)

    def _without_secret(self, name: str, origin: str, error: ConfigError) -> ConfigError:
        """Return an error whose message does not quote what a vault holds."""
        if name not in self.references:
            return error
        return ConfigError(
            f"{origin} sets {name} to {self.references[name]}; what the vault holds there does "
            "not fit.",
            "Correct the secret, or let another one be meant.",
        )


def section(settings: Settings, name: str, kind: type[T]) -> T:
    """Return the table of a plugin as its own type: a dataclass whose fields have defaults."""
    own, table = kind(), f"[{name}]"
    for inner, value in settings.plugins.get(name, {}).items():
        hints = get_type_hints(kind)
        if inner not in hints:
            known = ", ".join(hints)
            raise ConfigError(f"{table} has no setting {inner}.", f"It has: {known}.")
        own = replace(own, **{inner: convert(f"{name}.{inner}", value, hints[inner], table)})  # type: ignore[type-var]
    return own


def _is_setting(name: str) -> bool:
    """Whether there is a setting of that name, of ours or of a plugin."""
    return _is_plugins(name) or name in dict(flatten(Settings()))


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
    return replace(settings, **{head: convert(within + name, value, hints[head], origin)})  # type: ignore[type-var]


def _did_you_mean(name: str) -> str:
    known = [known for known, _ in flatten(Settings())]
    close = difflib.get_close_matches(name, known, 1)
    return f"Did you mean {close[0]}?" if close else "`sextant config` lists every setting."


def _unknown(environment: Mapping[str, str]) -> Iterator[str]:
    known = {PREFIX + name.replace(".", "_").upper() for name, _ in flatten(Settings())}
    known |= {FILE_VARIABLE} | SOURCE_VARIABLES | secret_variables()
    given = (name for name in environment if name.startswith(PREFIX))
    return (name for name in given if name not in known and not is_server_secret(name))
