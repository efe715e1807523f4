"""HTML pages: the main text, and what the page says of itself in its head."""

from __future__ import annotations

import re
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from sextant.ingest.read.dates import moment
from sextant.ingest.read.declared import language_tag, web_address
from sextant.ingest.read.decode import decode_within, storable
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.prose.markdown import first_heading
from sextant.ingest.read.web.elements import refuse_depth, visible_text
from sextant.ingest.read.web.walk import Walker
from sextant.ingest.values import Reading

_CHARSET = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)")
_HEADER_CHARSET = re.compile(r"charset=\"?([\w.:-]+)", re.IGNORECASE)
_CREATED = (
    "article:published_time", "date", "dc.date", "dcterms.created", "datepublished", "pubdate",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "dcterms.modified", "last-modified", "revised",
    "datemodified",
)  # fmt: skip
_KEPT = {"description": "description", "og:description": "description", "author": "author"}


def read_html(given: Given) -> list[Reading]:
    """Read a page; navigation, scripts and the like are left out."""
    decoded = decode_within(given.data, given.limits, _charset(given))
    tree = _parse(decoded.text)
    draft = Draft(given.limits)
    write_page(draft, tree)
    meta = _meta(tree)
    title = _text_of(tree, "title") or meta.get("og:title", "") or first_heading(draft.blocks)
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=title or readable_name(given.path),
            url=_canonical(tree, meta),
            source_type=given.format,
            language=_language(tree, meta),
            created=_first_moment(meta, _CREATED),
            modified=_first_moment(meta, _MODIFIED),
            tags=_tags(meta),
            links=tuple(draft.links),
            metadata={name: meta[key] for key, name in _KEPT.items() if meta.get(key)},
            notes=decoded.notes,
        )
    ]


def write_html(draft: Draft, html: str) -> None:
    """Write what a piece of HTML shows, such as the body of a message."""
    write_page(draft, _parse(html))


def write_page(draft: Draft, tree: LexborHTMLParser) -> None:
    """Write the main part of a page, or all of its body if no part is marked as that."""
    before = len(draft.blocks)
    for root in _mains(tree):
        Walker(draft).walk(root)
    if len(draft.blocks) == before and tree.body is not None:
        Walker(draft).walk(tree.body)


def _parse(html: str) -> LexborHTMLParser:
    refuse_depth(html)
    return LexborHTMLParser(html)


def _mains(tree: LexborHTMLParser) -> list[LexborNode]:
    for query in ("main", "[role=main]"):
        found = tree.css(query)
        if found:
            return found[:1]
    articles = tree.css("article")
    return articles if len(articles) == 1 else []


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    meta: dict[str, str] = {}
    for node in tree.css("meta"):
        attributes = node.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
        name = name or attributes.get("http-equiv") or ""
        content = " ".join(storable(attributes.get("content") or "").split())
        if name and content:
            meta.setdefault(name.lower(), content)
    return meta


def _text_of(tree: LexborHTMLParser, query: str) -> str:
    node = tree.css_first(query)
    return storable(visible_text(node)) if node is not None else ""


def _canonical(tree: LexborHTMLParser, meta: dict[str, str]) -> str:
    node = tree.css_first("link[rel=canonical]")
    address = (node.attributes.get("href") or "") if node is not None else ""
    return web_address(storable(address)) or web_address(meta.get("og:url", ""))


def _language(tree: LexborHTMLParser, meta: dict[str, str]) -> str:
    node = tree.css_first("html")
    given = (node.attributes.get("lang") or "") if node is not None else ""
    return language_tag(given) or language_tag(meta.get("content-language", ""))


def _first_moment(meta: dict[str, str], names: tuple[str, ...]) -> datetime | None:
    return next((found for name in names if (found := moment(meta.get(name)))), None)


def _tags(meta: dict[str, str]) -> frozenset[str]:
    words = (word.strip() for word in meta.get("keywords", "").split(","))
    return frozenset(word for word in words if word)


def _charset(given: Given) -> str:
    header = _HEADER_CHARSET.search(given.media_type)
    if header:
        return header[1]
    found = _CHARSET.search(given.data[:4096])
    return found[1].decode("ascii", "replace") if found else ""
