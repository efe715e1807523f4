"""What remote endpoints offer, as far as it is known: read now and then, and without those down."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sextant.chat.actions.action import Action
from sextant.chat.actions.arguments import read_arguments
from sextant.chat.context import RunContext
from sextant.errors import SextantError
from sextant.ports import RemoteEndpoint
from sextant.types import AgentCard, Json, Offer, RemoteCall, Scope, ToolSpec

_log = logging.getLogger(__name__)
_KNOWN_S = 30.0
"""For so long an offer holds, and an endpoint that failed is not asked again: a cool-down."""

AddHeaders = Callable[[RemoteCall], Mapping[str, str]]
"""Returns what goes with a call to a remote endpoint; it is asked before each of them."""


@dataclass(slots=True)
class Remotes:
    """The endpoints of the settings, and what each offers."""

    endpoints: Sequence[RemoteEndpoint] = ()
    hooks: list[AddHeaders] = field(default_factory=list)
    clock: Callable[[], float] = time.monotonic
    failures: dict[str, str] = field(default_factory=dict)
    """Why an endpoint offers nothing, by its name."""
    _offers: list[tuple[RemoteEndpoint, Offer]] = field(default_factory=list)
    _known_until: float = float("-inf")
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self) -> None:
        """Read what there is, if that is not known; however many wait, it is read once."""
        if not self.endpoints or self.clock() < self._known_until:
            return
        async with self._reading:
            if self.clock() < self._known_until:
                return
            offers = await asyncio.gather(*(self._read(one) for one in self.endpoints))
            self._offers = [
                (one, offer) for one, offer in zip(self.endpoints, offers, strict=True) if offer
            ]
            self._known_until = self.clock() + _KNOWN_S

    def agents(self) -> Mapping[str, tuple[RemoteEndpoint, AgentCard]]:
        """Return the agents by their names; of two of one name, the first."""
        found: dict[str, tuple[RemoteEndpoint, AgentCard]] = {}
        for endpoint, offer in self._offers:
            for card in offer.agents:
                found.setdefault(card.name, (endpoint, card))
        return found

    def actions(self) -> Mapping[str, Action]:
        """Return the actions by their names; of two of one name, the first."""
        found: dict[str, Action] = {}
        for own in self._made_actions():
            found.setdefault(own.name, own)
        return found

    def call_for(
        self, endpoint: RemoteEndpoint, scope: Scope | None, properties: Mapping[str, Json]
    ) -> RemoteCall:
        """Return as whom an endpoint is asked, with the headers that hooks add."""
        call = RemoteCall(endpoint.name, scope, properties)
        headers = {name: value for hook in self.hooks for name, value in hook(call).items()}
        return replace(call, headers=headers)

    async def _read(self, endpoint: RemoteEndpoint) -> Offer | None:
        try:
            offer = await endpoint.offer(self.call_for(endpoint, None, {}))
        except SextantError as error:
            _log.warning("The remote %s offers nothing: %s", endpoint.name, error)
            self.failures[endpoint.name] = error.message
            return None
        self.failures.pop(endpoint.name, None)
        return offer

    def _made_actions(self) -> Iterator[Action]:
        for endpoint, offer in self._offers:
            for tool in offer.actions:
                yield self._action(endpoint, tool)

    def _action(self, endpoint: RemoteEndpoint, tool: ToolSpec) -> Action:
        async def handle(sent: str, context: RunContext) -> object:
            arguments = read_arguments(sent, tool.name)
            call = self.call_for(endpoint, context.scope, context.request.properties)
            return await endpoint.execute(call, tool.name, arguments)

        return Action(tool.name, tool.description, tool.parameters, handle)
