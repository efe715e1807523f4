"""The pages of the documentation as programs read them: links, anchors, code, commands."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COMMAND_PAGES = (
    ROOT / "README.md",
    *sorted(DOCS.glob("*.md")),
    ROOT / "deploy" / "azure" / "README.md",
)
PAGES = (
    *COMMAND_PAGES,
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "bench").rglob("*.md")),
    ROOT / "deploy" / "README.md",
)
_SEPARATORS = ("&&", "||", "|", "&", ";")
_CONTINUED = "\\\n"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page refers to, what can be referred to in it, and the code that it shows."""

    links: tuple[str, ...]
    anchors: frozenset[str]
    fences: tuple[tuple[str, str], ...]
    inline_code: tuple[str, ...]


@cache
def parse_page(path: Path) -> Page:
    """Read a page; what stands in code is no link and no heading."""
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or ()]
    targets = [str(token.attrs.get("href") or token.attrs.get("src") or "") for token in inline]
    return Page(
        tuple(target for target in targets if target),
        frozenset(_anchors(tokens)),
        tuple((token.info, token.content) for token in tokens if token.type == "fence"),
        tuple(token.content for token in inline if token.type == "code_inline"),
    )


def shell_commands(page: Page) -> Iterator[list[str]]:
    """Yield the words of each simple command in the page's shell blocks and in its text."""
    blocks = (content for info, content in page.fences if info == "sh")
    lines = "".join(blocks).replace(_CONTINUED, " ").splitlines()
    in_text = (code for code in page.inline_code if code.startswith("sextant "))
    for line in (*lines, *in_text):
        yield from _simple_commands(line)


def _simple_commands(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, "#"
    words: list[str] = []
    for word in lexer:
        if word in _SEPARATORS:
            yield words
            words = []
        else:
            words.append(word)
    yield words


def _anchors(tokens: list[Token]) -> Iterator[str]:
    """Yield the anchors that GitHub gives to the headings."""
    seen = Counter[str]()
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            shown = "".join(child.content for child in inline.children or ())
            anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
            yield f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
            seen[anchor] += 1
