"""Who and what a copilot consists of, and what of it can be used now. Knows no command."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sextant.chat.answerers import Answerers
from sextant.chat.links import CopilotLinks, LinkedServer
from sextant.entrypoints import ACTIONS, AGENTS
from sextant.errors import SextantError
from sextant.ports import Guardrail, RemoteEndpoint
from sextant.types import AgentCard, GuardedInput, RunRequest, ToolSpec

_HARMLESS = "Good morning."
"""What a guardrail is asked about: whatever it says, it answered."""


class PartKind(StrEnum):
    """What a part of a copilot is."""

    AGENT = "agent"
    ACTION = "action"
    TOOL_SERVER = "tool server"
    GUARDRAIL = "guardrail"
    REMOTE = "remote endpoint"


_PLUGINS = {AGENTS: PartKind.AGENT, ACTIONS: PartKind.ACTION}
"""What a plugin of a group is."""


@dataclass(frozen=True, slots=True)
class CopilotPart:
    """One part: what it is for or can do, and why it cannot be used, as far as that is known."""

    kind: PartKind
    name: str
    description: str = ""
    fault: str = ""
    hint: str = ""


def list_parts(answerers: Answerers, links: CopilotLinks) -> list[CopilotPart]:
    """Return all parts, the agents first; remotes offer what they did when they were last read."""
    return [
        *(CopilotPart(PartKind.AGENT, one.name, one.description) for one in answerers.cards),
        *(
            CopilotPart(PartKind.ACTION, one.name, _first_line(one.description))
            for one in answerers.actions.values()
        ),
        *(
            CopilotPart(_PLUGINS[one.group], one.name, "", one.error.message, one.error.hint)
            for one in answerers.left_out
        ),
        *(CopilotPart(PartKind.TOOL_SERVER, one.server.name) for one in links.tool_servers),
        *(CopilotPart(PartKind.GUARDRAIL, one.name) for one in links.guardrails),
        *(CopilotPart(PartKind.REMOTE, one.name) for one in links.remotes),
    ]


async def check_parts(answerers: Answerers, links: CopilotLinks) -> list[CopilotPart]:
    """Return all parts, each tried as far as nothing comes of it: listed, asked, found."""
    trials: dict[tuple[PartKind, str], Callable[[], Awaitable[str]]] = {
        **{(PartKind.AGENT, one.name): _find(answerers, one.name) for one in answerers.cards},
        **{(PartKind.TOOL_SERVER, one.server.name): _list(one) for one in links.tool_servers},
        **{(PartKind.GUARDRAIL, one.name): _ask(one) for one in links.guardrails},
        **{(PartKind.REMOTE, one.name): _read(answerers, one) for one in links.remotes},
    }
    parts = list_parts(answerers, links)
    return list(
        await asyncio.gather(*(_tried(one, trials.get((one.kind, one.name))) for one in parts))
    )


async def _tried(part: CopilotPart, trial: Callable[[], Awaitable[str]] | None) -> CopilotPart:
    if trial is None or part.fault:
        return part
    try:
        return replace(part, description=await trial() or part.description)
    except SextantError as error:
        return replace(part, fault=error.message, hint=error.hint)


def _find(answerers: Answerers, name: str) -> Callable[[], Awaitable[str]]:
    async def find() -> str:
        answerers.find(RunRequest(agent=name))
        return ""

    return find


def _list(linked: LinkedServer) -> Callable[[], Awaitable[str]]:
    async def list_tools() -> str:
        names = [str(one.get("name")) for one in await linked.server.tools()]
        return f"{len(names)} tools: {', '.join(names)}"

    return list_tools


def _ask(guardrail: Guardrail) -> Callable[[], Awaitable[str]]:
    async def ask() -> str:
        await guardrail.check(GuardedInput(_HARMLESS))
        return "answers"

    return ask


def _read(answerers: Answerers, endpoint: RemoteEndpoint) -> Callable[[], Awaitable[str]]:
    """Say what was read, and under which names it is offered here."""

    async def read() -> str:
        if failure := answerers.remotes.failures.get(endpoint.name):
            raise failure
        agents = _names_of(answerers.remote_agents, endpoint)
        actions = _names_of(answerers.remote_tools, endpoint)
        counts = f"{len(agents)} agents, {len(actions)} actions"
        return f"{counts}: {', '.join(agents + actions)}" if agents or actions else counts

    return read


def _names_of(
    offered: Mapping[str, tuple[RemoteEndpoint, AgentCard | ToolSpec]], endpoint: RemoteEndpoint
) -> list[str]:
    """Return what an endpoint calls its own, and how it is called here where that is another."""
    return [
        own.name if own.name == name else f"{own.name} as {name}"
        for name, (there, own) in offered.items()
        if there is endpoint
    ]


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
