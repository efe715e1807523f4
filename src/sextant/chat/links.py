"""Whom a copilot asks outside of this process. Knows ports, no adapter."""

from __future__ import annotations

from dataclasses import dataclass

from sextant.ports import Guardrail


@dataclass(frozen=True, slots=True)
class CopilotLinks:
    """What is held open for a copilot."""

    guardrails: tuple[Guardrail, ...] = ()

    async def close(self) -> None:
        """Let go of all of it."""
        for one in self.guardrails:
            await one.close()
