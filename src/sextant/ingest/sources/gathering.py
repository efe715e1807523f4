"""One door to every kind of place, and how to know that nothing was overlooked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sextant.errors import InvalidInput
from sextant.ingest.sources.archives.unpack import archive_items
from sextant.ingest.sources.folder import file_items, folder_items
from sextant.ingest.sources.local_file import open_regular
from sextant.ingest.sources.names import archive_kind
from sextant.ingest.sources.place import Place, PlaceKind
from sextant.ingest.sources.rules import SourceRules
from sextant.ingest.threads import in_thread
from sextant.ingest.values import Item, Refusal

if TYPE_CHECKING:
    import ssl

    from sextant.ingest.sources.web.addresses import Resolve

_BATCH = 64


def items(place: Place, rules: SourceRules) -> Iterator[Item | Refusal]:
    """Yield what a folder, file or archive holds, in the order of the paths, unread."""
    path = Path(place.where)
    match place.kind:
        case PlaceKind.FOLDER:
            return folder_items(place.where, rules)
        case PlaceKind.FILE:
            return file_items(str(path.parent), path.name, place.name, rules)
        case PlaceKind.ARCHIVE:
            opener = partial(open_regular, place.where, place.name)
            return archive_items(opener, archive_kind(place.name) or "", "", rules)
    raise InvalidInput(f"{place.address} is a site.", "Use gather, which fetches.")


async def fetched(
    place: Place,
    rules: SourceRules,
    resolve: Resolve | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncGenerator[Item | Refusal, None]:
    """Yield the pages of a site, nearest first; their bytes are held by the items.

    ``resolve`` finds the addresses of a host, if not the system; ``tls`` holds other certificates.
    """
    # What fetches takes long to load, and most places are no sites.
    from sextant.ingest.sources.web.addresses import system_resolve
    from sextant.ingest.sources.web.site import crawled

    async with aclosing(crawled(place, rules, resolve or system_resolve, tls)) as pages:
        async for found in pages:
            yield found


async def gather(place: Place, rules: SourceRules) -> AsyncGenerator[Item | Refusal, None]:
    """Yield what any place holds; listing and unpacking run in a thread."""
    if place.kind is PlaceKind.SITE:
        async with aclosing(fetched(place, rules)) as pages:
            async for found in pages:
                yield found
        return
    listing = items(place, rules)
    while batch := await in_thread(lambda: list(islice(listing, _BATCH))):
        for found in batch:
            yield found


def overlooked(refusal: Refusal) -> str | None:
    """Return the start of the paths that a refusal may hide; None if it hides nothing but itself.

    A folder that cannot be listed, an archive that breaks off or a site that was not seen in full
    is reported under a path that ends in a slash; "./" is the whole place, and gives "".
    """
    if refusal.skipped or not refusal.path.endswith("/"):
        return None
    return "" if refusal.path == "./" else refusal.path


def complete(refusals: Iterable[Refusal]) -> bool:
    """Say whether a listing with these refusals showed everything that is there.

    Only then, or below no path that ``overlooked`` names, may what was not listed be deleted.
    """
    return all(overlooked(refusal) is None for refusal in refusals)
