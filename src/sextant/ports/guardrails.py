"""Who checks what a user writes before anybody answers. Knows no protocol and no run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sextant.types import GuardedInput, GuardVerdict


class Guardrail(Protocol):
    """Allows or denies what a user wrote."""

    @property
    def name(self) -> str:
        """How it is called in a log."""

    async def check(self, asked: GuardedInput) -> GuardVerdict:
        """Say whether it may be answered.

        A PeerUnreachable says that nobody could be asked, which a setting may take for a yes; every
        other error is a no.
        """

    async def close(self) -> None:
        """Let go of what is held open."""
