"""Servers of others that have agents and actions for copilots. Knows no protocol."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import Protocol, TypeAlias

from sextant.types import (
    ActionEnded,
    ActionReturned,
    ActionStarted,
    ArgumentsAdded,
    Interrupted,
    Json,
    JsonObject,
    Offer,
    RemoteCall,
    RemoteRun,
    RemoteState,
    TextAdded,
    TextEnded,
    TextStarted,
)

RemoteEvent: TypeAlias = (
    TextStarted
    | TextAdded
    | TextEnded
    | ActionStarted
    | ArgumentsAdded
    | ActionEnded
    | ActionReturned
    | RemoteState
    | Interrupted
)
"""What an agent elsewhere tells, under ids of its own; whether that fits is not yet known."""


class RemoteEndpoint(Protocol):
    """Agents and actions that somebody else runs. Every error is a PeerError that names it.

    It is asked with the credential that is set for it, and never with a caller's token.
    """

    @property
    def name(self) -> str:
        """How it is called here."""

    async def offer(self, call: RemoteCall) -> Offer:
        """Return the agents and actions that are there now."""

    async def execute(self, call: RemoteCall, action: str, arguments: JsonObject) -> Json:
        """Return what an action returns; one that fails is a PeerError."""

    def run(self, call: RemoteCall, run: RemoteRun) -> AsyncGenerator[Iterable[RemoteEvent], None]:
        """Yield what an agent tells, as much as comes at once, until it has ended.

        What is wrong with it is a PeerError, also while a batch is read.
        """

    async def load_state(self, call: RemoteCall, agent: str, thread_id: str) -> JsonObject | None:
        """Return the state of an agent in a thread, or None where there is no such thread."""

    async def close(self) -> None:
        """Let go of the connections."""
