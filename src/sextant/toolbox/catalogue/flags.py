"""What is suspicious about a tool: texts that steer whoever chooses, hide, or order.

A flagged tool is taken and can be selected: its texts are data like all others. The mark is for
people, and for doors that show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any

from sextant.text.orders import has_order
from sextant.text.orders.reading import as_read
from sextant.text.orders.rule import Rule, stems_in
from sextant.toolbox.catalogue.steering import SECRETS, STEERING
from sextant.types import Tool


class ToolFlag(StrEnum):
    """Why a tool is to be looked at before it is trusted."""

    ORDER = "order"
    """It speaks to the assistant as a document must not."""
    STEERING = "steering"
    """It wants to be chosen whatever is asked, or others not to be."""
    SECRETS = "secrets"
    """It wants keys or private files, or to be kept from the user."""
    HIDDEN = "hidden_text"
    """It has text that a person does not see."""


_LONGEST_READ = 50_000
"""Characters of one text that are looked at; the longest description of the 527 tools of
LiveMCPBench has 3,841."""
_MOST_TEXTS = 5_000
"""Texts of one tool that are looked at; the largest of those 527 has 241."""
_SPACES = re.compile(r"\s+")
_NAME = re.compile(r"[A-Za-z0-9_.$-]{0,100}")
_TAGS = range(0xE0000, 0xE0080)
_SELECTORS = range(0xE0100, 0xE01F0)
_TURNING = frozenset("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")
_UNSEEN = frozenset("\u200b\u2060\u2061\u2062\u2063\u2064\u180e\u115f\u1160\u3164\uffa0")
_MOST_UNSEEN = 2
"""One or two are left behind by copying from a web page; a message needs more."""
_ESCAPE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_COMMENT = re.compile(r"<!--.{20,2000}?-->", re.DOTALL)


def flags_of(tool: Tool) -> tuple[str, ...]:
    """Return what is suspicious about a tool, in any text of it that a model gets to read."""
    found: set[ToolFlag] = set()
    for text in islice(_texts(tool), _MOST_TEXTS):
        found.update(_flags_in(text[:_LONGEST_READ]))
    return tuple(flag.value for flag in ToolFlag if flag in found)


def _flags_in(text: str) -> Iterator[ToolFlag]:
    if _hides(text):
        yield ToolFlag.HIDDEN
    if _NAME.fullmatch(text):
        return
    read = _SPACES.sub(" ", as_read(text)[0])
    stems = stems_in(read)
    if has_order(text):
        yield ToolFlag.ORDER
    if _breaks(STEERING, read, stems):
        yield ToolFlag.STEERING
    if _breaks(SECRETS, read, stems):
        yield ToolFlag.SECRETS


def _breaks(rules: Sequence[Rule], read: str, stems: frozenset[str]) -> bool:
    return any(True for rule in rules for _ in rule.spans(read, stems, len(read)))


def _texts(tool: Tool) -> Iterator[str]:
    yield tool.name
    yield tool.description
    yield from _strings(tool.schema)
    yield from _strings(tool.returns)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, own in value.items():
            yield key
            yield from _strings(own)
    elif isinstance(value, list):
        for own in value:
            yield from _strings(own)


def _hides(text: str) -> bool:
    """Whether somebody who reads the text does not see all of it."""
    if _ESCAPE.search(text) or _COMMENT.search(text):
        return True
    if text.isascii():
        return False
    unseen = sum(sign in _UNSEEN for sign in text)
    return unseen > _MOST_UNSEEN or any(
        sign in _TURNING or ord(sign) in _SELECTORS or ord(sign) in _TAGS for sign in text
    )
