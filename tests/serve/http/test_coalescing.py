from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from sextant.serve.http.coalescing import Corked

_SIZES = st.sampled_from([0, 1, 300, 1_023, 1_024, 5_000])
_HEAD, _BODY = b"h" * 300, b"b" * 5_000


class Line(asyncio.Transport):
    """Keeps each piece that is sent over it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.is_open = True
        self.unread = 0
        self.aborted = asyncio.Event()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert self.is_open
        self.sent.append(bytes(data))

    def close(self) -> None:
        self.is_open = False

    def abort(self) -> None:
        self.is_open = False
        self.aborted.set()

    def is_closing(self) -> bool:
        return not self.is_open

    def get_write_buffer_size(self) -> int:
        return self.unread


@given(st.lists(st.tuples(_SIZES, st.booleans()), max_size=12))
def test_all_that_is_written_is_sent_in_order(pieces: list[tuple[int, bool]]) -> None:
    written = [bytes([65 + place]) * size for place, (size, _) in enumerate(pieces)]

    async def run() -> bytes:
        line = Line()
        corked = Corked(line, asyncio.get_running_loop(), 0.0)
        for piece, (_, is_turn) in zip(written, pieces, strict=True):
            corked.write(piece)
            if is_turn:
                await asyncio.sleep(0)
        corked.close()
        assert not line.is_open
        return b"".join(line.sent)

    assert asyncio.run(run()) == b"".join(written)


def test_a_head_goes_along_with_its_body() -> None:
    async def run() -> list[bytes]:
        line = Line()
        corked = Corked(line, asyncio.get_running_loop(), 0.0)
        corked.write(_HEAD)
        corked.write(_BODY)
        return line.sent

    assert asyncio.run(run()) == [_HEAD + _BODY]


def test_a_small_piece_waits_for_no_other() -> None:
    async def run() -> list[bytes]:
        line = Line()
        Corked(line, asyncio.get_running_loop(), 0.0).write(_HEAD)
        await asyncio.sleep(0)
        return line.sent

    assert asyncio.run(run()) == [_HEAD]


def test_what_is_aborted_sends_no_more() -> None:
    async def run() -> list[bytes]:
        line = Line()
        corked = Corked(line, asyncio.get_running_loop(), 0.0)
        corked.write(_HEAD)
        corked.abort()
        await asyncio.sleep(0)
        return line.sent

    assert asyncio.run(run()) == []


def test_who_does_not_read_the_rest_is_let_go_all_the_same() -> None:
    async def run() -> list[bool]:
        waited = []
        for unread in (0, 1):
            line = Line()
            line.unread = unread
            Corked(line, asyncio.get_running_loop(), 0.0).close()
            if unread:
                await line.aborted.wait()
            waited.append(line.aborted.is_set())
        return waited

    assert asyncio.run(run()) == [False, True]
