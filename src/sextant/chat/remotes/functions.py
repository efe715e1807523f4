"""What an agent of a framework can do itself, as actions for everybody else."""

from __future__ import annotations

from collections.abc import Iterator

from sextant.chat.actions.action import Action, Handler
from sextant.chat.actions.arguments import read_arguments
from sextant.chat.context import RunContext
from sextant.ports import FrameworkAgent


def function_actions(agent: FrameworkAgent) -> Iterator[Action]:
    """Yield the functions of an agent as actions, each with its own schema."""
    for one in agent.functions:
        tool, handler = one.tool, _handler(agent, one.tool.name)
        yield Action(tool.name, tool.description, tool.parameters, handler, one.needs_approval)


def _handler(agent: FrameworkAgent, name: str) -> Handler:
    async def handle(sent: str, _: RunContext) -> object:
        return await agent.call(name, read_arguments(sent, name))

    return handle
