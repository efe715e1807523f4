"""Files that come as multipart/form-data, written to a folder as they come.

Never holds a file. Knows no job; whoever calls bounds how much comes.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, ParamSpec, TypeVar

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from sextant.errors import InvalidInput, TooLarge
from sextant.serve.jobs import spool
from sextant.serve.rest.request.refusals import Refused

P = ParamSpec("P")
T = TypeVar("T")
MEDIA = "multipart/form-data"
MOST_FILES = 1_000
_MOST_FIELDS = 200
_LONGEST_FIELD = 64 * 1024
_HINT = "Send multipart/form-data with a boundary, and a file name for each file."


@dataclass(slots=True)
class Received:
    """What came: the names of the files as they are kept, the other fields, a digest of it all."""

    files: list[str] = field(default_factory=list)
    fields: dict[str, list[str]] = field(default_factory=dict)
    size: int = 0
    digest: str = ""


@dataclass(slots=True)
class _Part:
    """A file or a field that is coming."""

    disposition: bytes = b""
    header: bytearray = field(default_factory=bytearray)
    value: bytearray = field(default_factory=bytearray)
    name: str = ""
    filename: str | None = None
    file: BinaryIO | None = None
    size: int = 0
    digest: hashlib.blake2b = field(default_factory=lambda: hashlib.blake2b(digest_size=16))


class _Sink:
    """Takes what the parser finds, in a thread."""

    def __init__(self, boundary: bytes, folder: Path, most_bytes: int) -> None:
        self._folder, self._most = folder, most_bytes
        self._part, self._fields = _Part(), 0
        self._digest = hashlib.blake2b(digest_size=16)
        self.received = Received()
        self._is_ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_name,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._open,
                "on_part_data": self._data,
                "on_part_end": self._close,
                "on_end": self._end,
            },
        )

    def write(self, data: bytes) -> None:
        self.received.size += len(data)
        if self.received.size > self._most:
            raise TooLarge(
                f"The upload is over {self._most >> 20} MB.",
                "Send less at once, or raise serve.upload_megabytes.",
            )
        self._parser.write(data)

    def finish(self) -> Received:
        self._parser.finalize()
        if not self._is_ended:
            raise InvalidInput("The upload broke off.", "Send it again.")
        self.received.digest = self._digest.hexdigest()
        return self.received

    def drop(self) -> None:
        if self._part.file:
            self._part.file.close()

    def _begin(self) -> None:
        self._part = _Part()

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._part.header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._part.value += data[start:end]

    def _header_end(self) -> None:
        part = self._part
        if part.header.lower() == b"content-disposition":
            part.disposition = bytes(part.value)
        part.header.clear()
        part.value.clear()

    def _open(self) -> None:
        part = self._part
        _, options = parse_options_header(part.disposition)
        part.name = _text(options.get(b"name", b""))
        if b"filename" in options:
            part.filename = _text(options[b"filename"])
        if part.filename:
            self._open_file(part, part.filename)
        elif part.filename is None:
            self._fields += 1
            if self._fields > _MOST_FIELDS:
                raise TooLarge(f"There are over {_MOST_FIELDS} fields.", "Send fewer.")

    def _open_file(self, part: _Part, filename: str) -> None:
        if len(self.received.files) >= MOST_FILES:
            raise TooLarge(f"There are over {MOST_FILES} files.", "Send them in an archive.")
        name = spool.tidy_name(filename)
        part.file = spool.create(self._folder, name)
        self.received.files.append(name)

    def _data(self, data: bytes, start: int, end: int) -> None:
        part, piece = self._part, data[start:end]
        part.digest.update(piece)
        part.size += len(piece)
        if part.file:
            spool.append(part.file, piece)
            return
        part.value += piece
        if len(part.value) > _LONGEST_FIELD:
            raise TooLarge(f"A field is over {_LONGEST_FIELD >> 10} KB.", "Send it as a file.")

    def _close(self) -> None:
        part = self._part
        said = (part.name, part.filename, part.size, part.digest.hexdigest())
        self._digest.update(repr(said).encode())
        if part.file:
            spool.finish(part.file)
        elif part.filename is None:
            self.received.fields.setdefault(part.name, []).append(_text(bytes(part.value)))
        elif part.size:
            raise InvalidInput("A file comes without a name.", _HINT)

    def _end(self) -> None:
        self._is_ended = True


async def receive(request: Request, folder: Path, most_bytes: int) -> Received:
    """Write the files of a request below a folder, each durable, and return what came."""
    sink = await _in_thread(_Sink, _boundary(request), folder, most_bytes)
    try:
        async for data in request.stream():
            await _in_thread(sink.write, data)
        return await _in_thread(sink.finish)
    finally:
        await asyncio.to_thread(sink.drop)


def is_multipart(request: Request) -> bool:
    """Whether files come."""
    return _kind(request)[0] == MEDIA.encode()


def _boundary(request: Request) -> bytes:
    boundary = _kind(request)[1].get(b"boundary", b"")
    if not boundary:
        raise Refused(400, "invalid_upload", "The upload has no boundary.", _HINT)
    return boundary


def _kind(request: Request) -> tuple[bytes, dict[bytes, bytes]]:
    return parse_options_header(request.headers.get("content-type", ""))


async def _in_thread(act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return await asyncio.to_thread(act, *args, **kwargs)
    except FormParserError:
        raise Refused(400, "invalid_upload", "The upload cannot be understood.", _HINT) from None


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidInput("A name or a field is no text in UTF-8.", _HINT) from None
