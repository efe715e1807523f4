"""One agent of AG-UI at an address of its own, called by the name that the settings give it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from uuid import uuid4

from sextant.errors import PeerError
from sextant.links.remote_endpoints.agui.events import RunReader
from sextant.links.remote_endpoints.agui.run_input import run_input
from sextant.links.remote_endpoints.agui.sse import EventData
from sextant.links.remote_endpoints.base import ConnectedEndpoint
from sextant.ports import RemoteEvent
from sextant.types import AgentCard, Offer, RemoteCall, RemoteRun

_EVENTS = {"Accept": "text/event-stream"}
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_NO_EVENTS = frozenset({*_PAGES, "application/json"})
"""As what no agent tells its events; others are taken, as AG-UI's own client takes any."""


class AguiEndpoint(ConnectedEndpoint):
    """An agent that others run; the protocol has no way to ask for its state."""

    async def offer(self, call: RemoteCall) -> Offer:
        """Return the agent, if somebody answers where it is."""
        media_type = await self._connection.reach(call, self._settings.chat.offer_seconds)
        if media_type in _PAGES:
            _check_type(media_type, self.name)
        return Offer((AgentCard(self.name, self._remote.description),))

    async def run(
        self, call: RemoteCall, run: RemoteRun
    ) -> AsyncGenerator[Iterable[RemoteEvent], None]:
        """Yield what the agent tells, as it comes."""
        whose, run_id = f"The agent {self.name}", str(uuid4())
        asked = replace(call, headers={**_EVENTS, **call.headers})
        data, reader = EventData(), RunReader(whose, run, run_id)
        body = run_input(call, run, run_id)
        reading = self._connection.stream_lines("", asked, body, whose, _check_type)
        async with aclosing(reading) as batches:
            async for lines in batches:
                yield _events(reader, data.read(lines))
        reader.check_end()


def _check_type(media_type: str, whose: str) -> None:
    if media_type in _NO_EVENTS:
        raise PeerError(
            f"{whose} answered with {media_type}, so it is no agent of AG-UI.",
            "Correct its address: events come as text/event-stream.",
        )


def _events(reader: RunReader, found: Iterable[bytes]) -> Iterator[RemoteEvent]:
    for data in found:
        yield from reader.read(data)
