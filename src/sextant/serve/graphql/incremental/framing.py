"""How payloads go over HTTP: as parts of a multipart body, or as server-sent events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

MULTIPART = "multipart/mixed"
EVENTS = "text/event-stream"
_HEAD = b"\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: "


class Framing(Protocol):
    """What stands round payloads."""

    @property
    def content_type(self) -> str:
        """What the body is."""

    @property
    def begin(self) -> bytes:
        """What comes before the first payload."""

    @property
    def end(self) -> bytes:
        """What comes behind the last one."""

    def frame(self, payload: bytes) -> bytes:
        """Return one payload as it is sent."""


@dataclass(frozen=True, slots=True)
class Multipart:
    """Parts with the boundary `-`. A delimiter stands behind each: clients read up to the next."""

    content_type: str = f'{MULTIPART}; boundary="-"'
    begin: bytes = b"\r\n---"
    end: bytes = b"--\r\n"

    def frame(self, payload: bytes) -> bytes:
        """Return a payload as a part."""
        return b"%b%d\r\n\r\n%b\r\n---" % (_HEAD, len(payload), payload)


@dataclass(frozen=True, slots=True)
class Events:
    """Events as the protocol of GraphQL over server-sent events names them."""

    content_type: str = f"{EVENTS}; charset=utf-8"
    begin: bytes = b""
    end: bytes = b"event: complete\ndata:\n\n"

    def frame(self, payload: bytes) -> bytes:
        """Return a payload as an event; JSON has no line breaks that could end it early."""
        return b"event: next\ndata: %b\n\n" % payload
