"""Text of documents as Markdown that does nothing: no link, no image, no tag. Knows no source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from itertools import pairwise

from sextant.text.code_spans import code_in, code_span, code_spans
from sextant.text.markup.saying import HELD, says_something
from sextant.text.markup.shortcodes import without_shortcodes
from sextant.text.markup.tags import tags_in_one_line, without_remarks, without_tags, written_code

_TARGET = r"\((?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,500}\)){0,2000})(?:\s[^()]{0,500})?\)"
_IMAGE = re.compile(rf"!\[([^\[\]]{{0,500}})\](?:{_TARGET}|\[[^\[\]]{{0,200}}\])")
_LINK = re.compile(
    rf"\[([^\[\]]{{1,500}})\](?:{_TARGET}|\[[^\[\]]{{0,200}}\])"
    rf"|\[(?=[^\[\]]{{0,200}}\[)((?:[^\[\]]|\[[^\[\]]{{0,200}}\]){{1,500}})\]{_TARGET}"
)
_CUT_LINK = re.compile(r"!?\[([^\[\]]{1,500})\]\((?:(?:https?:|[./#])[^\s()]{0,2000})?\Z")
"""A link that a passage ends in."""

_AUTOLINK = re.compile(r"<((?:[A-Za-z][A-Za-z0-9+.-]{1,20}:|[\w.+-]{1,64}@)[^\s<>]{1,2000})>")
_STARRED = (
    re.compile(r"\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*"),
    re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]{1,500}?)(?<=[^\s*])\*(?![\w*])"),
)
_UNDERLINED = (
    re.compile(r"(?<!\w)__(?=\S)(.{1,500}?)(?<=\S)__(?!\w)"),
    re.compile(r"(?<![\w\\])_(?=[^\s_])([^_]{1,500}?)(?<=[^\s_])_(?!\w)"),
)
_ADDRESS = re.compile(
    r"(?:(?:[A-Za-z][A-Za-z0-9+.-]{1,20}:/{1,3}|www\.)(?:[^\s`<>]|<[\w-]{1,40}>)+|mailto:[^\s`<>]+)(?<![.,;:!?'\")])|"
    r"(?:(?<![\w/])@[\w.-]{1,64}/)?[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
)
_SIGNS = re.compile(r"\\`|[\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])|!(?=\[)|&(?=#?\w{1,40};)")
_LEADING = re.compile(r"^(?:[-+#>=|]|\d{1,9}(?=[.)](?:\s|$)))")
_QUOTED_ON = re.compile(r"\n[ \t]*>[> \t]*")
_MARKED = re.compile(r"[\[<*_]")
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_HIDING = frozenset("\u00ad\u200b\u2060\ufeff") | frozenset(map(chr, range(0xE0000, 0xE01F0)))
"""Signs that show nothing, in which a text can be hidden."""


def readable(text: str, kind: str = "") -> str:
    """Return text on one line, without the marks of its format; code stays as it is.

    Where the format is not known, marks of Markdown and well-formed tags are left out, and
    backslashes stay.
    """
    text = _QUOTED_ON.sub("\n", tags_in_one_line(text) if kind in MARKED else text)
    if kind in MARKED and "<" in text:
        text = written_code(text)
    spans = code_spans(text)[:_MOST_CODE]
    if not spans:
        return _unmarked(printable(text), kind)
    kept, at = [], 0
    for number, (start, end) in enumerate(spans):
        kept += [printable(text[at:start]), HELD + chr(_FIRST_HELD + number)]
        at = end
    held = [_on_one_line(text[start:end]) for start, end in spans]
    read = _unmarked("".join([*kept, printable(text[at:])]), kind)
    return _HELD.sub(lambda one: held[ord(one[1]) - _FIRST_HELD], read)


MARKED = frozenset({"markdown", "notebook"})
"""Formats whose text is Markdown, with all that its renderers put into it."""

_UNTAGGED = frozenset(
    {"text", "rst", "csv", "email", "mbox", "html", "pdf", "docx", "pptx", "xlsx", "code", "yaml"}
)
"""Formats whose text has no tags: what looks like one stands there for a reader to see."""

_FIRST_HELD, _MOST_CODE = 0xE000, 6_400
_HELD = re.compile(f"{HELD}([\ue000-\uf8ff])")
"""Stands for code while the marks around it go: signs that nothing printable has."""

_ESCAPE = re.compile(r"\\([!-/:-@\[-_{-~])")
_FIRST_ESCAPED = 0xF0000
_UNESCAPED = {_FIRST_ESCAPED + sign: sign for sign in range(128)}
"""The same for signs behind a backslash. Back-ticks keep theirs: without it they begin code."""


def _on_one_line(code: str) -> str:
    """Return code without signs that are not seen; a line break in it reads as a blank."""
    return "\t".join(map(printable, code.split("\t")))


def _unmarked(text: str, kind: str) -> str:
    is_marked = kind in MARKED
    if is_marked and "\\" in text:
        text = _ESCAPE.sub(lambda one: chr(_FIRST_ESCAPED + ord(one[1])), text)
    if is_marked and ("{" in text or "}" in text or "[[" in text):
        text = without_shortcodes(without_remarks(text))
    if _MARKED.search(text):
        text = _LINK.sub(r"\1\2", _IMAGE.sub(_pictured, text))
        text = _CUT_LINK.sub(r"\1", text) if is_marked else text
        if kind not in _UNTAGGED:
            text = without_tags(_AUTOLINK.sub(r"\1", text) if is_marked else text)
        for pattern in _STARRED if kind in _UNTAGGED else (*_STARRED, *_UNDERLINED):
            text = pattern.sub(r"\1", text)
    if is_marked:
        text = text.translate(_UNESCAPED)
        text = printable(unescape(text)) if "&" in text else text
    return " ".join(text.split())


def _pictured(image: re.Match[str]) -> str:
    return image[1] if says_something(image[1]) else ""


def printable(text: str) -> str:
    """Return text without signs that are not seen but do something."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_SHOWN)


