"""One text field out of JSON that is still coming, piece by piece. Knows no schema and no use.

What is read here is read early and believed late: the whole reply is still to be checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from typing import TypeAlias

_Signs: TypeAlias = "Generator[None, str, None]"
_Escaped: TypeAlias = "Generator[None, str, str]"
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LOST = "\ufffd"
_OPENING = re.compile(r"\s*(?:`{0,2}|```[ \t]*(?:j|js|jso|json)?[ \t\r]*(?:\n\s*)?)", re.IGNORECASE)


def mended(text: str) -> str:
    """Return a text without halves of surrogate pairs, which nothing can be written with."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class GrowingField:
    """Reads the text under one name at the top of an object, while the object still grows."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._told: list[str] = []
        self._opening = ""
        self._begun = False
        self._signs = self._object()
        next(self._signs)
        self.is_other = False
        """Whether what came can be no object any more, fenced or not."""

    def feed(self, piece: str) -> str:
        """Take the next piece of JSON, and return what the field has grown by."""
        for sign in piece if self._begun else self._opened(piece):
            self._signs.send(sign)
        told = "".join(self._told)
        self._told.clear()
        return told

    def _opened(self, piece: str) -> str:
        """Return the piece behind the bracket that opens the object, if it has come."""
        self._opening += piece
        before, bracket, rest = self._opening.partition("{")
        self.is_other = not _OPENING.fullmatch(before)
        self._begun = bool(bracket) and not self.is_other
        return rest if self._begun else ""

    def _object(self) -> _Signs:
        """Read names and values; a value counts only at the top, and only the first of its name."""
        depth, is_name, name, is_read = 1, True, "", False
        while True:
            sign = yield
            if sign == '"' and depth == 1 and is_name:
                raw: list[str] = []
                yield from _text(raw.append)
                name = "".join(raw)
            elif sign == '"':
                is_wanted = depth == 1 and name == self._name and not is_read
                yield from _text(self._told.append if is_wanted else _forget)
                is_read = is_read or is_wanted
            elif sign in ",:" and depth == 1:
                is_name = sign == ","
            elif sign in "{[":
                depth += 1
            elif sign in "}]":
                depth -= 1


def _forget(_: str) -> None:
    """Let a text pass that nobody wants."""


def _text(keep: Callable[[str], None]) -> _Signs:
    """Read a text up to its closing quote, and keep its signs as they are meant."""
    high = ""
    while (sign := (yield)) != '"':
        if sign == "\\":
            sign = yield from _escape()
        if high:
            pair = mended(high + sign)
            keep(pair if len(pair) == 1 else _LOST)
            high, sign = "", "" if len(pair) == 1 else sign
        if "\ud800" <= sign <= "\udbff":
            high = sign
        elif sign:
            keep(mended(sign))
    if high:
        keep(_LOST)


def _escape() -> _Escaped:
    sign = yield
    if sign != "u":
        return _ESCAPES.get(sign, sign)
    digits = ""
    while len(digits) < 4:
        digits += yield
    try:
        return str(json.loads(f'"\\u{digits}"'))
    except ValueError:
        return _LOST
