"""Slides: each is a page with its title as heading, its texts, tables and notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from sextant.ingest.read.data.spans import Spanning, levelled, spread
from sextant.ingest.read.data.tables import write_table
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.office.properties import core_properties
from sextant.ingest.read.office.zips import missing_office, refuse_unsafe_zip
from sextant.ingest.read.prose.markdown import first_heading
from sextant.ingest.values import Kind, Reading

_DEEPEST = 20


def read_pptx(given: Given) -> list[Reading]:
    """Read a presentation; a slide's number is the page of its blocks."""
    show = _open(given)
    draft = Draft(given.limits)
    for number, slide in enumerate(show.slides, 1):
        at_most(given.limits.pages, number, "slides")
        _write_slide(draft, slide, number)
    fields = core_properties(show.core_properties)
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=fields.title or first_heading(draft.blocks) or readable_name(given.path),
            source_type=given.format,
            language=fields.language,
            created=fields.created,
            modified=fields.modified,
            tags=fields.tags,
            links=tuple(draft.links),
            metadata=fields.metadata,
        )
    ]


def _open(given: Given) -> Any:
    try:
        import pptx
    except ImportError:
        raise missing_office("python-pptx") from None
    refuse_unsafe_zip(given.data, given.limits)
    return pptx.Presentation(io.BytesIO(given.data))


def _write_slide(draft: Draft, slide: Any, number: int) -> None:
    title = slide.shapes.title
    if title is not None:
        draft.heading(title.text_frame.text, 1, number)
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if getattr(shape, "has_table", False):
            write_table(draft, levelled(spread(map(_cells, shape.table.rows))), number)
        elif shape.has_text_frame:
            _write_frame(draft, shape.text_frame, number)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            draft.add(Kind.TEXT, f"Notes: {notes}", number)


def _write_frame(draft: Draft, frame: Any, number: int) -> None:
    lines: list[str] = []
    links: list[tuple[str, str, int]] = []
    at = 0
    paragraphs = frame.paragraphs  # made anew each time that it is asked for
    for paragraph in paragraphs:
        text = " ".join(paragraph.text.split())
        if not text:
            continue
        lead = f"{'  ' * paragraph.level}- " if len(paragraphs) > 1 else ""
        lines.append(lead + text)
        linked = (run for run in paragraph.runs if run.hyperlink.address)
        links.extend((run.hyperlink.address, run.text, at) for run in linked)
        at += len(lines[-1]) + 1
    start = draft.rows(lines, Kind.LIST if len(lines) > 1 else Kind.TEXT, number)
    for target, label, place in links:
        draft.link(target, label, start + place)


def _cells(row: Any) -> list[Spanning]:
    """Return the cells of a row without those that others were merged over."""
    return [
        Spanning(cell.text, cell.span_width, cell.span_height)
        if cell.is_merge_origin
        else Spanning(cell.text)
        for cell in row.cells
        if not cell.is_spanned
    ]


def _shapes(shapes: Any, depth: int = 0) -> Iterator[Any]:
    """Yield shapes, and those of groups to some depth."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST:
                yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape
