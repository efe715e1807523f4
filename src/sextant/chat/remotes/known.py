"""What remote endpoints offer, as far as it is known: read now and then, and without those down."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import chain, count
from typing import TypeVar

from sextant.chat.actions.action import Action
from sextant.chat.actions.arguments import read_arguments
from sextant.chat.context import RunContext
from sextant.errors import PeerError, SextantError
from sextant.ports import RemoteEndpoint
from sextant.prompting.fence import seen
from sextant.toolbox.gateway.names import portable_names
from sextant.types import AgentCard, Json, Offer, RemoteCall, Scope, ToolSpec

_log = logging.getLogger(__name__)
_KNOWN_S = 30.0
"""For so long an offer holds, and an endpoint that failed is not asked again: a cool-down."""

Part = TypeVar("Part", AgentCard, ToolSpec)
RemoteAgent = tuple[RemoteEndpoint, AgentCard]
"""An agent with the name that it has at its endpoint."""
AddHeaders = Callable[[RemoteCall], Mapping[str, str]]
"""Returns what goes with a call to a remote endpoint; it is asked before each of them."""


@dataclass(slots=True)
class _KnownOffer:
    """What an endpoint offered when it was last read, or why it offers nothing."""

    endpoint: RemoteEndpoint
    offer: Offer | None = None
    failure: SextantError | None = None
    until: float = float("-inf")
    reading: asyncio.Task[None] | None = None

    @property
    def was_read(self) -> bool:
        return self.offer is not None or self.failure is not None


@dataclass(slots=True)
class Remotes:
    """The endpoints of the settings, and what each offers.

    Offers are read by tasks of their own: one that is old holds until the next one is there.
    """

    endpoints: InitVar[Sequence[RemoteEndpoint]] = ()
    hooks: list[AddHeaders] = field(default_factory=list)
    clock: Callable[[], float] = time.monotonic
    _known: list[_KnownOffer] = field(init=False)

    def __post_init__(self, endpoints: Sequence[RemoteEndpoint]) -> None:
        self._known = [_KnownOffer(one) for one in endpoints]

    @property
    def failures(self) -> Mapping[str, SextantError]:
        """Why an endpoint offers nothing, by its name."""
        return {one.endpoint.name: one.failure for one in self._known if one.failure}

    async def refresh(self, seconds: float | None = None) -> None:
        """Have what is old read; wait only for what was never read, and for at most so long."""
        await _wait((one for one in self._read_old() if not one.was_read), seconds)

    async def find(self, agent: str, taken: Collection[str] = ()) -> None:
        """Have what is old read; wait for all of it where nobody is known by this name."""
        reading = self._read_old()
        if agent not in self.agents(taken):
            await _wait(reading)

    async def read_again(self) -> None:
        """Read all offers now, however old they are."""
        for one in self._known:
            one.until = float("-inf")
        await _wait(self._read_old())

    async def close(self) -> None:
        """Read nothing more."""
        tasks = [one.reading for one in self._known if one.reading]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def agents(self, taken: Collection[str] = ()) -> Mapping[str, RemoteAgent]:
        """Return the agents by the names that they have here, where these are taken."""
        cards = ((one, card) for one, offer in self._offers() for card in offer.agents)
        return _by_free_names(cards, taken)

    def actions(self, taken: Collection[str] = ()) -> Mapping[str, Action]:
        """Return the actions by the names that they have here, where these are taken."""
        return {name: self._action(name, *own) for name, own in self.tools(taken).items()}

    def tools(self, taken: Collection[str] = ()) -> Mapping[str, tuple[RemoteEndpoint, ToolSpec]]:
        """Return what the actions are at their endpoints, by the names that they have here."""
        tools = ((one, tool) for one, offer in self._offers() for tool in offer.actions)
        return _by_free_names(tools, taken)

    def call_for(
        self, endpoint: RemoteEndpoint, scope: Scope | None, properties: Mapping[str, Json]
    ) -> RemoteCall:
        """Return as whom an endpoint is asked, with the headers that hooks add."""
        call = RemoteCall(endpoint.name, scope, properties)
        headers = {name: value for hook in self.hooks for name, value in hook(call).items()}
        return replace(call, headers=headers)

    def _offers(self) -> list[tuple[RemoteEndpoint, Offer]]:
        return [(one.endpoint, one.offer) for one in self._known if one.offer]

    def _read_old(self) -> list[_KnownOffer]:
        """Begin to read what is old, each once however many ask; return all that is being read."""
        now = self.clock()
        for one in self._known:
            if now >= one.until and (one.reading is None or one.reading.done()):
                one.reading = asyncio.create_task(self._read(one))
        return [one for one in self._known if one.reading and not one.reading.done()]

    async def _read(self, known: _KnownOffer) -> None:
        name = known.endpoint.name
        try:
            known.offer = await known.endpoint.offer(self.call_for(known.endpoint, None, {}))
            known.failure = None
        except SextantError as error:
            _log.warning("The remote %s offers nothing: %s", name, error)
            known.offer, known.failure = None, error
        except Exception as error:  # of a hook, say: whose remote it is, the others go on
            _log.exception("The remote %s offers nothing.", name)
            why = f"{name} could not be asked: {type(error).__name__}."
            known.offer, known.failure = None, PeerError(why, "The log has more.")
        known.until = self.clock() + _KNOWN_S

    def _action(self, name: str, endpoint: RemoteEndpoint, tool: ToolSpec) -> Action:
        async def handle(sent: str, context: RunContext) -> object:
            arguments = read_arguments(sent, name)
            call = self.call_for(endpoint, context.scope, context.request.properties)
            return await endpoint.execute(call, tool.name, arguments)

        return Action(name, seen(tool.description), tool.parameters, handle, is_strange=True)


async def _wait(reading: Iterable[_KnownOffer], seconds: float | None = None) -> None:
    """Wait until these are read; whoever no longer waits leaves the reading under way."""
    if tasks := [one.reading for one in reading if one.reading]:
        await asyncio.wait(tasks, timeout=seconds)


def _by_free_names(
    offered: Iterable[tuple[RemoteEndpoint, Part]], taken: Collection[str]
) -> dict[str, tuple[RemoteEndpoint, Part]]:
    """Return what is offered, each by a name that nobody else has."""
    used, found = set(taken), dict[str, tuple[RemoteEndpoint, Part]]()
    for endpoint, part in offered:
        name = _free_name(part.name, endpoint.name, used)
        used.add(name)
        found[name] = endpoint, part
    return found


def _free_name(name: str, endpoint: str, taken: Collection[str]) -> str:
    """Return a name, behind that of its endpoint where it is taken, as every model takes it."""
    if name not in taken:
        return name
    own = f"{endpoint}.{name}"
    longer = chain([own], (f"{own}.{number}" for number in count(2)))
    return next(free for one in longer if (free := portable_names([one])[one]) not in taken)
