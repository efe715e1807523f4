"""Lines are found however their stream is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sextant.links.remote_endpoints.line_splitter import LineSplitter


@given(st.lists(st.text(" a\r\n").map(str.encode)))
def test_lines_are_the_same_however_the_stream_is_cut(pieces: list[bytes]) -> None:
    splitter = LineSplitter()
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    *whole, rest = b"".join(pieces).split(b"\n")
    assert lines == whole
    assert splitter.begun_size == len(rest)
    assert splitter.is_within_line == bool(rest.strip())
