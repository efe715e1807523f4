"""Nobody is asked who they are: only for this machine, where scorers and drivers run."""

from __future__ import annotations

from sextant.serve.caller import EVERY_ROLE, Caller
from sextant.settings import Settings


class Nobody:
    """Lets everybody in, as the same caller."""

    def __init__(self, settings: Settings) -> None:
        self._caller = Caller("nobody", settings.serve.tenant, roles=EVERY_ROLE)

    async def caller(self, token: str | None) -> Caller:  # noqa: ARG002 - any token will do
        """Return who everybody is."""
        return self._caller

    async def close(self) -> None:
        """Nothing is open."""
