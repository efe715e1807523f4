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
from sextant.ingest.threads import in_thread
from sextant.ports import Embedder
from sextant.query import Query
from sextant.types import Scope

ALIVE = {"status": "alive"}
FRESH_S = 2.0
_EMBEDDED_FRESH_S = 300.0
_PATIENCE_S = 3.0  # who asks every few seconds waits for 4 s, as in deploy/compose.yaml


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
        """Return which part answers; all are asked at once, so that none waits for another."""
        async with self._asking:
            await asyncio.gather(*(self._ask(name, part) for name, part in self.parts.items()))
            return {name: self._found[name] for name in self.parts}

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


def readiness_of(sextant: Sextant, tenant: str, *, has_jobs: bool = False) -> Readiness:
    """Return what tells whether a whole Sextant is ready.

    The store is searched: one whose vectors somebody made anew by another embedder answers no
    question, though it still tells what it holds. Of threads in which nothing gets its turn, it is
    told whose they are: requests', or jobs'.
    """
    parts = {
        "store": Part(lambda: sextant.store.index.search(Scope(tenant), Query("ready", k=1))),
        "embedder": embedding(sextant.embedder),
        "threads": Part(lambda: asyncio.to_thread(_turn)),
    }
    return Readiness(parts | ({"jobs": Part(lambda: in_thread(_turn))} if has_jobs else {}))


def _turn() -> None:
    """Take a turn in a thread, and leave it at that."""


def embedding(embedder: Embedder) -> Part:
    """Return how to ask an embedder; one that answered is not asked again for a while."""
    return Part(lambda: embedder.embed(["ready"], "query"), _EMBEDDED_FRESH_S)
