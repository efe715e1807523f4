"""Actions and agents that other packages register. Knows their groups, none of them.

One that cannot be used is left out and told of, so that all others work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sextant.chat.actions.action import Action
from sextant.chat.context import Agent
from sextant.entrypoints import ACTIONS, AGENTS, load_plugin, registered
from sextant.errors import ConfigError, SextantError
from sextant.ports import FrameworkAgent

_log = logging.getLogger(__name__)

Plugin = Action | Agent | FrameworkAgent
Register = Callable[[Iterable[Plugin]], None]


@dataclass(frozen=True, slots=True)
class PluginFault:
    """A plugin that is left out, and why."""

    name: str
    group: str
    error: SextantError


def register_plugins(register: Register) -> list[PluginFault]:
    """Import and register the actions and agents of other packages; return those left out."""
    faults = [
        fault
        for group, load in ((ACTIONS, _load_action), (AGENTS, _load_agent))
        for fault in _register_group(group, load, register)
    ]
    for one in faults:
        _log.error("The plugin %s in %s is left out: %s", one.name, one.group, one.error)
    return faults


def _register_group(
    group: str, load: Callable[[str], Plugin], register: Register
) -> Iterator[PluginFault]:
    try:
        names = registered(group)
    except SextantError as error:
        yield PluginFault(group, group, error)
        return
    for name in names:
        try:
            register([load(name)])
        except SextantError as error:
            yield PluginFault(name, group, error)
        except Exception as error:  # a stranger's module may fail as it likes
            why = f"The plugin {name} cannot be loaded: {type(error).__name__}: {error}."
            hint = "Install another version of it, or uninstall it."
            yield PluginFault(name, group, ConfigError(why, hint))


def _load_action(name: str) -> Action:
    own = load_plugin(ACTIONS, name)
    if not isinstance(own, Action):
        raise _wrong(name, ACTIONS, "a function that is decorated with @action")
    return own


def _load_agent(name: str) -> Agent | FrameworkAgent:
    """Import an agent: a class is made without arguments."""
    own = load_plugin(AGENTS, name)
    agent = own() if isinstance(own, type) else own
    if not isinstance(agent, Agent | FrameworkAgent):
        raise _wrong(name, AGENTS, "an object with name, description and run")
    return agent


def _wrong(name: str, group: str, wanted: str) -> ConfigError:
    return ConfigError(f"The plugin {name} in {group} is something else.", f"Register {wanted}.")
