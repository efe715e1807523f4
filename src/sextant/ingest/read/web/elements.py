"""What is in an HTML tree: visible or not, data or layout. Knows elements, and writes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborNode

from sextant.ingest.read.data.spans import Spanning, levelled, spread
from sextant.ingest.read.limits import DEFAULT, at_most

HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = frozenset(
    {
        "script", "style", "nav", "footer", "aside", "noscript", "template", "svg", "iframe",
        "button", "input", "select", "textarea", "head", "object", "canvas", "audio", "video",
        "dialog", "-comment", "-doctype",
    }
)  # fmt: skip
_HIDDEN_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})
_HIDDEN_CLASSES = frozenset(
    {
        "sidebar", "breadcrumb", "breadcrumbs", "navbar", "toc", "skip-link", "headerlink",
        "anchor-link", "sr-only", "visually-hidden", "cookie-banner",
    }
)  # fmt: skip
_SPACING = frozenset({"br", "p", "div", "li", "td", "th", "tr"})
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NEVER_DEEP = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody",
        "tfoot", "colgroup", "optgroup", "html", "head", "body",
    }
)  # fmt: skip
_DEEPEST = 1_000


def steps(
    root: LexborNode, enter: Callable[[LexborNode], bool]
) -> Iterator[tuple[LexborNode, bool]]:
    """Yield every node on the way in, and again on the way out; what is not entered is left out."""
    stack: list[LexborNode] = []
    node = root.child
    count = 0
    while node is not None or stack:
        if node is None:
            left = stack.pop()
            yield left, False
            node = left.next
            continue
        count += 1
        at_most(DEFAULT.nodes, count, "HTML elements")
        if enter(node):
            yield node, True
            stack.append(node)
            node = node.child
        else:
            node = node.next


def is_visible(node: LexborNode) -> bool:
    """Whether a reader of the page would see this as a part of its content."""
    tag = node.tag
    if tag == "-text":
        return True
    if tag in _HIDDEN:
        return False
    attributes = node.attributes
    if not attributes:
        return True
    classes = attributes.get("class") or ""
    return not (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") in _HIDDEN_ROLES
        or (classes and not _HIDDEN_CLASSES.isdisjoint(classes.split()))
    )


def visible_text(node: LexborNode) -> str:
    """Return the text that shows, on one line."""
    parts = []
    for inner, entering in steps(node, is_visible):
        if inner.tag == "-text":
            parts.append((inner.text_content or "") if entering else "")
        elif inner.tag in _SPACING:
            parts.append(" ")
    return " ".join("".join(parts).split())


def is_data(table: LexborNode) -> bool:
    """Whether a table holds data; one with headings or tables inside lays out a page."""
    return not any(
        entering and (node.tag == "table" or node.tag in HEADINGS)
        for node, entering in steps(table, is_visible)
    )


def table_rows(table: LexborNode) -> list[list[str]]:
    """Return the cells of a table, row by row; a cell that covers several is in each of them."""
    rows = []
    for node, entering in steps(table, is_visible):
        if entering and node.tag in ("tr", "caption"):
            is_caption = node.tag == "caption"
            rows.append([Spanning(visible_text(node))] if is_caption else _cells(node))
    return levelled(spread(rows))


def refuse_depth(html: str) -> None:
    """Refuse elements so deep that parsing would take the square of their number."""
    if html.count("<") < _DEEPEST:
        return
    depth = 0
    for found in _TAG.finditer(html):
        if found[2].lower() not in _NEVER_DEEP:
            depth = max(depth - 1, 0) if found[1] else depth + 1
            at_most(_DEEPEST, depth, "HTML elements inside one another")


def _cells(row: LexborNode) -> list[Spanning]:
    cells = []
    node = row.child
    while node is not None:
        if node.tag in ("td", "th") and is_visible(node):
            across, down = _span(node, "colspan"), _span(node, "rowspan")
            cells.append(Spanning(visible_text(node), across, down))
        node = node.next
    return cells


def _span(cell: LexborNode, name: str) -> int:
    told = (cell.attributes.get(name) or "").strip()
    return int(told) if told.isdecimal() and len(told) < 6 else 1
