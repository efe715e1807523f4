"""Files of every format in shapes that stall readers, as long as is wanted. Knows no reader."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from html import escape

import docx
import openpyxl
import pptx

BLOCKS = {
    "one small letter": "a", "one capital": "A", "one digit": "1", "blanks": " ", "tabs": "\t",
    "line feeds": "\n", "blank lines": " \n", "stops": ".", "dots": "…", "wide letters": "字",
    "underlines": "=\n", "rules": "-\n", "underlined": "a\n=\n", "sentences underlined": "A.\n=\n",
    "overlined": "===\na\n===\n", "back-ticks": "`", "spaced back-ticks": "` ", "code": "`a`",
    "fences": "```\n", "tildes": "~~~\n", "stars": "*", "emphasis": "*a ", "underscores": "_a ",
    "brackets": "[", "links": "[a](b) ", "unclosed links": "[a](b", "references": "[a]: b\n",
    "parentheses": "(", "braces": "{{", "pipes": "|", "rows": "| a | b |\n", "grids": "|-|-|\n",
    "quotes": "> ", "quoted lines": "> a\n", "items": "- a\n", "nested items": "  - a\n",
    "numbers": "1. a\n", "headings": "# a\n", "names": "Ab Cd ", "initials": "A. ",
    "codes": "aB-c_d",
    "capitals": "AAAA\n", "capitals over text": "AAAA\nBbb\n", "glued": "Ab cd ef gh.List of it ",
    "definitions": "The Ab is a service. ", "acronyms": "Ab Cd (AC) ", "comments": "<!-- ",
    "tags": "<b>", "entities": "&amp;", "addresses": "http://a ", "directives": ".. a::\n",
    "targets": ".. _a: b\n", "roles": ":a:`b` ", "fields": "a: b\n", "commas": ",",
    "cells": "a,b\n", "double quotes": '"', "single quotes": "'", "backslashes": "\\",
    "keys": '"a": ', "mails": "From a\n",
}  # fmt: skip
"""What a shape repeats, by name."""
_TAGS = {
    "paragraphs": "<p>a", "items": "<ul><li>a</ul>", "rows": "<table><tr><td>a</table>",
    "cells": "<td>a", "headings": "<h1>a</h1>", "anchors": "<a href=b>a</a>", "breaks": "<br>",
    "unclosed tags": "<p ", "attributes": "<p a=b>", "scripts": "<script>a</script>",
}  # fmt: skip
_YAML = {"lists": "- [a]\n", "maps": "- {a: b}\n", "literals": "- |\n  a\n", "anchors": "- &a b\n"}
LEAD = "ab " * 120 + "\n"
"""A line that is too long for a heading, with what is below it in one paragraph."""
Make = Callable[[int], bytes]


def shapes_of(path: str) -> dict[str, Make]:
    """Return the shapes of the format that a path names: how to make each with so many signs."""
    kind = path.rpartition(".")[2]
    blocks = BLOCKS | _OWN.get(kind, {})
    shapes = {name: _maker(kind, block) for name, block in blocks.items()}
    if kind in _WRITERS:
        return shapes
    led = {f"{name} below a long line": _maker(kind, block, LEAD) for name, block in blocks.items()}
    return shapes | led


_OWN = {"html": _TAGS, "yaml": _YAML}


def _maker(kind: str, block: str, lead: str = "") -> Make:
    def make(size: int) -> bytes:
        text = lead + block * (size // len(block)) + "b."
        return _WRITERS.get(kind, str.encode)(text)

    return make


def _json(text: str) -> bytes:
    return json.dumps({"a": [text, *text.split("\n")]}).encode()


def _json_lines(text: str) -> bytes:
    lines = [text, *text.split("\n")]
    return "\n".join(json.dumps({"id": at, "text": line}) for at, line in enumerate(lines)).encode()


def _notebook(text: str) -> bytes:
    cells: list[dict[str, object]] = [
        {"cell_type": kind, "source": text, "outputs": []} for kind in ("markdown", "code")
    ]
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}).encode()


def _yaml(text: str) -> bytes:
    if text.startswith("- "):
        return text.removesuffix("b.").encode()
    return json.dumps({"a": text, "b": text.split("\n")}).encode()  # JSON is YAML


def _email(text: str) -> bytes:
    return f"Subject: {text[:200].strip()!r}\nTo: {text[:300].strip()!r}\n\n{text}".encode()


def _mailbox(text: str) -> bytes:
    half = text[: len(text) // 2]
    message = f"From a@b Thu Jan  1 00:00:00 2026\nSubject: a\n\n{half}\n\n"
    return (message * 2).encode()


@cache
def _office(kind: str) -> dict[str, bytes]:
    """Return the parts of a text, or of slides, with one paragraph that says MARK."""
    out = io.BytesIO()
    if kind == "docx":
        document = docx.Document()
        document.add_paragraph("MARK")
        document.save(out)
    else:
        deck = pptx.Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "MARK"
        deck.save(out)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(kind: str, part: str, around: tuple[str, str], text: str) -> bytes:
    """Return an office file in which what says MARK is there for each line."""
    before, after = around
    whole = _office(kind)[part].decode()
    at = whole.index("MARK")
    first, last = whole.rindex(before, 0, at), whole.index(after, at) + len(after)
    lines = (escape(line, quote=False) for line in text.split("\n"))
    body = "".join(whole[first:last].replace("MARK", line) for line in lines)
    parts = _office(kind) | {part: (whole[:first] + body + whole[last:]).encode()}
    return _packed(parts)


def _packed(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive that does not tell when it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def _sheet(text: str) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("a")
    for line in text.split("\n"):
        sheet.append([cell.lstrip("=") for cell in line.replace("\t", " ").split(",")[:50]])
    out = io.BytesIO()
    book.save(out)
    with zipfile.ZipFile(out) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    core = "docProps/core.xml"
    return _packed(parts | {core: _MOMENT.sub(b"2026-01-01T00:00:00Z", parts[core])})


_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z?")


def _pdf(text: str) -> bytes:
    """Return a document of one page with a line of text for each line of at most 80 signs."""
    pieces = [
        line[at : at + 80] for line in text.split("\n") for at in range(0, len(line) or 1, 80)
    ]
    told = (piece.replace("\\", "\\\\").replace("(", "\\(") for piece in pieces)
    shown = "".join(
        f"({piece.encode('latin-1', 'replace').decode('latin-1')}) '\n" for piece in told
    )
    stream = f"BT /F 9 Tf 10 TL 9 {10 * len(pieces)} Td\n{shown}ET".encode("latin-1")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 %d]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>" % (10 * len(pieces) + 20),
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%sendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Root 1 0 R/Size 6>>\nstartxref\n%d\n%%%%EOF" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


_WRITERS: dict[str, Callable[[str], bytes]] = {
    "json": _json,
    "jsonl": _json_lines,
    "ipynb": _notebook,
    "yaml": _yaml,
    "eml": _email,
    "mbox": _mailbox,
    "docx": lambda text: _zipped("docx", "word/document.xml", ("<w:p>", "</w:p>"), text),
    "pptx": lambda text: _zipped("pptx", "ppt/slides/slide1.xml", ("<a:p>", "</a:p>"), text),
    "xlsx": _sheet,
    "pdf": _pdf,
}
PATHS = (
    *("a.md", "a.txt", "a.rst", "a.py", "a.html", "a.csv", "a.json", "a.jsonl", "a.ipynb"),
    *("a.yaml", "a.eml", "a.mbox", "a.docx", "a.pptx", "a.xlsx", "a.pdf"),
)
"""A name for every format that is read here."""
