"""The links of an HTML page that a polite robot may follow. Knows nothing of sites."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
from selectolax.lexbor import LexborHTMLParser

from sextant.errors import InvalidInput, TooMuch
from sextant.ingest.read.web.elements import refuse_depth
from sextant.ingest.sources.web.urls import canonical


def links_of(body: bytes, url: httpx2.URL) -> Iterator[httpx2.URL]:
    """Yield the pages that a page links to, in its order; none if it asks not to be followed."""
    try:
        refuse_depth(body.decode("latin-1"))  # of any encoding that is read, tags are in ASCII
    except TooMuch:
        return
    page = LexborHTMLParser(body)
    if _forbids(page):
        return
    base = _base(page, url)
    for node in page.css("a[href], area[href]"):
        if "nofollow" in (node.attributes.get("rel") or "").lower().split():
            continue
        try:
            yield canonical(node.attributes.get("href") or "", base)
        except InvalidInput:
            continue


def _forbids(page: LexborHTMLParser) -> bool:
    for node in page.css("meta[name][content]"):
        if (node.attributes.get("name") or "").lower() in ("robots", "sextant"):
            words = (node.attributes.get("content") or "").lower().replace(",", " ").split()
            if "nofollow" in words or "none" in words:
                return True
    return False


def _base(page: LexborHTMLParser, url: httpx2.URL) -> httpx2.URL:
    node = page.css_first("base[href]")
    try:
        return url if node is None else canonical(node.attributes.get("href") or "", url)
    except InvalidInput:
        return url
