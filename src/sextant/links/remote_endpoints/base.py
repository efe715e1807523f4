"""What remote endpoints of every kind have alike. A kind offers agents, actions or both."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable

from sextant.errors import PeerError
from sextant.links.remote_endpoints.connection import RemoteConnection
from sextant.ports import RemoteEvent
from sextant.settings import RemoteEndpointSettings, Settings
from sextant.types import Json, JsonObject, RemoteCall, RemoteRun


class ConnectedEndpoint:
    """An endpoint and the connections to it; without more, it has no agent and no action."""

    def __init__(self, remote: RemoteEndpointSettings, settings: Settings) -> None:
        self._connection = RemoteConnection(remote, settings)
        self._remote, self._settings = remote, settings

    @property
    def name(self) -> str:
        """How it is called here."""
        return self._remote.name

    async def execute(
        self,
        call: RemoteCall,  # noqa: ARG002 - the port's
        action: str,
        arguments: JsonObject,  # noqa: ARG002 - the port's
    ) -> Json:
        """Refuse, as nothing was offered."""
        raise PeerError(f"{self.name} has no action {action[:80]!r}.", "Ask for something else.")

    def run(
        self,
        call: RemoteCall,  # noqa: ARG002 - the port's
        run: RemoteRun,
    ) -> AsyncGenerator[Iterable[RemoteEvent], None]:
        """Refuse, as nobody was offered."""
        raise PeerError(f"{self.name} has no agent {run.agent[:80]!r}.", "Ask for another one.")

    async def load_state(
        self,
        call: RemoteCall,  # noqa: ARG002 - the port's
        agent: str,  # noqa: ARG002 - the port's
        thread_id: str,  # noqa: ARG002 - the port's
    ) -> JsonObject | None:
        """Return nothing: what an agent last told is kept here."""
        return None

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connection.close()
