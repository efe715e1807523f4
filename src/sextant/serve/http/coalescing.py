"""A transport that sends the head of an answer along with its body, in one call of the system."""

from __future__ import annotations

import asyncio
from typing import Any

_SMALL = 1_024


class Corked(asyncio.Transport):
    """Holds back what is small until more comes, or the loop turns; all else goes at once.

    Once it is closed, who does not read what is left has only so many seconds for it.
    """

    def __init__(
        self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float
    ) -> None:
        super().__init__()
        self._inner, self._loop, self._seconds = inner, loop, seconds
        self._held = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send what is held back and this, or hold this back."""
        if self._held or len(data) >= _SMALL:
            self._inner.write(self._held + data)
            self._held = b""
        elif data:
            self._held = bytes(data)
            self._loop.call_soon(self._send)

    def close(self) -> None:
        """Send what is held back, then close."""
        self._send()
        if not self._inner.is_closing() and self._inner.get_write_buffer_size():
            self._loop.call_later(self._seconds, self._inner.abort)
        self._inner.close()

    def abort(self) -> None:
        """Close at once."""
        self._held = b""
        self._inner.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._inner.is_closing()

    def pause_reading(self) -> None:
        """Take nothing from the client for now."""
        self._inner.pause_reading()

    def resume_reading(self) -> None:
        """Take what the client sends again."""
        self._inner.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the connection."""
        return self._inner.get_extra_info(name, default)

    def _send(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._inner.write(held)
