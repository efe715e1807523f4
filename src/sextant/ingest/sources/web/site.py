"""A site as a source: its first page and, on demand, the pages of its folder that lead on from it.

A page that cannot be had is refused under its own path. If pages may be missing for that, or for
the limit of pages, a last refusal says so under the path "./".
"""

from __future__ import annotations

import ssl
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import httpx2

from sextant.errors import (
    Gone,
    Ignored,
    ReadError,
    TooMuch,
    UnknownFormat,
    Unreachable,
    UnsafeSource,
)
from sextant.ingest.sources.names import unused
from sextant.ingest.sources.place import Place
from sextant.ingest.sources.rules import SourceRules
from sextant.ingest.sources.web.addresses import Resolve
from sextant.ingest.sources.web.fetching import Page, visiting
from sextant.ingest.sources.web.links import links_of
from sextant.ingest.sources.web.media import is_html
from sextant.ingest.sources.web.urls import canonical, folder_of, item_path
from sextant.ingest.threads import in_thread
from sextant.ingest.values import Item, Refusal

WHOLE = "./"


@dataclass(slots=True)
class _Crawl:
    """What is known of a site so far."""

    rules: SourceRules
    waiting: deque[tuple[httpx2.URL, int]]
    known: set[str]
    folder: str = ""
    arrived: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    missing: int = 0
    cut_short: bool = False

    def belongs(self, url: httpx2.URL) -> bool:
        """Say whether a page is in the folder that was asked for; the first page defines it."""
        return not self.folder or str(url).startswith(self.folder)


async def crawled(
    place: Place, rules: SourceRules, resolve: Resolve, tls: ssl.SSLContext | None
) -> AsyncGenerator[Item | Refusal, None]:
    """Yield the pages of a site, nearest first; their bytes are held by the items."""
    start = canonical(place.where)
    crawl = _Crawl(rules, deque([(start, 0)]), {str(start)})
    async with visiting(rules, resolve, tls) as visitor:
        while crawl.waiting:
            url, level = crawl.waiting.popleft()
            try:
                page = await visitor.page(url, crawl.belongs)
            except ReadError as error:
                yield _refused(crawl, url, level, error)
                continue
            if item := _arrived(crawl, page):
                yield item
                if level < rules.depth:
                    await in_thread(_follow, crawl, page, level + 1)
    for gap in _gaps(crawl):
        yield gap


def _refused(crawl: _Crawl, url: httpx2.URL, level: int, error: ReadError) -> Refusal:
    if level == 0:
        return Refusal(WHOLE, error)
    if not isinstance(error, Gone | Ignored | UnknownFormat | UnsafeSource):
        crawl.missing += 1
    return Refusal(item_path(url), error, skipped=isinstance(error, Ignored))


def _arrived(crawl: _Crawl, page: Page) -> Item | None:
    """Return a page as an item, unless another address led to it before."""
    address = str(page.url)
    if address in crawl.arrived:
        return None
    crawl.folder = crawl.folder or folder_of(page.url)
    crawl.known.add(address)
    crawl.arrived.add(address)
    path = unused(item_path(page.url), crawl.paths)
    crawl.paths.add(path)
    body = page.body
    return Item(path, lambda: body, len(body), page.modified, address, page.media_type)


def _follow(crawl: _Crawl, page: Page, level: int) -> None:
    if page.nofollow or not is_html(page.media_type):
        return
    for link in links_of(page.body, page.url):
        address = str(link)
        if address in crawl.known or not crawl.belongs(link):
            continue
        if len(crawl.known) >= crawl.rules.most_pages:
            crawl.cut_short = True
            return
        crawl.known.add(address)
        crawl.waiting.append((link, level))


def _gaps(crawl: _Crawl) -> list[Refusal]:
    gaps: list[ReadError] = []
    if crawl.cut_short:
        most = crawl.rules.most_pages
        gaps.append(TooMuch(f"The site has over {most} pages.", "Raise most_pages."))
    if crawl.missing:
        gaps.append(Unreachable(f"{crawl.missing} pages could not be fetched.", "Try later."))
    return [Refusal(WHOLE, gap) for gap in gaps]
