"""How much one file may hold. Knows no format; every reader asks it before it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from sextant.errors import TooMuch


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Lengths are in characters, ``bytes`` in bytes, the rest are counts. Over one is TooMuch."""

    text: int = 20_000_000
    lines: int = 1_000_000
    documents: int = 100_000
    cells: int = 5_000_000
    columns: int = 10_000
    nodes: int = 2_000_000
    depth: int = 100
    pages: int = 20_000
    output: int = 2_000
    name: int = 500
    value: int = 2_000
    links: int = 20_000
    members: int = 20_000
    unpacked: int = 500_000_000
    ratio: int = 200


DEFAULT = ReadLimits()


def at_most(limit: int, count: int, what: str) -> None:
    """Refuse to go on when there is more of something than is taken."""
    if count > limit:
        raise TooMuch(
            f"It holds more than {limit:,} {what}.", "Split the file, or leave a part of it out."
        )
