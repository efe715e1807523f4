"""One server behind a gateway: what it offers now, and whether it can be asked. Knows no caller."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from sextant.errors import PeerError, SextantError
from sextant.ports import ToolServer
from sextant.toolbox.catalogue.flags import flags_of
from sextant.toolbox.catalogue.nouns import Catalogue
from sextant.toolbox.catalogue.sources import catalogue_of_server
from sextant.types import Tool

RETRY_S = 30.0
"""A server that failed is tried again after this, so that one that hangs costs little."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that a server has: as the catalogue knows it, and as the server lists it."""

    tool: Tool
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Listed:
    """What a server lists, as a source of tools for an import."""

    name: str
    catalogue: Catalogue

    async def read(self) -> Catalogue:
        """Return what was listed."""
        return self.catalogue


@dataclass(slots=True)
class Upstream:
    """A server of others, held open."""

    server: ToolServer
    personas: frozenset[str] = frozenset()
    offers: Mapping[str, Offer] = field(default_factory=dict)
    error: SextantError | None = None
    """Why the server cannot be asked, if it could not when it was last tried."""
    _changes: int = -1
    _read_at: float = -math.inf

    @property
    def name(self) -> str:
        """How the server is called here, as the first part of its tools' ids."""
        return self.server.name

    @property
    def is_changed(self) -> bool:
        """Whether the server has said that its list is another one than was read."""
        return self.error is None and self.server.changes != self._changes

    def is_due(self, every: float) -> bool:
        """Whether the list is so old, or the last failure so long ago, that it is to be read."""
        return monotonic() - self._read_at > (RETRY_S if self.error else every)

    @property
    def was_read(self) -> bool:
        """Whether the server was asked, and answered or failed to."""
        return self.error is not None or self._changes >= 0

    async def list_tools(self) -> Listed:
        """Read what the server lists now; what it offered before stays where that fails."""
        changes = self.server.changes
        self._read_at = monotonic()
        try:
            listed = await self.server.tools()
        except SextantError as error:
            self.error = error
            raise
        found = catalogue_of_server(self.name, listed, self.personas)
        entries = {str(entry.get("name")): entry for entry in listed}
        self.offers = {
            tool.id: Offer(replace(tool, flags=flags_of(tool)), entries[tool.name])
            for tool in found.tools
        }
        self.error, self._changes = None, changes
        return Listed(self.name, found)

    async def call(self, offer: Offer, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a tool answers, in the protocol's own form."""
        try:
            return await self.server.call(offer.tool.name, arguments)
        except PeerError:
            self._read_at = -math.inf  # what it offers may be out of date
            raise
