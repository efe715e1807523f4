"""The chunks of a streamed reply as plain values, read off the wire in one go for each packet.

The SDK decodes line by line, which takes longer than all the rest of a reply; what it does beside
that (errors in the stream, a reply that is drained so that its connection can be used again) is
done here as well.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import msgspec
import openai

_DATA = b"data:"
_DONE = b"[DONE]"
_decode = msgspec.json.Decoder().decode


class PlainChunks(openai.AsyncStream[object]):
    """A reply under way; each chunk is a mapping."""

    async def __aiter__(self) -> AsyncIterator[object]:
        """Yield each chunk, up to the sign that there are no more."""
        response, events = self.response, _Events()
        try:
            async for packet in response.aiter_bytes():
                for data in events.feed(packet):
                    yield self._checked(data)
                if events.are_over and response.http_version != "HTTP/1.1":
                    break  # else all of it is read, so that the connection can be used again
            for data in events.finish():
                yield self._checked(data)
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request=response.request) from error
        except httpx2.RequestError as error:
            raise openai.APIConnectionError(request=response.request) from error
        finally:
            await response.aclose()

    def _checked(self, data: bytes) -> object:
        """Return what an event says, or raise the error that it tells of."""
        chunk = _read(data)
        if isinstance(chunk, dict) and (error := chunk.get("error")):
            told = error.get("message") if isinstance(error, dict) else None
            message = told if isinstance(told, str) and told else "The stream tells of an error."
            raise openai.APIError(message, request=self.response.request, body=error)
        return chunk


class _Events:
    """Server-sent events out of packets that end anywhere: only their data counts here."""

    __slots__ = ("_parts", "are_over")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.are_over = False

    def feed(self, packet: bytes) -> Iterator[bytes]:
        """Yield the data of all events that are whole now, up to the one that says: no more."""
        if b"\n" not in packet and b"\r" not in packet:
            self._parts.append(packet)  # joined once, however many packets an event takes
            return
        text = b"".join([*self._parts, packet])
        if b"\r" in text:
            # A packet may end between the two signs of one line's end.
            held = text.endswith(b"\r")
            text = text[: len(text) - held].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            text += b"\r" * held
        *whole, rest = text.split(b"\n\n")
        self._parts = [rest]
        for data in filter(None, map(_data_of, whole)):
            self.are_over = self.are_over or data.startswith(_DONE)
            if self.are_over:
                return
            yield data

    def finish(self) -> Iterator[bytes]:
        """Yield the data of an event whose end was never sent."""
        yield from self.feed(b"\n\n")


def _data_of(event: bytes) -> bytes:
    """Return the data of an event, which usually is all of it."""
    if event.startswith(_DATA) and b"\n" not in event:
        return event[len(_DATA) :].strip()
    lines = (line for line in event.split(b"\n") if line.startswith(_DATA))
    return b"\n".join(line[len(_DATA) :].strip() for line in lines)


def _read(data: bytes) -> Any:
    try:
        return _decode(data)
    except msgspec.DecodeError:
        return json.loads(data)  # what it takes beyond the standard, and how it complains
