"""A run of a page as Markdown that does nothing: its words, lists and tables, and code as it is."""

from __future__ import annotations

import re

from sextant.text.blocks.elements import Element, Sort, elements_of, elements_of_code
from sextant.text.blocks.markup_lines import shown_markup
from sextant.text.blocks.notes import is_bare_note, noted
from sextant.text.blocks.rst import with_versions, without_roles
from sextant.text.code_spans import code_fence
from sextant.text.layouts.code_blocks import format_of, lines_of
from sextant.text.layouts.fields import is_field
from sextant.text.layouts.rows import cells_of, is_head_row, is_ruled
from sextant.text.layouts.trees import is_tree
from sextant.text.markdown import MARKED, inert, printable, readable
from sextant.text.markup.tags import tags_in_one_line
from sextant.text.prose.headings import heading_of
from sextant.types import Passage

DATA = frozenset({"code", "yaml", "toml", "xml", "ini"})
"""Formats that are shown as code."""

_RECORDS = frozenset({"json", "jsonl"})
"""Formats that are read as records: fields in lines, or texts."""

_ITEM = re.compile(
    r"(?P<indent>[> \t]*)(?P<mark>[-•*+]|\d{1,3}[.)]|#\.)[ \t]+(?P<said>.*)", re.DOTALL
)
_UNSEEN = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,200}\]:[ \t]\S.*|\.\. _[^\n]*:[^\n]*|\.\. [\w-]+::[^\n]*"
    r"|:[\w-]+:[^\n`]*|:::+|[-*+•]|(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})[ \t]*$",
    re.MULTILINE,
)
"""Lines that no reader of the page sees: targets of links, directives, their options, rules."""

_QUOTED = re.compile(r"^[ \t]*>[> \t]*", re.MULTILINE)
_QUOTE = re.compile(r">[ ]?")
_DEEPEST = 12
_STEP = "  "
_FIELD = re.compile(r"- |[^\s:](?:(?![.!?] )[^:]){0,80}:(?: |$)")
"""An item of a list in a record, or a field of it: other lines go on with the one above."""


def render_run(passage: Passage, start: int, end: int) -> str:
    """Return a run of a passage as Markdown, without a heading that it is told under.

    A table that goes on has the heads of its columns.
    """
    text, kind = passage.chunk.text[start:end], format_of(passage)
    over = {readable(one, kind) for one in (passage.document.title, *passage.chunk.headings[-1:])}
    for first in elements_of(text, kind)[:1] if kind not in DATA else ():
        if first.sort is Sort.HEADING and readable(_name(text, first), kind) in over:
            text = text[first.end :].lstrip("\n") or text
    heads = [one for one in passage.chunk.headings[-1:] if is_head_row(one)]
    return render("\n".join([*heads, text]), kind)


def render(text: str, kind: str) -> str:
    """Return a run of a document of this format as Markdown."""
    if kind in DATA:
        return code_fence(_seen(text))
    if kind in _RECORDS and is_tree(lines_of(text)):
        return _tree(text, kind)
    shown: list[str] = []
    is_opened = False
    for one in elements_of(text, kind):
        own = _RENDERERS[one.sort](text, one, kind)
        if is_opened and own and one.sort is Sort.PROSE:
            shown[-1] = f"{shown[-1]} {own}"
        elif own:
            shown.append(own)
        is_prose = one.sort is Sort.PROSE
        is_opened = bool(own) and is_prose and is_bare_note(text[one.start : one.end], kind)
    return "\n\n".join(shown)


def render_prose(text: str, kind: str) -> str:
    """Return sentences as they are shown in a run of a document of this format."""
    note = noted(text, kind)
    told = text[note[1] :] if note else text
    told = tags_in_one_line(told) if kind in MARKED else told
    is_rst = kind == "rst"
    told = _QUOTED.sub("", _UNSEEN.sub("", with_versions(told) if is_rst else told))
    told = without_roles(told) if is_rst else told
    shown = inert(readable(told.replace("\n", " "), kind))
    if note is None or not note[0]:
        return shown
    return f"{inert(readable(note[0], kind))}: {shown}".strip()


def _tree(text: str, kind: str) -> str:
    """Return the fields of records as lists, what is inside a field or a record below it."""
    shown: list[str] = []
    depths: list[int] = []
    opened: int | None = None
    for _, _, line in lines_of(text):
        said = line.strip()
        depth = (len(line) - len(line.lstrip())) // len(_STEP)
        if not said or said == "-":
            opened = depth if said else opened
            continue
        if shown and not _FIELD.match(said):
            shown[-1] += f" {render_prose(said, kind)}"
            continue
        depth, opened = min(depth, depth if opened is None else opened), None
        while depths and depths[-1] >= depth:
            depths.pop()
        margin = _STEP * min(len(depths), _DEEPEST)
        depths.append(depth)
        shown.append(f"{margin}- {render_prose(said.removeprefix('- '), kind)}")
    return "\n".join(shown)


