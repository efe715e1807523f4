"""Pages, dictionaries and articles as sections: a title and paragraphs. Knows no package."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

_BESIDE = "script,style,nav,header,footer,form,.sphinxsidebar,.related,.toc,.navheader,.navfooter"
_PARTS = "h1,h2,h3,h4,p,li,pre,dt,td"
_HEADING = re.compile(r"h\d")
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SHORT = 70
_ENTRY = 1_100


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below a heading."""

    title: str
    paragraphs: Sequence[str]


def in_html(page: bytes) -> Iterator[Section]:
    """Yield the sections of a page, each under its title and heading."""
    tree = LexborHTMLParser(page)
    for node in tree.css(_BESIDE):
        node.decompose()
    found = tree.css_first("title")
    title, heading, paragraphs = found.text() if found else "", "", list[str]()
    body = tree.css_first("[role=main]") or tree.css_first("main") or tree.body
    for node in body.css(_PARTS) if body else ():
        if _HEADING.fullmatch(node.tag or ""):
            yield _section(title, heading, paragraphs)
            heading, paragraphs = node.text().strip("¶# \n"), []
        elif node.tag not in ("li", "td") or not node.css_first("p,li,pre"):
            paragraphs.append(node.text())
    yield _section(title, heading, paragraphs)


def in_text(title: str, text: str) -> Iterator[Section]:
    """Yield the sections of a plain page: a short line by itself is a heading."""
    heading, paragraphs = "", list[str]()
    for part in re.split(r"\n\s*\n", text):
        plain = re.sub(r"[=#~*^-]{2,}|^#+", "", part).strip()
        if plain and len(plain) < _SHORT and "\n" not in plain:
            yield _section(title, heading, paragraphs)
            heading, paragraphs = plain, []
        elif plain:
            is_code = part.startswith("    ")
            paragraphs.append(part if is_code else re.sub(r"\s*\n\s*", " ", part.strip()))
    yield _section(title, heading, paragraphs)


def in_dictionary(index: str, packed: bytes) -> Iterator[Section]:
    """Yield the entries of a dictionary of dictd."""
    data = gzip.decompress(packed)
    for line in index.splitlines():
        word, _, place = line.partition("\t")
        start, _, length = place.partition("\t")
        if length and not word.startswith("00"):
            begin = _number(start)
            entry = data[begin : begin + _number(length)].decode("utf-8", "ignore")
            yield Section(word, [re.sub(r"\s+", " ", entry)[:_ENTRY]])


def in_wiki(dump: str) -> Iterator[Section]:
    """Yield the sections of articles as MediaWiki exports them."""
    for page in re.findall(r"<page>.*?</page>", dump, re.DOTALL):
        found = re.search(r"<title>(.*?)</title>.*<text[^>]*>(.*?)</text>", page, re.DOTALL)
        if found and ":" not in found[1] and not found[2].lower().startswith("#redirect"):
            heading, paragraphs = "", list[str]()
            for line in _without_markup(found[2]).split("\n"):
                if named := re.match(r"=+\s*(.*?)\s*=+\s*$", line):
                    yield _section(found[1], heading, paragraphs)
                    heading, paragraphs = named[1], []
                else:
                    paragraphs.append(line.strip("*:;# "))
            yield _section(found[1], heading, paragraphs)


def _without_markup(text: str) -> str:
    text = html.unescape(html.unescape(text))
    for _ in range(4):  # templates stand in templates
        text = re.sub(r"\{\{[^{}]*\}\}", "", text)
    text = re.sub(r"\{\|.*?\|\}", "", text, flags=re.DOTALL)
    text = re.sub(r"<ref[^>]*/>|<ref.*?</ref>|<!--.*?-->|<[^>]+>", "", text, flags=re.DOTALL)
    text = re.sub(r"\[\[(?:File|Image|Category)[^\[\]]*(?:\[\[[^\]]*\]\][^\[\]]*)*\]\]", "", text)
    text = re.sub(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]", r"\1", text)
    return re.sub(r"'{2,}|\[https?:\S+ ?|\]", "", text)


def _section(title: str, heading: str, paragraphs: Sequence[str]) -> Section:
    named = " > ".join(one for one in (title.strip(), heading) if one)
    return Section(re.sub(r"\s+", " ", named), paragraphs)


def _number(digits: str) -> int:
    value = 0
    for digit in digits:
        value = 64 * value + _DIGITS.index(digit)
    return value
