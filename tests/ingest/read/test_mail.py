"""E-mail and mailboxes."""

from datetime import UTC, datetime
from email.message import EmailMessage

from hypothesis import given
from hypothesis import strategies as st

from sextant.ingest.read import read
from tests.ingest.read.checks import read_one, read_soundly, shown

DATE = "Mon, 06 May 2024 07:08:09 +0200"


def message(html: bool = False) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = "Größe of the cluster"
    mail["From"] = "Ann <ann@example.org>"
    mail["To"] = "ops@example.org"
    mail["Date"] = DATE
    mail["Message-ID"] = "<1@example.org>"
    if not html:
        mail.set_content("First paragraph.\n\nSecond ü.\n")
    mail.add_alternative("<p>In <b>HTML</b></p>", subtype="html")
    mail.add_attachment(b"\x00", maintype="image", subtype="png", filename="plan.png")
    return mail


def test_a_message_is_read_with_its_headers_and_plain_part() -> None:
    reading = read_one("a.eml", message().as_bytes())
    assert shown(reading) == [
        ("heading", "# Größe of the cluster"),
        ("text", f"From: Ann <ann@example.org>\nTo: ops@example.org\nDate: {DATE}"),
        ("text", "First paragraph."),
        ("text", "Second ü."),
    ]
    assert reading.created == datetime(2024, 5, 6, 5, 8, 9, tzinfo=UTC)
    assert reading.metadata["from"] == "Ann <ann@example.org>"
    assert reading.metadata["message_id"] == "1@example.org"
    assert reading.notes == ("Attachment left out: plan.png (image/png).",)


def test_html_is_read_when_there_is_no_plain_part() -> None:
    assert shown(read_one("a.eml", message(html=True).as_bytes()))[-1] == ("text", "In HTML")


def test_a_mailbox_is_one_document_per_message() -> None:
    start = b"From ann@example.org Mon May  6 07:08:09 2024\n"
    one = message().as_bytes()
    box = start + one + b"\n\n" + start + b"Subject: Two\n\nBody\n>From here on\n\n" + start + one
    readings = read("mail.mbox", box)
    assert [reading.part for reading in readings] == ["1@example.org", "2", "3"]
    assert readings[1].text.endswith("From here on")


@given(st.binary(max_size=200), st.sampled_from(["a.eml", "a.mbox"]))
def test_any_bytes_are_read_or_refused(data: bytes, path: str) -> None:
    read_soundly(path, data.replace(b"\0", b""))


HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["Subject", "From", "To", "Date", "Message-ID", "Content-Type"]),
        st.text(st.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=30)
        | st.sampled_from(
            ['text/html; charset="x"', "multipart/mixed; boundary=a", "=?utf-8?q?=?="]
        ),
    ),
    max_size=5,
)


@given(HEADERS, st.sampled_from(["", "--a\n\nx\n--a--", "<p>x"]))
def test_broken_headers_break_nothing(headers: list[tuple[str, str]], body: str) -> None:
    text = "".join(f"{name}: {value}\n" for name, value in headers) + "\n" + body
    read_soundly("a.eml", text.encode("latin-1"))
