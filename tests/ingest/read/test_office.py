"""Office files, made by the libraries that people make them with."""

import io
import zipfile
from datetime import UTC, datetime

import docx
import openpyxl
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenFile, ReadError, TooMuch
from sextant.ingest.read import read
from tests.ingest.read.checks import check_sound, headings, read_one, read_soundly, shown

MOMENT = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.core_properties.title = "The Title"
    document.core_properties.created = MOMENT.replace(tzinfo=None)
    document.core_properties.keywords = "a; b"
    document.core_properties.author = "Ann"
    document.add_heading("First", 1)
    paragraph = document.add_paragraph("See ")
    link = OxmlElement("w:hyperlink")
    link.set(
        qn("r:id"),
        document.part.relate_to("https://x.example/a", RELATIONSHIP_TYPE.HYPERLINK, True),
    )
    run = paragraph.add_run("the page")
    link.append(run._r)
    paragraph._p.append(link)
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Bullet")
    document.add_heading("Second", 2)
    table = document.add_table(2, 2)
    for number, text in enumerate(("Name", "Owner", "A", "Team Y")):
        table.cell(number // 2, number % 2).text = text
    document.add_paragraph("Last.")
    return saved(document)


def test_a_word_document_is_read_in_order() -> None:
    reading = read_one("a.docx", word())
    check_sound(reading)
    assert shown(reading) == [
        ("heading", "First"),
        ("text", "See the page"),
        ("list", "- one\n- two"),
        ("heading", "Second"),
        ("table", "Name | Owner\nA | Team Y"),
        ("text", "Last."),
    ]
    assert headings(reading) == [(1, "First"), (2, "Second")]
    assert (reading.title, reading.created) == ("The Title", MOMENT)
    assert (reading.tags, reading.metadata["author"]) == (frozenset("ab"), "Ann")
    assert [(link.target, link.label) for link in reading.links] == [
        ("https://x.example/a", "the page")
    ]
    assert reading.text[reading.links[0].at :].startswith("the page")


def test_slides_are_pages_with_their_notes() -> None:
    show = pptx.Presentation()
    for number in (1, 2):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = "one\ntwo"
        slide.notes_slide.notes_text_frame.text = "Say it slowly."
    reading = read_one("deck-x.pptx", saved(show))
    check_sound(reading)
    assert shown(reading)[:3] == [
        ("heading", "Slide 1"),
        ("list", "- one\n- two"),
        ("text", "Notes: Say it slowly."),
    ]
    assert [block.page for block in reading.blocks] == [1, 1, 1, 2, 2, 2]
    assert "PowerPoint" in reading.title or reading.title == "Slide 1"


def test_a_workbook_is_a_table_per_sheet() -> None:
    book = openpyxl.Workbook()
    book.properties.title = "Services"
    del book["Sheet"]
    sheet = book.create_sheet("On call")
    sheet.append(["All services of 2024"])
    sheet.append([])
    sheet.append(["Name", "Owner", "Since"])
    sheet.append(["A", "Team Y", datetime(2024, 5, 6)])
    sheet.append(["B", None, 3.0])
    book.create_sheet("Empty")
    reading = read_one("a.xlsx", saved(book))
    check_sound(reading)
    assert shown(reading) == [
        ("heading", "On call"),
        ("text", "All services of 2024"),
        ("table", "Name | Owner | Since\nA | Team Y | 2024-05-06\nB |  | 3"),
        ("heading", "Empty"),
    ]
    assert reading.title == "Services"


def repacked(data: bytes, **changed: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", 8) as new:
        for name in old.namelist():
            key = name.replace("/", "_").replace(".", "_")
            new.writestr(name, changed.pop(key, b"") or old.read(name))
        for name, content in changed.items():
            new.writestr(name, content)
    return out.getvalue()


def test_entity_bombs_are_refused() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>'
    with pytest.raises(BrokenFile, match="entities"):
        read("a.docx", repacked(word(), word_document_xml=bomb))
    wide = bomb.decode().encode("utf-16")
    with pytest.raises(BrokenFile, match="entities"):
        read("a.docx", repacked(word(), word_document_xml=wide))


def test_zip_bombs_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(TooMuch, match="times its size"):
        read("a.docx", repacked(word(), bomb=bytes(50_000_000)))


@pytest.mark.parametrize("path", ["a.docx", "a.pptx", "a.xlsx"])
def test_damaged_files_are_refused(path: str) -> None:
    data = word()
    for broken in (data[: len(data) // 2], b"PK\x03\x04" + b"x" * 100):
        with pytest.raises(BrokenFile):
            read(path, broken)
    with pytest.raises(BrokenFile, match="password"):
        read(path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))


DATA = word()


@given(st.integers(0, len(DATA) - 1), st.binary(min_size=1, max_size=4))
def test_any_flipped_bytes_are_read_or_refused(at: int, junk: bytes) -> None:
    try:
        for reading in read("a.docx", DATA[:at] + junk + DATA[at + len(junk) :]):
            check_sound(reading)
    except ReadError:
        return


def test_a_table_with_merged_cells_says_each_once() -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 2)).text = "All"
    table.cell(1, 0).text = "x"
    assert "All | All" not in read_soundly("a.docx", saved(document))[0].text
