"""Agents of other frameworks that run in this process. Knows no framework."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sextant.ports.remote_endpoints import RemoteEvent
from sextant.types import Json, JsonObject, RemoteRun, ToolSpec


@dataclass(frozen=True, slots=True)
class AgentFunction:
    """A function that an agent brings along; one that needs approval waits for a person."""

    tool: ToolSpec
    needs_approval: bool = False


@runtime_checkable
class FrameworkAgent(Protocol):
    """An agent that somebody else's framework runs here, with functions of its own."""

    @property
    def name(self) -> str:
        """How clients call it."""

    @property
    def description(self) -> str:
        """What it is for, in a sentence."""

    @property
    def functions(self) -> Sequence[AgentFunction]:
        """What it can do itself; others may have it done as actions."""

    def stream(self, run: RemoteRun) -> AsyncGenerator[Iterable[RemoteEvent], None]:
        """Yield what it tells, as it comes; calls of the actions of a run are left to us."""

    async def call(self, function: str, arguments: JsonObject) -> Json:
        """Return what one of its functions returns."""
