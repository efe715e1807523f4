"""Chunks off the wire: the same as the SDK reads, wherever packets end and however lines do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.llms.openai.chunks import PlainChunks

CLIENT = openai.AsyncOpenAI(api_key="sk-test")
REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
VALUES = st.dictionaries(st.text(max_size=4), st.text(max_size=8) | st.integers(), max_size=3).map(
    lambda value: {name: own for name, own in value.items() if name != "error"}
)


def wire(values: list[Any], end: str) -> bytes:
    lines = [f"event: chunk{end}data: {json.dumps(one)}{end}{end}" for one in values[:1]]
    lines += [
        f": a comment{end}{end}",
        *(f"data: {json.dumps(one)}{end}{end}" for one in values[1:]),
    ]
    return "".join([*lines, f"data: [DONE]{end}{end}", f"data: 5{end}{end}"]).encode()


def read(packets: list[bytes], kind: type[openai.AsyncStream[object]]) -> list[object]:
    async def body() -> AsyncIterator[bytes]:
        for packet in packets:
            yield packet

    async def chunks() -> list[object]:
        response = httpx2.Response(200, content=body(), request=REQUEST)
        stream = kind(cast_to=object, response=response, client=CLIENT)
        return [one async for one in stream]

    return asyncio.run(chunks())


@given(
    values=st.lists(VALUES, max_size=4),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    cuts=st.lists(st.integers(0, 300), max_size=6),
)
def test_they_are_those_that_the_sdk_reads(values: list[Any], end: str, cuts: list[int]) -> None:
    data = wire(values, end)
    marks = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    packets = [data[a:b] for a, b in pairwise(marks)]
    assert read(packets, PlainChunks) == read(packets, openai.AsyncStream[object]) == values


def test_an_error_in_the_stream_is_raised() -> None:
    with pytest.raises(openai.APIError, match="too many tokens"):
        read([b'data: {"error": {"message": "too many tokens"}}\n\n'], PlainChunks)


def test_a_reply_without_an_end_is_read_as_far_as_it_goes() -> None:
    assert read([b'data: {"a": 1}\n\ndata: {"b"', b": 2}"], PlainChunks) == [{"a": 1}, {"b": 2}]


def test_what_is_no_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        read([b"data: {\n\n"], PlainChunks)
