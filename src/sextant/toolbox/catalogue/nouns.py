"""What a source says of its tools, and what of it was not taken. Knows no format and no store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sextant.types import Category, Tool, ToolRelation


@dataclass(frozen=True, slots=True)
class RefusedTool:
    """A tool or a relation that was not taken, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All that one source describes. Notes say what whoever imports it should know."""

    tools: tuple[Tool, ...] = ()
    categories: tuple[Category, ...] = ()
    relations: tuple[ToolRelation, ...] = ()
    refused: tuple[RefusedTool, ...] = ()
    notes: tuple[str, ...] = ()


class ToolSource(Protocol):
    """A place that describes tools. Its name tells its tools from those of all other sources."""

    @property
    def name(self) -> str:
        """How the source is called."""

    async def read(self) -> Catalogue:
        """Return everything that it describes, or raise an error that names it."""
