"""The whole list of a server's tools, page by page, or nothing. Knows no connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from sextant.errors import PeerError

MOST_TOOLS = 50_000
_MOST_PAGES = 2_000
"""At 25 tools a page, which is few, that is every tool that is taken."""
_MOST_READINGS = 3
"""So often a list is read that changes meanwhile."""
_RUNS = "Whoever runs that server has to mend it; nothing of it was taken."


class Page(Protocol):
    """A part of a list, and where the next one is."""

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools of this page."""

    @property
    def next_cursor(self) -> str | None:
        """Where the list goes on, if it does."""


ReadPage = Callable[[str | None], Awaitable[Page]]


async def whole_list(
    server: str, read: ReadPage, changes: Callable[[], int]
) -> tuple[Mapping[str, Any], ...]:
    """Return all tools, as they were at one time: a list that changes meanwhile is read anew."""
    for _ in range(_MOST_READINGS):
        before = changes()
        found = await _pages(server, read)
        if changes() == before:
            return found
    raise PeerError(f"{server} keeps changing its list of tools while it is read.", _RUNS)


async def _pages(server: str, read: ReadPage) -> tuple[Mapping[str, Any], ...]:
    found: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await read(cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            return tuple(found)
        if cursor in seen:
            raise PeerError(f"{server} lists the same page of tools again and again.", _RUNS)
        seen.add(cursor)
        if len(found) > MOST_TOOLS:
            break
    raise PeerError(
        f"{server} lists more than {MOST_TOOLS:,} tools, or {_MOST_PAGES:,} pages of them.", _RUNS
    )
