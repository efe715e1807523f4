"""PDF files, made by a library for that."""

from datetime import UTC, datetime

import fpdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenFile, ReadError
from sextant.ingest.read import read
from tests.ingest.read.checks import check_sound, headings, read_one, shown


def paper(password: str = "") -> bytes:
    pdf = fpdf.FPDF()
    pdf.set_title("The Title")
    pdf.set_author("Ann")
    pdf.set_keywords("a, b")
    pdf.set_creation_date(datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC))
    for number in (1, 2):
        pdf.add_page()
        pdf.set_font("helvetica", size=20)
        pdf.cell(text=f"Chapter {number}", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("helvetica", size=11)
        pdf.ln(6)
        pdf.multi_cell(0, 5, "Some words that fill more than a line of the page. " * 4)
        pdf.ln(12)
        pdf.multi_cell(0, 5, "Another paragraph.")
    pdf.add_page()
    if password:
        pdf.set_encryption(owner_password="o", user_password=password)
    return bytes(pdf.output())


def test_pages_paragraphs_and_headings_are_found() -> None:
    reading = read_one("a.pdf", paper())
    check_sound(reading)
    assert [block.page for block in reading.blocks] == [1, 1, 1, 2, 2, 2]
    assert headings(reading) == [(1, "Chapter 1"), (1, "Chapter 2")]
    assert shown(reading)[2] == ("text", "Another paragraph.")
    assert reading.text.count("fill more than a line") == 8
    assert reading.notes == ("1 pages hold no text; they may be pictures.",)


def test_properties_give_title_author_and_date() -> None:
    reading = read_one("a.pdf", paper())
    assert (reading.title, reading.metadata["author"]) == ("The Title", "Ann")
    assert reading.created == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert reading.tags == frozenset("ab")


def test_an_encrypted_file_is_refused_with_a_reason() -> None:
    with pytest.raises(BrokenFile, match="encrypted"):
        read("a.pdf", paper("secret"))


def test_what_is_no_pdf_is_refused() -> None:
    with pytest.raises(BrokenFile, match="is not one"):
        read("a.pdf", b"plain text")
    with pytest.raises(BrokenFile, match="damaged"):
        read("a.pdf", b"%PDF-1.7\n" + b"junk" * 100)


DATA = paper()


@given(st.integers(9, len(DATA) - 1), st.binary(min_size=1, max_size=6))
def test_any_flipped_bytes_are_read_or_refused(at: int, junk: bytes) -> None:
    try:
        for reading in read("a.pdf", DATA[:at] + junk + DATA[at + len(junk) :]):
            check_sound(reading)
    except ReadError:
        return
