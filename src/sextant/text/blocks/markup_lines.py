"""Lines of a page that are markup alone: components, shortcodes, remarks, imports of MDX."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter

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
_SIGN = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`|[{}<>]", re.DOTALL)
_ENTRY = re.compile(
    r"(?P<key>[A-Za-z_$][\w$]*+)\s*+:\s*+(?P<value>\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`)"
    r"|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`|(?P<brace>[{}])",
    re.DOTALL,
)
_KEYED = re.compile(r"^[ \t]*[A-Za-z_$][\w$]*:(?=[ ]|$)", re.MULTILINE)
_REST = re.compile(
    r"(?:(?![ \t]*(?:</?[A-Za-z]|[-*+#>|][ ]|/>|```))[^\n]*\n){1,400}?"
    r"[ \t]*\][ \t]*\}[ \t]*\n[ \t]*/>[ \t]*(?=\n|\Z)"
)
_FEWEST_KEYS = 2
_NAMES = ("name", "title", "label", "question", "term", "prop", "option", "key", "id")
_TEXTS = ("description", "content", "text", "answer", "summary", "definition", "caption")
_QUOTED_SIGN = re.compile(r"\\(.)")


def markup_lines(text: str, kind: str, code: Sequence[Span]) -> list[Span]:
    """Return whole lines that are nothing but markup, outside of code."""
    if kind not in MARKED:
        return []
    found = [(0, rest.end())] if not code and (rest := _rest_of_data(text)) else []
    unclosed: set[str] = set()
    for begun in _BEGINS.finditer(text):
        start = begun.start()
        if found and start < found[-1][1]:
            continue
        at = bisect_right(code, start, key=itemgetter(0))
        if at and start < code[at - 1][1]:
            continue
        end = _end_of(text, begun.end(), unclosed)
        if end > start and not (at < len(code) and code[at][0] < end):
            found.append((start, end))
    return found


def lists_data(text: str, kind: str) -> bool:
    """Whether a text begins with a component that lists data, or in the middle of one."""
    own = text.lstrip()
    is_opened = bool(_DATA.match(own)) and "={" in own and not TAG.match(own)
    return kind in MARKED and (is_opened or _rest_of_data(text) is not None)


def _rest_of_data(text: str) -> re.Match[str] | None:
    """Return the lines that a passage begins with of a component that was cut."""
    rest = _REST.match(text) if "/>" in text else None
    return rest if rest and len(_KEYED.findall(rest[0])) >= _FEWEST_KEYS else None


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
    for sign in _SIGN.finditer(text, at + 1):
        if sign[0] == "<" and not depth:
            return -1
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
    start = 0
    found: list[dict[str, str]] = []
    opened: list[dict[str, str]] = []
    if rest := _rest_of_data(text):
        first = _KEYED.search(text) or rest
        start, opened = first.start(), [{}]
        found = opened[:]
    elif "{" not in text or not _DATA.match(text.lstrip()):
        return
    for entry in _ENTRY.finditer(text, start):
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
