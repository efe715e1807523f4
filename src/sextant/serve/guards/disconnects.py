"""When a client leaves, the work for it stops. Every later guard finds the turn in the state."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from sextant.serve.door import door_of
from sextant.serve.guards.turn import Turn


class Leaving:
    """Plays each request as a turn.

    A door may be told that a client left and end its work itself, as MCP does in its SDK's order.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Play one turn."""
        turn = Turn(scope, receive, send)
        scope["state"]["turn"] = turn
        await turn.play(self._app, is_stopped=not door_of(scope).ends_own_work)
