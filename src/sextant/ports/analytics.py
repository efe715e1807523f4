"""Who takes in what copilots are used for, in numbers. Knows no protocol and no run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.types import UsageEvent


class AnalyticsSink(Protocol):
    """Takes events to where they are counted."""

    @property
    def name(self) -> str:
        """How it is called in a log."""

    async def send(self, events: Sequence[UsageEvent]) -> None:
        """Send events in one call, or raise why they are not taken.

        After a PeerUnreachable they may be sent again; every other error says that they never will
        be taken.
        """

    async def close(self) -> None:
        """Let go of what is held open."""
