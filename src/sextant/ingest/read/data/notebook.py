"""Jupyter notebooks: prose cells as Markdown, code cells whole, the text of outputs in short."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from sextant.errors import BrokenFile, TooMuch
from sextant.ingest.read.decode import clean, decode_within
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.prose.markdown import first_heading, scan
from sextant.ingest.read.prose.marks import links
from sextant.ingest.values import Kind, Reading


def read_notebook(given: Given) -> list[Reading]:
    """Read a notebook; pictures and other outputs that are no text are left out."""
    at_most(given.limits.text * 4, len(given.data), "bytes of text")
    decoded = decode_within(given.data, given.limits)
    cells = _cells(decoded.text)
    draft = Draft(given.limits)
    for cell in cells:
        _write_cell(draft, cell)
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=first_heading(draft.blocks) or readable_name(given.path),
            source_type=given.format,
            links=tuple(draft.links),
            notes=decoded.notes,
        )
    ]


def _cells(text: str) -> list[Mapping[str, object]]:
    try:
        book = json.loads(text)
    except RecursionError:
        raise TooMuch("Its JSON is nested too deeply.", "Flatten it.") from None
    except ValueError:
        raise BrokenFile("It is no notebook: no JSON.", "Save it again in Jupyter.") from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict) and isinstance(book.get("worksheets"), list):
        sheets = [sheet for sheet in book["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in _list(sheet.get("cells"))]
    if not isinstance(cells, list):
        raise BrokenFile("It is no notebook: it has no cells.", "Save it again in Jupyter.")
    return [cell for cell in cells if isinstance(cell, Mapping)]


def _write_cell(draft: Draft, cell: Mapping[str, object]) -> None:
    source = clean(_joined(cell.get("source", cell.get("input"))))
    if cell.get("cell_type") in ("markdown", "heading", "raw"):
        blocks = scan(source)
        draft.include(source, blocks, links(source, blocks, draft.limits.links))
        return
    draft.add(Kind.CODE, source)
    for output in _list(cell.get("outputs")):
        if isinstance(output, Mapping):
            for text in _output(output):
                draft.add(Kind.CODE, _shortened(clean(text), draft.limits.output))


def _output(output: Mapping[str, object]) -> Iterator[str]:
    shown = output.get("data", output)
    if isinstance(shown, Mapping):
        yield _joined(shown.get("text/plain", shown.get("text")))
    if output.get("output_type") in ("error", "pyerr"):
        yield f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + " …"


def _joined(value: object) -> str:
    return "".join(part for part in _list(value) if isinstance(part, str))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value] if value else []
