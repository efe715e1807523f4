"""PDF: text page by page, in paragraphs; headings from the outline and from the size of letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sextant.errors import BrokenFile, MissingExtra
from sextant.ingest.read.dates import moment
from sextant.ingest.read.declared import scalar_text
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.office.lines import Line, body_size, paragraphs_of, read_lines
from sextant.ingest.read.prose.markdown import first_heading
from sextant.ingest.values import Kind, Reading

_MOST_MARKS = 10_000
_KEPT = {"Author": "author", "Subject": "subject"}


def read_pdf(given: Given) -> list[Reading]:
    """Read a PDF; pages without text, such as scans, are counted in a note."""
    document = _open(given)
    try:
        at_most(given.limits.pages, len(document), "pages")
        draft = Draft(given.limits)
        empty = _write(draft, document)
        fields = document.get_metadata_dict(skip_empty=True)
    finally:
        document.close()
    keywords = scalar_text(fields.get("Keywords")).replace(";", ",").split(",")
    title = " ".join(scalar_text(fields.get("Title")).split())
    return [
        Reading(
            draft.text,
            tuple(draft.blocks),
            title=title or first_heading(draft.blocks) or readable_name(given.path),
            source_type=given.format,
            created=moment(fields.get("CreationDate")),
            modified=moment(fields.get("ModDate")),
            tags=frozenset(word.strip() for word in keywords if word.strip()),
            metadata={
                name: text for key, name in _KEPT.items() if (text := scalar_text(fields.get(key)))
            },
            notes=(f"{empty} pages hold no text; they may be pictures.",) if empty else (),
        )
    ]


def _open(given: Given) -> Any:
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra(
            "Reading this file needs pypdfium2.", 'Install it with: pip install "sextant[pdf]"'
        ) from None
    try:
        return pypdfium2.PdfDocument(given.data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise BrokenFile("It is encrypted.", "Save it without a password.") from None
        raise BrokenFile("It is a damaged PDF.", "Print it to a new PDF.") from None


def _write(draft: Draft, document: Any) -> int:
    """Write all pages and return how many have no text."""
    outline = _outline(document)
    pages: list[list[Line]] = []
    size = 0
    for number in range(len(document)):
        pages.append(list(_page_lines(document, number)))
        size += sum(len(line.text) for line in pages[-1])
        at_most(draft.limits.text, size, "characters of text")
    usual = body_size([line for lines in pages for line in lines])
    for number, lines in enumerate(pages, 1):
        for level, text in paragraphs_of(lines, usual, outline.get(number, {})):
            if level:
                draft.heading(text, level, number)
            else:
                draft.add(Kind.TEXT, text, number)
    return sum(1 for lines in pages if not lines)


def _page_lines(document: Any, number: int) -> Iterator[Line]:
    page = document[number]
    textpage = page.get_textpage()
    try:
        yield from read_lines(textpage)
    finally:
        textpage.close()
        page.close()


def _outline(document: Any) -> dict[int, dict[str, int]]:
    """Return the outline's titles and levels by page."""
    found: dict[int, dict[str, int]] = {}
    for count, mark in enumerate(document.get_toc(max_depth=6)):
        if count >= _MOST_MARKS:
            break
        target = mark.get_dest()
        index = target.get_index() if target is not None else None
        title = "".join(mark.get_title().split()).casefold()
        if index is not None and title:
            found.setdefault(index + 1, {}).setdefault(title, mark.level + 1)
    return found
