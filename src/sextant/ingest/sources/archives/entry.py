"""One entry of an archive, before anybody decided whether to take it. Knows no format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from sextant.errors import ReadError


@dataclass(frozen=True, slots=True)
class Entry:
    """A name as the archive has it, and the way to its bytes.

    ``pieces`` never yields more than ``size`` bytes, whatever is packed. ``fault`` is set where the
    entry cannot be taken, whatever its name.
    """

    name: str
    size: int
    packed: int
    pieces: Callable[[], Iterator[bytes]]
    modified: datetime | None = None
    fault: ReadError | None = None


def nothing() -> Iterator[bytes]:
    """Yield the bytes of an entry that has none to give."""
    yield from ()
