"""Word documents: headings by their styles, paragraphs, lists and tables in their order."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sextant.ingest.read.data.spans import Place, levelled
from sextant.ingest.read.data.tables import write_table
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.office.properties import core_properties
from sextant.ingest.read.office.zips import missing_office, refuse_unsafe_zip
from sextant.ingest.read.prose.markdown import first_heading
from sextant.ingest.values import Kind, Reading

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|kop) ?(\d)", re.IGNORECASE)
_CODE = re.compile(r"code|source|preformatted|macro", re.IGNORECASE)
_LIST = re.compile(r"list", re.IGNORECASE)
_DEEPEST = 5


def read_docx(given: Given) -> list[Reading]:
    """Read a Word document; the text is what its paragraphs and tables say."""
    document = _open(given)
    draft = Draft(given.limits)
    title = _write(draft, document)
    fields = core_properties(document.core_properties)
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=fields.title or title or first_heading(draft.blocks) or readable_name(given.path),
            source_type=given.format,
            language=fields.language,
            created=fields.created,
            modified=fields.modified,
            tags=fields.tags,
            links=tuple(draft.links),
            metadata=fields.metadata,
        )
    ]


def _open(given: Given) -> Document:
    try:
        import docx
    except ImportError:
        raise missing_office("python-docx") from None
    refuse_unsafe_zip(given.data, given.limits)
    return docx.Document(io.BytesIO(given.data))


def _write(draft: Draft, document: Document) -> str:
    """Write the body and return the paragraph that has the style of a title."""
    from docx.table import Table

    title = ""
    items: list[str] = []
    for count, part in enumerate(document.iter_inner_content()):
        at_most(draft.limits.nodes, count, "paragraphs")
        if isinstance(part, Table):
            _end_list(draft, items)
            write_table(draft, _cells(part, draft))
            continue
        style = _style(part)
        if _LIST.search(style) or _is_numbered(part):
            items.append(f"- {' '.join(part.text.split())}")
            continue
        _end_list(draft, items)
        if style == "Title" and not title:
            title = " ".join(part.text.split())
        _write_paragraph(draft, part, style)
    _end_list(draft, items)
    return title


def _write_paragraph(draft: Draft, paragraph: Paragraph, style: str) -> None:
    heading = _HEADING.match(style)
    if heading or style == "Title":
        start = draft.heading(paragraph.text, int(heading[1]) if heading else 1)
    else:
        start = draft.add(Kind.CODE if _CODE.search(style) else Kind.TEXT, paragraph.text)
    for link in paragraph.hyperlinks:
        place = paragraph.text.find(link.text)
        draft.link(link.url, link.text, start + max(place, 0))


def _end_list(draft: Draft, items: list[str]) -> None:
    draft.rows([item for item in items if item != "- "], Kind.LIST)
    items.clear()


def _style(paragraph: Paragraph) -> str:
    style = paragraph.style
    return (style.name or "") if style is not None else ""


def _is_numbered(paragraph: Paragraph) -> bool:
    properties = paragraph._p.pPr  # noqa: SLF001 - the library has no public way to ask
    return properties is not None and properties.numPr is not None


def _cells(table: Table, draft: Draft) -> list[list[str]]:
    """Return the cells of a table; one that was merged from several is in the place of each."""
    grid: list[list[Place]] = []
    known: dict[object, Place] = {}
    count = 0
    for row in table.rows:
        places = [("", -at) for at in range(1, row.grid_cols_before + 1)]
        for cell in row.cells:
            own = cell._tc  # noqa: SLF001 - the library has no public way to tell cells apart
            if own not in known:
                known[own] = (" ".join(_texts(cell.iter_inner_content())), len(known))
            places.append(known[own])
        count += len(places)
        at_most(draft.limits.cells, count, "cells")
        grid.append(places)
    return levelled(grid)


def _texts(parts: Iterator[Paragraph | Table], depth: int = 0) -> Iterator[str]:
    """Yield the text of a cell, and of the tables in it to some depth."""
    from docx.table import Table

    for part in parts:
        if not isinstance(part, Table):
            yield part.text
        elif depth < _DEEPEST:
            for row in part.rows:
                for cell in dict.fromkeys(row.cells):
                    yield from _texts(cell.iter_inner_content(), depth + 1)
