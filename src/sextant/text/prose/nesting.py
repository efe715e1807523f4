"""What the lines of a nested list stand under: the items that they are indented below."""

from __future__ import annotations

import re

_ITEM = re.compile(r"^[ \t]*(?P<mark>[-•*+]|\d{1,3}[.)])[ \t]+(?P<said>\S.*)$")
_LONGEST = 200

Item = tuple[int, bool, str]
"""How far an item is indented, whether it is numbered, and what it says."""


def items_over(text: str) -> dict[int, str]:
    """Return what the items above say, for each line that stands below some, by its start."""
    over: dict[int, str] = {}
    held: list[Item] = []
    start, after_blank = 0, True
    for line in text.split("\n"):
        if line.strip():
            item = _item(line)
            held = _still_over(held, line, item, after_blank)
            if held:
                over[start] = " ".join(said for _, _, said in held)
            held += [item] if item else []
        after_blank = not line.strip()
        start += len(line) + 1
    return over


def _item(line: str) -> Item | None:
    found = _ITEM.match(line)
    return (_indent(line), found["mark"][0].isdigit(), found["said"][:_LONGEST]) if found else None


def _still_over(held: list[Item], line: str, item: Item | None, after_blank: bool) -> list[Item]:
    """Keep the items that a line stands below; bullets may stand right below ``1. Do this:``"""
    indent = _indent(line)
    if not indent and item is None and after_blank:
        return []
    return [
        one
        for one in held
        if one[0] < indent
        or (one[0] == indent and item and one[1] and not item[1] and one[2].endswith(":"))
    ]


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))
