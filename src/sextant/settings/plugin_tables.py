"""The tables of plugins as a whole: what each may set, and what is wrong with what was set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sextant.entrypoints import SETTINGS, load_plugin, registered
from sextant.errors import ConfigError, MissingExtra
from sextant.settings.load import Loaded, Setting, section
from sextant.settings.sections import Settings


def list_settings(loaded: Loaded) -> Iterator[Setting]:
    """Yield every setting with its value and origin, also those of plugins that nobody set."""
    yield from loaded.rows()
    for name in registered(SETTINGS):
        was_set = loaded.settings.plugins.get(name, {})
        for inner, value in _defaults(name).items():
            if inner not in was_set:
                yield Setting(f"{name}.{inner}", value, "default")


def find_plugin_mistakes(settings: Settings) -> dict[str, ConfigError | MissingExtra]:
    """Return what opening a plugin would refuse of its table, by the name of the setting."""
    wrong: dict[str, ConfigError | MissingExtra] = {}
    for name in registered(SETTINGS):
        for inner, value in settings.plugins.get(name, {}).items():
            alone = replace(settings, plugins={name: {inner: value}})
            try:
                section(alone, name, _settings_type(name))
            except (ConfigError, MissingExtra) as error:
                wrong[f"{name}.{inner}"] = error
    return wrong


def _defaults(name: str) -> Mapping[str, Any]:
    """Return what a plugin may set with its defaults; none of one that cannot be imported."""
    try:
        own = _settings_type(name)()
    except (ConfigError, MissingExtra):
        return {}
    return {item.name: getattr(own, item.name) for item in fields(own)}


def _settings_type(name: str) -> type[Any]:
    """Return the dataclass that a plugin registered for its table."""
    kind = load_plugin(SETTINGS, name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise ConfigError(
            f"The plugin {name} registers no dataclass for its settings.",
            "Have it register one whose fields have defaults, or uninstall it.",
        )
    return kind
