"""The addresses that a reader of Markdown is led to: links, images, tags, and bare addresses.

The reader is markdown-it, which is not ours; bare addresses are found as GitHub's flavour does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

_READER = MarkdownIt("commonmark", {"html": True}).enable("table")
_BARE = re.compile(r"(?:https?://|(?<![\w-])www(?=\.))[-.\w]+[^ \t\r\n<]*", re.IGNORECASE)
_BOGUS = re.compile(r"<!\[[^>]*>?")
"""A comment to browsers; Python's reader gives up on it."""
_AWAY = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}", re.IGNORECASE)


def led_to(text: str) -> list[str]:
    """Return every address in a text that leads away from its page."""
    found = [own for token in _READER.parse(text) for own in _addresses(token)]
    return [unquote(own) for own in found if _AWAY.match(re.sub(r"[\x00-\x20]", "", own))]


def _addresses(token: Token) -> Iterator[str]:
    if token.type in ("html_block", "html_inline"):
        yield from _in_tags(token.content)
    for name in ("href", "src"):
        if token.attrs.get(name):
            yield str(token.attrs[name])
    depth = 0
    for child in token.children or ():
        depth += child.nesting if child.type.startswith("link") else 0
        if child.type == "text" and not depth:
            yield from (one.rstrip(".,;:!?)]}*_~'\"`") for one in _BARE.findall(child.content))
        yield from _addresses(child)


def _in_tags(html: str) -> Iterator[str]:
    reader = _Tags()
    reader.feed(_BOGUS.sub("", html))
    reader.close()
    yield from reader.values


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.values: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.values += [value for _, value in attrs if value]
