"""How much is taken from a source, and what is left out. Knows numbers, no place and no format."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceRules:
    """Every limit of a source, with its default. Sizes are in bytes, times in seconds.

    ``include`` and ``exclude`` are patterns as in a ``.gitignore``; a file must match one of the
    first, if there are any, and none of the second.

    ``most_bytes`` holds for one file, entry or page. Of an archive, ``most_total`` bytes in
    ``most_entries`` entries are unpacked, archives within it included, ``nesting`` levels deep; an
    entry over ``ratio_from`` bytes may be ``most_ratio`` times as large as its packed form.

    A site is one page, or with ``depth`` the pages that are that many links away, ``most_pages`` at
    most. ``private_addresses`` opens the networks that only this machine can see: leave it off
    wherever the address may come from somebody else.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    most_bytes: int = 64 * MEGABYTE

    most_total: int = 1024 * MEGABYTE
    most_entries: int = 100_000
    most_ratio: int = 200
    ratio_from: int = MEGABYTE
    nesting: int = 1

    depth: int = 0
    most_pages: int = 200
    most_redirects: int = 5
    delay_seconds: float = 0.2
    read_seconds: float = 20.0
    page_seconds: float = 60.0
    private_addresses: bool = False