def _markup(text: str, element: Element, kind: str) -> str:
    return shown_markup(text[element.start : element.end], kind)


def _prose(text: str, element: Element, kind: str) -> str:
    """Return a paragraph on one line; fields stay apart."""
    said = text[element.start : element.end]
    lines = said.split("\n")
    if len(lines) > 1 and all(map(is_field, lines)):
        return "\n".join(f"- {render_prose(line.strip(), kind)}" for line in lines)
    return render_prose(said, kind)


def _heading(text: str, element: Element, kind: str) -> str:
    name = _name(text, element)
    return f"*{render_prose(name, kind)}*" if name else ""


def _name(text: str, heading: Element) -> str:
    return heading_of(text[heading.start : heading.end].strip())


def _code(text: str, element: Element, _kind: str) -> str:
    first, last = element.code
    code = text[first:last].rstrip("\n")
    opening = text[element.start : first]
    if ">" in opening[: len(opening) - len(opening.lstrip("> \t"))]:
        code, opening = _unquoted(code, opening), _QUOTED.sub("", opening)
    margin = _margin(opening or code)
    code = "\n".join(line[min(margin, _margin(line)) :] for line in code.split("\n"))
    fence = code_fence(_seen(code))
    ticks, _, rest = fence.partition("\n")
    return f"{ticks}{element.language}\n{rest}" if fence else ""


def _unquoted(code: str, opening: str) -> str:
    """Return code without the marks of the quotes that its fence stands in."""
    depth = opening[: len(opening) - len(opening.lstrip("> \t"))].count(">")
    marks = re.compile(rf"^(?:[ \t]*>){{0,{depth}}}[ ]?", re.MULTILINE)
    return marks.sub("", code)


def _seen(code: str) -> str:
    """Return code without signs that are not seen but do something."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in code.split("\n"))


def _margin(code: str) -> int:
    """Return how far all lines are indented."""
    return min(
        (len(line) - len(line.lstrip(" ")) for line in code.split("\n") if line.strip()), default=0
    )


def _list(text: str, element: Element, kind: str) -> str:
    """Return a list, every item of it in a line, with what stands below the item indented."""
    whole = text[element.start : element.end]
    found: list[str] = []
    column = 0
    base = _margin(whole)
    for part in _parts(whole, kind):
        said = whole[part.start : part.end]
        item = _ITEM.match(said) if part.sort is Sort.LIST else None
        if item:
            depth = min(_DEEPEST, len(_QUOTE.sub("", item["indent"]).expandtabs(4)) - base)
            mark = item["mark"] if item["mark"][0].isdigit() else "-"
            column = max(0, depth) + len(mark) + 1
            found.append(f"{' ' * max(0, depth)}{mark} {render_prose(item['said'], kind)}")
        elif own := _RENDERERS[part.sort](whole, part, kind):
            found += [
                "",
                *(f"{' ' * column}{line}" if line else "" for line in own.split("\n")),
                "",
            ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(found)).strip("\n")


def _parts(whole: str, kind: str) -> list[Element]:
    """Return the items of a list with the lines that go on with each, and what is below them."""
    code = elements_of_code(whole, kind)
    parts: list[Element] = []
    opened = False
    for start, end, line in lines_of(whole):
        inside = next((one for one in code if one.start <= start < one.end), None)
        if not line.strip():
            opened = False
        elif inside:
            if start == inside.start:
                parts.append(inside)
            opened = False
        elif _ITEM.match(line):
            parts.append(Element(Sort.LIST, start, end))
            opened = True
        elif opened:
            parts[-1] = Element(parts[-1].sort, parts[-1].start, end)
        else:
            parts.append(Element(Sort.PROSE, start, end))
            opened = True
    return parts


def _table(text: str, element: Element, kind: str) -> str:
    lines = text[element.start : element.end].split("\n")
    if not any("|" in line for line in lines) or lines[0].lstrip().startswith("+"):
        return code_fence(_seen("\n".join(lines)))
    rows = [line for line in lines if not is_ruled(line)]
    shown = [_row([render_prose(cell, kind) for cell in cells_of(line)]) for line in rows]
    if shown:
        shown.insert(1, _row(["---"] * max(1, len(cells_of(rows[0])))))
    return "\n".join(shown)


def _row(cells: list[str]) -> str:
    shown = " | ".join(cell.replace("|", r"\|") for cell in cells)
    return f"| {shown} |"


_RENDERERS = {
    Sort.HEADING: _heading,
    Sort.PROSE: _prose,
    Sort.LIST: _list,
    Sort.TABLE: _table,
    Sort.CODE: _code,
    Sort.MARKUP: _markup,
}
