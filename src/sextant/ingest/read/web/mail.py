"""E-mail: a message, or a mailbox of them. The plain part is preferred to the one in HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import TYPE_CHECKING

from sextant.errors import BrokenFile
from sextant.ingest.read.dates import moment
from sextant.ingest.read.decode import decode, storable
from sextant.ingest.read.draft import Draft
from sextant.ingest.read.given import Given, readable_name
from sextant.ingest.read.limits import at_most
from sextant.ingest.read.prose.plain import paragraphs
from sextant.ingest.read.web.html import write_html
from sextant.ingest.values import Kind, Reading

if TYPE_CHECKING:
    from email.message import Message

    _Message = Message[str, str]

_START = re.compile(rb"(?:\A|\n\r?\n)From [^\r\n]*\r?\n")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_SHOWN = ("from", "to", "cc", "date")
_MOST_PARTS = 1_000
_LONGEST_HEADER = 2_000


def read_email(given: Given) -> list[Reading]:
    """Read one message."""
    return [_reading(given, given.data, "")]


def read_mailbox(given: Given) -> list[Reading]:
    """Read the messages of a mailbox, one document each."""
    readings: list[Reading] = []
    seen: set[str] = set()
    for number, data in enumerate(_messages(given.data), 1):
        at_most(given.limits.documents, number, "messages")
        reading = _reading(given, data, str(number))
        if reading.part in seen:
            reading = _reading(given, data, str(number), named=False)
        seen.add(reading.part)
        readings.append(reading)
    return readings


def _messages(data: bytes) -> Iterator[bytes]:
    starts = [(found.start(), found.end()) for found in _START.finditer(data)]
    if not starts and data.strip():
        raise BrokenFile("It is no mailbox: no message starts in it.", "Export it again as mbox.")
    ends = [start for start, _ in starts[1:]] + [len(data)]
    for (_, begin), end in zip(starts, ends, strict=False):
        yield _QUOTED_FROM.sub(rb"\1", data[begin:end])


def _reading(given: Given, data: bytes, number: str, named: bool = True) -> Reading:
    message: _Message = message_from_bytes(data)
    subject = _header(message, "subject")
    draft = Draft(given.limits)
    draft.heading(subject, 1)
    headers = {name: _header(message, name) for name in _SHOWN}
    shown = [f"{name.title()}: {value}" for name, value in headers.items() if value]
    draft.add(Kind.TEXT, "\n".join(shown))
    notes = _write_body(draft, message)
    name = _header(message, "message-id").strip("<>")
    metadata = {key: headers[key] for key in ("from", "to", "cc") if headers[key]}
    return Reading(
        draft.text,
        tuple(draft.blocks),
        part=((named and name) or number) if number else "",
        title=subject or readable_name(given.path),
        source_type=given.format,
        created=moment(headers["date"]),
        language=_header(message, "content-language")[:2],
        links=tuple(draft.links),
        metadata=metadata | ({"message_id": name} if name else {}),
        notes=notes,
    )


def _header(message: _Message, name: str) -> str:
    """Return a header in readable letters; the newer parser of these takes memory without bound."""
    raw = str(message.get(name, ""))[:_LONGEST_HEADER]
    try:
        value = str(make_header(decode_header(raw))) if "=?" in raw else raw
    except (HeaderParseError, LookupError, ValueError):
        value = raw
    return " ".join(storable(value).split())


def _write_body(draft: Draft, message: _Message) -> tuple[str, ...]:
    plain: list[_Message] = []
    pages: list[_Message] = []
    notes: list[str] = []
    for count, part in enumerate(message.walk()):
        at_most(_MOST_PARTS, count, "parts in a message")
        kind = part.get_content_type()
        if part.is_multipart():
            continue
        name = _file_name(part)
        if name or kind not in ("text/plain", "text/html"):
            notes.append(f"Attachment left out: {name or 'unnamed'} ({kind}).")
        else:
            (plain if kind == "text/plain" else pages).append(part)
    for part in plain or pages:
        text = _content(part)
        if plain:
            draft.include(text, paragraphs(text))
        else:
            write_html(draft, text)
    return tuple(notes)


def _file_name(part: _Message) -> str:
    name = part.get_filename("")
    if not name and part.get_content_disposition() == "attachment":
        name = "unnamed"
    return storable(str(name))[:200]


def _content(part: _Message) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    return decode(payload, str(part.get_content_charset("") or "")).text if payload else ""
