"""Marks inside a line of Markdown: links, and what is left of a name without marks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from heapq import merge

from sextant.ingest.values import Block, Hyperlink, Kind

_INLINE = re.compile(
    r"\[(?P<label>[^\[\]]{0,300})\]"
    r"(?:\(\s{0,3}(?P<target><[^<>\n]{0,2000}>|[^\s()<>]{1,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500})?)"
    r"|\[(?P<key>[^\[\]]{0,300})\])?"
)
_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]}|\\]{1,2000}")
_DEFINITION = re.compile(
    r"\[(?P<key>(?!\^)[^\[\]\n]{1,300})\]:[ \t]{0,9}<?(?P<target>[^\s<>]{1,2000})"
)
_LONGEST = 600
_TRAILING = ".,;:!?*_~"

_MARKED = re.compile(r"[\[\]`*_~<>{}&\\]")
_COMMENT = re.compile(r"<!--.*?-->|\{\{.*?\}\}|\{[#.:][^{}]*\}")
_CODE = re.compile(r"(`+)(.+?)\1(?!`)")
_LINKED = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?[^()]*\)|\[[^\[\]]*\])?")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]*:[^<>\s]*)>")
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1")
_UNDERSCORED = re.compile(r"(?<![\w\\])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain_name(raw: str) -> str:
    """Return a heading as plain text: no anchor, no marks, one blank between words."""
    raw = raw[:_LONGEST].strip()
    if raw.endswith("}") and "{#" in raw:
        raw = raw[: raw.rindex("{#")]
    if not _MARKED.search(raw):
        return " ".join(raw.split())
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[2])
        return f"\x00{len(held) - 1}\x00"

    text = _CODE.sub(hold, raw.replace("\x00", ""))
    text = _AUTOLINK.sub(r"\1", _COMMENT.sub("", text))
    text = _TAG.sub("", _LINKED.sub(r"\1", text))
    for marked in (_EMPHASIS, _EMPHASIS, _UNDERSCORED):
        text = marked.sub(r"\2", text)
    text = html.unescape(_ESCAPE.sub(r"\1", text))
    text = re.sub("\x00(\\d+)\x00", lambda found: held[int(found[1])], text)
    return " ".join(text.split())


def links(text: str, blocks: Sequence[Block], most: int) -> tuple[Hyperlink, ...]:
    """Return the links outside code, in order of the text."""
    if "[" not in text and "://" not in text:
        return ()
    found = merge(_bracketed(text), _bare(text), key=lambda link: link.at)
    kept: list[Hyperlink] = []
    code = iter([block for block in blocks if block.kind is Kind.CODE])
    inside = next(code, None)
    for link in found:
        while inside and inside.end <= link.at:
            inside = next(code, None)
        if not (inside and inside.start <= link.at):
            kept.append(link)
        if len(kept) == most:
            break
    return tuple(kept)


def _bracketed(text: str) -> Iterator[Hyperlink]:
    known = _definitions(text) if "]:" in text else {}
    for found in _INLINE.finditer(text):
        start, label, target = found.start(), found["label"], found["target"]
        before = text[start - 1 : start]
        if before == "[" and text[found.end() : found.end() + 1] == "]":
            target, _, shown = label.partition("|")
            yield Hyperlink(target.strip(), (shown or target).strip(), start - 1)
        elif before == "!":
            continue
        elif target:
            yield Hyperlink(target.strip("<>"), plain_name(label), start)
        elif known and text[found.end() : found.end() + 1] != ":":
            target = known.get(_key(found["key"] or label), "")
            if target:
                yield Hyperlink(target, plain_name(label), start)


def _definitions(text: str) -> dict[str, str]:
    """Return the targets that are named on lines of their own, by name."""
    known: dict[str, str] = {}
    for found in _DEFINITION.finditer(text):
        before = text[max(found.start() - 4, 0) : found.start()].rpartition("\n")
        if not before[2].strip(" ") and (before[1] or found.start() < 4):
            known.setdefault(_key(found["key"]), found["target"])
    return known


def _bare(text: str) -> Iterator[Hyperlink]:
    for found in _ADDRESS.finditer(text):
        start = found.start()
        if text[start - 2 : start] != "](" and text[start - 3 : start] not in ("]: ", "](<"):
            target = found[0].rstrip(_TRAILING)
            yield Hyperlink(target, target, start)


def _key(label: str) -> str:
    return " ".join(label.split()).casefold()
