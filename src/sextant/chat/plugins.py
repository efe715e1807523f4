"""Actions and agents that other packages register. Knows their groups, none of them."""

from __future__ import annotations

from collections.abc import Iterator

from sextant.chat.actions.action import Action
from sextant.chat.context import Agent
from sextant.entrypoints import ACTIONS, AGENTS, load_plugin, registered
from sextant.errors import ConfigError
from sextant.ports import FrameworkAgent


def load_actions() -> Iterator[Action]:
    """Import the actions of other packages."""
    for name in registered(ACTIONS):
        own = load_plugin(ACTIONS, name)
        if not isinstance(own, Action):
            raise _wrong(name, ACTIONS, "a function that is decorated with @action")
        yield own


def load_agents() -> Iterator[Agent | FrameworkAgent]:
    """Import the agents of other packages: a class is made without arguments."""
    for name in registered(AGENTS):
        own = load_plugin(AGENTS, name)
        agent = own() if isinstance(own, type) else own
        if not isinstance(agent, Agent | FrameworkAgent):
            raise _wrong(name, AGENTS, "an object with name, description and run")
        yield agent


def _wrong(name: str, group: str, wanted: str) -> ConfigError:
    return ConfigError(f"The plugin {name} in {group} is something else.", f"Register {wanted}.")
