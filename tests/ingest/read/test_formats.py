"""Which format a file is taken to be in, and how bytes become text."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenFile, ReadError, TooMuch, UnknownFormat
from sextant.ingest.read import ReadLimits, format_of, read
from tests.ingest.read.checks import read_soundly


@pytest.mark.parametrize(
    ("path", "media_type", "head", "name"),
    [
        ("docs/A.MD", "", b"# A", "markdown"),
        ("index", "text/html; charset=utf-8", b"<p>", "html"),
        ("page", "", b"<!DOCTYPE html><p>", "html"),
        ("page", "text/plain", b"<html>", "html"),
        ("a.rst", "", b"", "rst"),
        ("a.pdf", "", b"%PDF-1.4", "pdf"),
        ("download", "application/octet-stream", b"junk\n%PDF-1.4", "pdf"),
        ("download", "", b"PK\x03\x04...word/document.xml", "docx"),
        ("Dockerfile", "", b"FROM x", "code"),
        ("LICENSE", "", b"Free", "text"),
        ("a.tsv", "", b"a\tb", "csv"),
        ("a.ipynb", "", b"{}", "notebook"),
        ("x", "application/json", b"{}", "json"),
        ("a.unheard-of", "", b"readable", "text"),
        ("box", "", b"From a@b Mon May  6 07:08:09 2024\n", "mbox"),
    ],
)
def test_name_type_and_content_decide(path: str, media_type: str, head: bytes, name: str) -> None:
    assert format_of(path, media_type, head) == name


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("a.exe", b"MZ\x90\0\3\0\0\0"),
        ("a", b"\x7fELF\2\1\1\0\0"),
        ("a.zip", b"PK\x03\x04\x14\0"),
        ("a.gz", b"\x1f\x8b\x08\0\0\0\0\0"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"),
    ],
)
def test_what_nobody_reads_is_unknown(path: str, head: bytes) -> None:
    with pytest.raises(UnknownFormat):
        format_of(path, "", head)


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("a.md", b"text\0\1\2 and binary" * 5),
        ("a.txt", bytes(range(1, 32)) * 4),
        ("a.pdf", b"<html>"),
        ("a.docx", b"text"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("a.md", b"%PDF-1.4 x"),
        ("a.json", b"PK\x03\x04"),
    ],
)
def test_content_that_contradicts_the_name_is_refused(path: str, head: bytes) -> None:
    with pytest.raises(BrokenFile):
        format_of(path, "", head)


@given(st.binary(max_size=300), st.sampled_from(["a", "a.md", "a.txt", "a.html", "a.csv", "a.zip"]))
def test_any_bytes_are_read_or_refused(data: bytes, path: str) -> None:
    read_soundly(path, data)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Größe und Maß, 日本"),
        ("utf-8-sig", "Größe"),
        ("utf-16", "Größe of things"),
        ("utf-16-le", "Plain words of English text"),
        ("utf-16-be", "Plain words of English text"),
        ("utf-32", "Größe"),
        ("cp1252", "Die Größe des Straßenverkehrs überrascht; Äpfel, Öl und Übermut kosten viel."),
        ("cp1251", "Каждый охотник желает знать, где сидит фазан. Служба платежей не работает."),
        (
            "shift_jis",
            "サービスが失敗した場合は、担当チームに連絡してください。日本語のテキストです。",
        ),
        ("gb18030", "如果服务失败请联系值班团队。这是一个中文文本用于测试编码。"),
    ],
)
def test_encodings_are_recognised(encoding: str, text: str) -> None:
    assert read("a.txt", text.encode(encoding))[0].text == text


def test_a_broken_byte_spoils_itself_only() -> None:
    data = "Straße, Größe, Übermut. ".encode() * 20
    (reading,) = read("a.txt", data[:100] + b"\xff" + data[100:])
    assert reading.text.count("\ufffd") == 1
    assert "Straße" in reading.text
    assert reading.notes == ("1 broken character replaced.",)


def test_a_late_nul_never_comes_out() -> None:
    (reading,) = read("a.txt", b"a" * 10_000 + b"\0b")
    assert reading.text.endswith("a\ufffdb")


def test_the_time_of_the_file_stands_in_for_a_date() -> None:
    moment = datetime(2024, 5, 6, tzinfo=UTC)
    assert read("a.md", b"x", modified=moment)[0].modified == moment
    declared = read("a.md", b"---\nupdated: 2024-01-02\n---\nx", modified=moment)[0]
    assert declared.modified == datetime(2024, 1, 2, tzinfo=UTC)
    nonsense = read("a.md", b"---\ndate: 0001-01-01\nupdated: 9999-12-31\n---\nx")[0]
    assert (nonsense.created, nonsense.modified) == (None, None)


def test_texts_over_the_limit_are_refused() -> None:
    with pytest.raises(TooMuch, match="characters"):
        read("a.md", b"x" * 1_001, limits=ReadLimits(text=1_000))
    with pytest.raises(TooMuch, match="lines"):
        read("a.md", b"x\n" * 200, limits=ReadLimits(lines=100))


@given(st.text(max_size=40))
def test_declared_values_never_hold_what_no_store_takes(text: str) -> None:
    head = f"---\ntitle: {text!r}\ntags: [{text!r}]\n---\n"
    try:
        (reading,) = read("a.md", head.encode("utf-8", "surrogatepass"))
    except ReadError:
        return
    for value in (reading.title, *reading.tags, *reading.metadata.values()):
        value.encode()
