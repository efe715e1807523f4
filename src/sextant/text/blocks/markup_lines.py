"""Lines of a page that are markup alone: components, shortcodes, remarks, imports of MDX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sextant.text.blocks.notes import noted
from sextant.text.code_spans import code_span
from sextant.text.markdown import MARKED, inert, readable
from sextant.text.markup.saying import naming_value
from sextant.text.markup.shortcodes import CALL
from sextant.text.markup.tags import TAG, fields_of

Span = tuple[int, int]

_BEGINS = re.compile(
    r"^[ \t]*+(?=</?[A-Z]|</?(?:div|details|center|section)\b|\{[{%]|\{/\*|<!--"
    r"|import[ ]|export[ ])",
    re.MULTILINE,
)
_MODULE = re.compile(
    r"import[ ](?:[\w$*{][^\"'\n;]{0,300}?[ ]from[ ])?[\"'][^\"'\n]{1,300}+[\"'];?[ \t]*(?=\n|\Z)"
    r"|export[ ](?:const|default|function|let)\b[^\n]*(?=\n|\Z)"
)
_REMARKS = (("<!--", "-->"), ("{/*", "*/}"))
_BLANKS = re.compile(r"[ \t]*+")
_DATA = re.compile(r"<[A-Z][\w.]{0,60}+\s")
_SIGN = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`|[{}>]", re.DOTALL)
_ENTRY = re.compile(
    r"(?P<key>[A-Za-z_$][\w$]*+)\s*+:\s*+(?P<value>\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`)"
    r"|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`|(?P<brace>[{}])",
    re.DOTALL,
)
_NAMES = ("name", "title", "label", "question", "term", "prop", "option", "key", "id")
_TEXTS = ("description", "content", "text", "answer", "summary", "definition", "caption")
_QUOTED_SIGN = re.compile(r"\\(.)")


def markup_lines(text: str, kind: str, code: Sequence[Span]) -> list[Span]:
    """Return whole lines that are nothing but markup, outside of code."""
    if kind not in MARKED:
        return []
    found: list[Span] = []
    unclosed: set[str] = set()
    for begun in _BEGINS.finditer(text):
        start = begun.start()
        if found and start < found[-1][1]:
            continue
        if any(first <= start < last for first, last in code):
            continue
        end = _end_of(text, begun.end(), unclosed)
        if end > start and not any(start < first < end for first, _ in code):
            found.append((start, end))
    return found


def shown_markup(text: str, kind: str) -> str:
    """Return what a reader sees of lines of markup: names of components, and what they list."""
    if _MODULE.match(text.lstrip()):
        return ""
    if records := list(_records(text)):
        return "\n".join(f"- {line}" for line in map(_line_of, records) if line)
    if _DATA.match(text.lstrip()) and not TAG.match(text.lstrip()):
        return inert(naming_value(fields_of(text)))
    return inert(readable(text, kind).rstrip(" :"))


def _end_of(text: str, at: int, unclosed: set[str]) -> int:
    """Return where markup ends that fills its lines, or -1."""
    is_first = True
    while True:
        if is_first and noted(text[at : at + 400].partition("\n")[0], "markdown"):
            return -1
        end = _one_end(text, at, unclosed)
        if end < 0:
            return -1
        blanks = _BLANKS.match(text, end)
        at = blanks.end() if blanks else end
        if at == len(text) or text[at] == "\n":
            return at
        is_first = False


def _one_end(text: str, at: int, unclosed: set[str]) -> int:
    for pattern in (TAG, CALL, _MODULE):
        if found := pattern.match(text, at):
            return found.end()
    for opening, closing in _REMARKS:
        if text.startswith(opening, at) and closing not in unclosed:
            end = text.find(closing, at)
            if end >= 0:
                return end + len(closing)
            unclosed.add(closing)
    if _DATA.match(text, at) and ">" not in unclosed:
        return _data_end(text, at, unclosed)
    return -1


def _data_end(text: str, at: int, unclosed: set[str]) -> int:
    """Return where a component with data in braces ends; one that is cut ends with the text."""
    depth = 0
    was_open = False
    for sign in _SIGN.finditer(text, at):
        if sign[0] == ">" and not depth:
            return sign.end() if was_open else -1
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        was_open = was_open or depth > 0
        if depth < 0:
            return -1
    unclosed.add(">")
    return len(text.rstrip()) if was_open and "={" in text[at:] else -1


def _records(text: str) -> Iterator[dict[str, str]]:
    """Yield the texts in each object of the data of a component, in order."""
    if "{" not in text or not _DATA.match(text.lstrip()):
        return
    found: list[dict[str, str]] = []
    opened: list[dict[str, str]] = []
    for entry in _ENTRY.finditer(text):
        if entry["brace"] == "{":
            opened.append({})
            found.append(opened[-1])
        elif entry["brace"] and opened:
            opened.pop()
        elif entry["key"] and opened:
            opened[-1][entry["key"]] = _QUOTED_SIGN.sub(r"\1", entry["value"][1:-1])
    yield from (one for one in found if any(one.get(name) for name in _NAMES))


def _line_of(record: dict[str, str]) -> str:
    """Return a record as a name, its type, and what is said of it."""
    name = next(filter(None, map(record.get, _NAMES)), "")
    said = next(filter(None, map(record.get, _TEXTS)), "")
    shown = inert(readable(name, "markdown")) if " " in name else code_span(name)
    shown += f" ({code_span(' '.join(record['type'].split()))})" if record.get("type") else ""
    return f"{shown}: {inert(readable(said, 'markdown'))}" if said else shown
