"""What the house says of itself: that it is alive, and whether it is ready.

Open to everybody, so it says no name, no path and no number of anybody's knowledge.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from sextant.core import Sextant
from sextant.errors import SextantError
from sextant.ports import Embedder
from sextant.types import Scope

ALIVE = {"status": "alive"}
FRESH_S = 2.0
_EMBEDDED_FRESH_S = 300.0
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Part:
    """How to ask whether something answers, and for how many seconds that it did holds."""

    ask: Callable[[], Awaitable[object]]
    fresh_s: float = FRESH_S


@dataclass(slots=True)
class Readiness:
    """Asks each part whether it answers; what was found holds for a moment."""

    parts: Mapping[str, Part]
    _found: dict[str, bool] = field(default_factory=dict)
    _since: dict[str, float] = field(default_factory=dict)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def now(self) -> dict[str, bool]:
        """Return which part answers."""
        async with self._asking:
            for name, part in self.parts.items():
                await self._ask(name, part)
            return dict(self._found)

    async def _ask(self, name: str, part: Part) -> None:
        fresh = part.fresh_s if self._found.get(name) else FRESH_S
        if name in self._since and time.monotonic() - self._since[name] < fresh:
            return
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await part.ask()
            self._found[name] = True
        except (SextantError, OSError):
            self._found[name] = False
        self._since[name] = time.monotonic()


def readiness_of(sextant: Sextant, tenant: str) -> Readiness:
    """Return what tells whether a whole Sextant is ready."""
    store = Part(lambda: sextant.store.truth.chunk_ids(Scope(tenant), ["ready"]))
    return Readiness({"store": store, "embedder": embedding(sextant.embedder)})


def embedding(embedder: Embedder) -> Part:
    """Return how to ask an embedder; one that answered is not asked again for a while."""
    return Part(lambda: embedder.embed(["ready"], "query"), _EMBEDDED_FRESH_S)
