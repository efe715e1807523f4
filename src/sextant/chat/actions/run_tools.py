"""All tools of other servers that one run may call: of servers that are set, or its client's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sextant.chat.actions.action import Action
from sextant.chat.actions.client_servers import ClientServer, check_reachable, client_servers_in
from sextant.chat.actions.server_tools import ServerTools, ToolGateway
from sextant.chat.context import RunContext
from sextant.settings import ChatSettings
from sextant.types import Scope

OpenClientGateway = Callable[[Scope, Sequence[ClientServer]], ToolGateway]
"""Opens a gateway to servers that a client names; what they list is nobody else's."""


@dataclass(frozen=True, slots=True)
class RunTools:
    """Where the tools of a run come from. Private addresses are for who runs their own servers."""

    settings: ChatSettings
    gateway: ToolGateway | None = None
    open_client_gateway: OpenClientGateway | None = None
    takes_private: bool = False

    @asynccontextmanager
    async def opened(self, context: RunContext) -> AsyncIterator[dict[str, Action]]:
        """Give the tools as actions, as long as the block lasts; those that are set come first."""
        rules = self.settings
        servers = client_servers_in(context.request.properties, rules.client_tool_servers)
        async with AsyncExitStack() as opened:
            actions: dict[str, Action] = {}
            if self.gateway:
                own = ServerTools(self.gateway, rules.tools, rules.approve)
                actions = await own.actions_for(context)
            if servers and self.open_client_gateway and len(actions) < rules.tools:
                for one in servers:
                    await check_reachable(one.address, private=self.takes_private)
                gateway = self.open_client_gateway(context.scope, servers)
                opened.push_async_callback(gateway.close)
                left = rules.tools - len(actions)
                theirs = ServerTools(gateway, left, rules.approve)
                actions = {**await theirs.actions_for(context), **actions}
            yield actions
