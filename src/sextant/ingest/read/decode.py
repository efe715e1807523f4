"""Bytes to text. Knows encodings and no format; what comes out is always storable text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from sextant.errors import BrokenFile
from sextant.ingest.read.limits import ReadLimits, at_most

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 8_192
_SAMPLE = 65_536
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NOT_TEXT = "It is named like text, but its content is binary."
_REPLACEMENT = "\ufffd"
_FEW = 20
"""A text is damaged UTF-8, not another encoding, with this many sound sequences per broken one."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, with line feeds only, and a remark where something had to be replaced."""

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, declared: str = "") -> Decoded:
    """Return the text of bytes: by their mark, as UTF-8, as declared, or by a guess."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _replacing(data[len(mark) :], encoding)
    if looks_binary(data[:_HEAD]):
        raise BrokenFile(_NOT_TEXT, "Give it the ending of what it is, or leave it out.")
    wide = _wide(data[:_HEAD])
    if wide:
        return _replacing(data, wide)
    try:
        return Decoded(clean(data.decode()))
    except UnicodeDecodeError:
        return _decode_other(data, declared)


def decode_within(data: bytes, limits: ReadLimits, declared: str = "") -> Decoded:
    """Return the text of bytes unless it is longer than is taken."""
    at_most(limits.text * 4, len(data), "bytes of text")
    decoded = decode(data, declared)
    at_most(limits.text, len(decoded.text), "characters of text")
    at_most(limits.lines, decoded.text.count("\n"), "lines")
    return decoded


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file cannot be those of a text."""
    if head.startswith(tuple(mark for mark, _ in _BOMS)) or _wide(head):
        return False
    if b"\0" in head:
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls * 10 > len(head)


def clean(text: str) -> str:
    """Return the text with line feeds only, and without what no store takes."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("\ufeff"):
        text = text[1:]
    return storable(text)


def storable(text: str) -> str:
    """Return the text with half surrogates and NULs replaced, at the same length."""
    try:
        whole = "\0" not in text and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:
        whole = False
    return text if whole else _UNSTORABLE.sub(_REPLACEMENT, text)


def _decode_other(data: bytes, declared: str) -> Decoded:
    loose = data.decode(errors="replace")
    broken = loose.count(_REPLACEMENT)
    if sum(not character.isascii() for character in loose[:_SAMPLE]) > broken * _FEW:
        return Decoded(clean(loose), (_replaced(broken),))
    for encoding in (declared, _guess(data)):
        if _known(encoding):
            return _replacing(data, encoding)
    return _replacing(data, "cp1252")


def _replacing(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    before = data.count(_REPLACEMENT.encode()) if encoding == "utf-8" else 0
    broken = text.count(_REPLACEMENT) - before
    return Decoded(clean(text), (_replaced(broken),) if broken > 0 else ())


def _replaced(count: int) -> str:
    return f"{count} broken character{'s' if count > 1 else ''} replaced."


def _wide(head: bytes) -> str:
    """Name the 16-bit encoding that bytes without a mark are in, if every other one is mostly 0."""
    half = len(head) // 2
    if half < 2:
        return ""
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd * 10 >= half * 7 and even * 10 <= half:
        return "utf-16-le"
    if even * 10 >= half * 7 and odd * 10 <= half:
        return "utf-16-be"
    return ""


def _known(encoding: str) -> bool:
    try:
        return bool(encoding) and isinstance(b"".decode(encoding, "replace"), str)
    except (LookupError, ValueError):
        return False


def _guess(data: bytes) -> str:
    import charset_normalizer

    found = charset_normalizer.from_bytes(data[:_SAMPLE]).best()
    return found.encoding if found else ""
