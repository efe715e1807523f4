"""Office files, made by the libraries that people make them with."""

import io
import zipfile
from datetime import UTC, datetime
from typing import Any

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
from tests.ingest.read.checks import check_sound, headings, pieces, read_one, read_soundly, shown

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
        ("heading", "# First"),
        ("text", "See the page"),
        ("list", "- one\n- two"),
        ("heading", "## Second"),
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
        ("heading", "# Slide 1"),
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
        ("heading", "# On call"),
        ("text", "All services of 2024"),
        ("table", "Name | Owner | Since\nA | Team Y | 2024-05-06\nB |  | 3"),
        ("heading", "# Empty"),
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


def filled(table: Any, rows: list[list[str]]) -> Any:
    for down, row in enumerate(rows):
        for across, text in enumerate(row):
            table.cell(down, across).text = text
    return table


def test_merged_cells_of_a_word_table_keep_the_columns_behind_them() -> None:
    document = docx.Document()
    rows = [["Tariffs"], ["Zone", "Price", "", "Lead"], ["", "Net", "Gross"]]
    rows += [["North", "5", "6", "Mira"], ["", "8", "9", "Jon"], ["South", "ask", "", "Ola"]]
    table = filled(document.add_table(6, 4), rows)
    for first, last in (
        ((0, 0), (0, 3)),
        ((1, 1), (1, 2)),
        ((1, 0), (2, 0)),
        ((1, 3), (2, 3)),
        ((3, 0), (4, 0)),
        ((5, 1), (5, 2)),
    ):
        table.cell(*first).merge(table.cell(*last))
    assert pieces("a.docx", saved(document)) == [
        "Tariffs",
        "Zone: North; Price Net: 5; Price Gross: 6; Lead: Mira.",
        "Zone: North; Price Net: 8; Price Gross: 9; Lead: Jon.",
        "Zone: South; Price Net: ask; Price Gross: ask; Lead: Ola.",
    ]


def test_merged_cells_of_a_slide_are_read_in_every_row() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Rota"
    rows = [["Team", "Day", "Who"], ["Keel", "Mon", "Mira"], ["", "Tue", "Jon"]]
    table = filled(slide.shapes.add_table(3, 3, 0, 0, 900, 900).table, rows)
    table.cell(1, 0).merge(table.cell(2, 0))
    assert pieces("a.pptx", saved(show)) == [
        "Team: Keel; Day: Mon; Who: Mira.",
        "Team: Keel; Day: Tue; Who: Jon.",
    ]


def test_a_sheet_may_hold_merged_cells_and_several_tables() -> None:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Sheet of prices")
    for row in (
        ["Price list"], [None, "of 2026"], [], ["Group", "Item", "Price"], ["Pumps", "P1", 10],
        [None, "P2", 12], [], ["Pipes", "X1", 3], [], ["Contacts"], ["Name", "Ext"], ["Mira", 4410],
    ):  # fmt: skip
        sheet.append(row)
    sheet.merge_cells("A1:C1")
    sheet.merge_cells("A5:A6")
    assert pieces("a.xlsx", saved(book))[-6:] == [
        "of 2026",
        "Group: Pumps; Item: P1; Price: 10.",
        "Group: Pumps; Item: P2; Price: 12.",
        "Group: Pipes; Item: X1; Price: 3.",
        "Contacts",
        "Name: Mira; Ext: 4410.",
    ]