class _Shown(dict[int, int | str | None]):
    """What each sign is shown as, worked out when it is first met."""

    def __missing__(self, code: int) -> int | str | None:
        sign = chr(code)
        hidden = sign in _DROPPED or unicodedata.category(sign) in _UNSEEN
        shown = " " if sign.isspace() else None if hidden else code
        if code <= _BASIC_PLANE:
            self[code] = shown
        return shown


_BASIC_PLANE = 0xFFFF
_DROPPED = _BIDI | _HIDING
_UNSEEN = frozenset({"Cc", "Cs", "Co", "Cn"})
_SHOWN = _Shown()


def inert(text: str) -> str:
    """Return a line as Markdown that shows it as it is; addresses are shown as code."""
    told, at = [], 0
    for start, end in code_spans(text):
        told += [_addressed(text[at:start]), code_span(code_in(text[start:end]))]
        at = end
    told.append(_addressed(text[at:]))
    return _LEADING.sub(_escaped_start, _join_apart(told).strip())


def line_of_code(line: str) -> str:
    """Return a line of a source as code, every sign of it that is seen; nothing of a blank one."""
    code = _on_one_line(line.strip())
    return code_span(code) if code else ""


def _addressed(text: str) -> str:
    told, at = [], 0
    for address in _ADDRESS.finditer(text):
        told += [_escaped(text[at : address.start()]), code_span(address.group())]
        at = address.end()
    return _join_apart([*told, _escaped(text[at:])])


def _join_apart(pieces: Sequence[str]) -> str:
    """Join pieces of Markdown; code that touches other code would end somewhere else."""
    kept = [piece for piece in pieces if piece]
    for at, (before, piece) in enumerate(pairwise(kept), 1):
        if before.endswith("`") and piece.startswith("`"):
            kept[at] = f" {piece}"
    return "".join(kept)


def _escaped(text: str) -> str:
    return _SIGNS.sub(lambda sign: sign[0] if len(sign[0]) > 1 else "\\" + sign[0], text)


def _escaped_start(start: re.Match[str]) -> str:
    sign = start.group()
    return sign + "\\" if sign[0].isdigit() else "\\" + sign
