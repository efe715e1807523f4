"""Who and what a copilot consists of, and what of it can be used now. Knows no command."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sextant.chat.actions.approvals import is_held, tool_names
from sextant.chat.answerers import Answerers
from sextant.chat.links import CopilotLinks, LinkedServer
from sextant.entrypoints import ACTIONS, AGENTS
from sextant.errors import SextantError
from sextant.ports import FrameworkAgent, Guardrail, RemoteEndpoint
from sextant.toolbox.catalogue.sources import catalogue_of_server
from sextant.types import AgentCard, GuardedInput, RunRequest, ToolSpec

Names = tuple[str, ...]
"""How a model sees an action, and then what else a pattern may call it."""
_HARMLESS = "Good morning."
"""What a guardrail is asked about: whatever it says, it answered."""


class PartKind(StrEnum):
    """What a part of a copilot is."""

    AGENT = "agent"
    ACTION = "action"
    TOOL_SERVER = "tool server"
    GUARDRAIL = "guardrail"
    REMOTE = "remote endpoint"
    APPROVAL = "approval"


_ASKED = (PartKind.TOOL_SERVER, PartKind.REMOTE)
"""Who is asked which actions there are."""


_PLUGINS = {AGENTS: PartKind.AGENT, ACTIONS: PartKind.ACTION}
"""What a plugin of a group is."""


@dataclass(frozen=True, slots=True)
class CopilotPart:
    """One part: what it is for or can do, and why it cannot be used, as far as that is known.

    An action may wait for a person; an approval is a pattern of those that have to.
    """

    kind: PartKind
    name: str
    description: str = ""
    fault: str = ""
    hint: str = ""
    needs_approval: bool = False


def list_parts(answerers: Answerers, links: CopilotLinks) -> list[CopilotPart]:
    """Return all parts, the agents first; remotes offer what they did when they were last read."""
    return [
        *(CopilotPart(PartKind.AGENT, one.name, one.description) for one in answerers.cards),
        *(
            CopilotPart(
                PartKind.ACTION,
                one.name,
                _first_line(one.description),
                needs_approval=one.needs_approval,
            )
            for one in answerers.actions.values()
        ),
        *(
            CopilotPart(_PLUGINS[one.group], one.name, "", one.error.message, one.error.hint)
            for one in answerers.left_out
        ),
        *(CopilotPart(PartKind.TOOL_SERVER, one.server.name) for one in links.tool_servers),
        *(CopilotPart(PartKind.GUARDRAIL, one.name) for one in links.guardrails),
        *(CopilotPart(PartKind.REMOTE, one.name) for one in links.remotes),
        *(
            CopilotPart(PartKind.APPROVAL, one, ", ".join(_fitting(one, _action_names(answerers))))
            for one in answerers.settings.approve
        ),
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
    tried = await asyncio.gather(*(_tried(one, trials.get((one.kind, one.name))) for one in parts))
    if not answerers.settings.approve:
        return list(tried)
    away = [one.name for one in tried if one.fault and one.kind in _ASKED]
    known = [*_action_names(answerers), *await _tool_names(links, away)]
    return [
        _checked_approval(one, answerers, known, away) if one.kind is PartKind.APPROVAL else one
        for one in tried
    ]


def _checked_approval(
    part: CopilotPart, answerers: Answerers, known: Sequence[Names], away: Sequence[str]
) -> CopilotPart:
    """Return a pattern with all that waits because of it, or why nothing or not all of it does."""
    if calls := _calls_unasked(answerers, part.name):
        return replace(part, fault=calls, hint='Give it approval_mode="always_require" there.')
    if found := _fitting(part.name, known):
        return replace(part, description=", ".join(found))
    if away:
        whose = ", ".join(away)
        return replace(part, description=f"Not known while {whose} cannot be asked.")
    if answerers.settings.client_tool_servers:
        return replace(part, description="Fits nothing but tools of servers that a page names.")
    return replace(
        part,
        fault="It fits no action, so nothing waits for a person.",
        hint="Use the id or the name of a tool, or the name of an action, such as files.write_*.",
    )


def _calls_unasked(answerers: Answerers, pattern: str) -> str:
    """Return which agent calls a function of its own that others have to ask for, if one does."""
    for agent in answerers.agents.values():
        for one in agent.functions if isinstance(agent, FrameworkAgent) else ():
            if not one.needs_approval and is_held([one.tool.name], [pattern]):
                return f"The agent {agent.name} calls {one.tool.name} itself, without asking."
    return ""


def _fitting(pattern: str, known: Iterable[Names]) -> list[str]:
    return [names[0] for names in known if is_held(names, [pattern])]


def _action_names(answerers: Answerers) -> list[Names]:
    return [(name,) for name in {**answerers.remote_actions, **answerers.actions}]


async def _tool_names(links: CopilotLinks, away: Sequence[str]) -> Iterable[Names]:
    """Return the names of all tools of servers that can be asked."""
    ids: list[str] = []
    for one in links.tool_servers:
        if one.server.name not in away:
            listed = await one.server.tools()
            catalogue = catalogue_of_server(one.server.name, listed, one.personas)
            ids += (tool.id for tool in catalogue.tools)
    return tool_names(ids).values()


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
