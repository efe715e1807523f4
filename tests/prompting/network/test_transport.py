"""HTTP over our own connections, with real servers on the loopback that behave well and badly."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from sextant.prompting.network.transport import PacketTransport, direct_transport
from tests.certificates import make_certificate

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
_FINE = b"HTTP/1.1 200 OK\r\n"


@asynccontextmanager
async def serving(serve: Serve, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}"


def client(seconds: float = 30) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=PacketTransport(), timeout=seconds)


async def head_of(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


def whole(body: bytes) -> bytes:
    return _FINE + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def test_a_connection_is_used_again() -> None:
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        for _ in range(2):
            await head_of(reader)
            writer.write(whole(b"yes"))

    async with serving(serve) as url, client() as http:
        answers = [(await http.get(url)).text for _ in range(2)]
    assert (answers, connections) == (["yes", "yes"], 1)


async def test_one_that_the_server_closed_meanwhile_is_not() -> None:
    closed = asyncio.Queue[None]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(whole(b"yes"))
        writer.close()
        await writer.wait_closed()
        closed.put_nowait(None)

    async with serving(serve) as url, client() as http:
        for _ in range(3):
            assert (await http.get(url)).text == "yes"
            await closed.get()


async def test_pieces_come_as_they_are_sent() -> None:
    told = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(_FINE + b"Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        await told.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")
        await reader.read()

    async with serving(serve) as url, client() as http, http.stream("GET", url) as answer:
        pieces = answer.aiter_bytes()
        assert await anext(pieces) == b"one"
        told.set()
        assert await anext(pieces) == b"two"


async def test_what_comes_faster_than_it_is_read_is_read_whole() -> None:
    body = bytes(range(256)) * 16_384

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(whole(body))
        await writer.drain()

    async with serving(serve) as url, client() as http, http.stream("GET", url) as answer:
        taken = []
        async for piece in answer.aiter_bytes():
            taken.append(piece)
            await asyncio.sleep(0)
    assert b"".join(taken) == body


async def test_a_long_request_is_sent_whole() -> None:
    body = b"x" * 4_000_000
    got = asyncio.Queue[int]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        got.put_nowait(len(await reader.readexactly(len(body))))
        writer.write(whole(b"thanks"))
        await writer.drain()

    async with serving(serve) as url, client() as http:
        assert (await http.post(url, content=body)).text == "thanks"
        assert await got.get() == len(body)


async def test_silence_ends_in_a_time_out() -> None:
    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(serve) as url, client(0.05) as http:
        with pytest.raises(httpx2.ReadTimeout):
            await http.get(url)


async def test_who_takes_nothing_ends_in_a_time_out() -> None:
    done = asyncio.Event()

    async def serve(*_: object) -> None:
        await done.wait()

    async with serving(serve) as url, client(0.1) as http:
        with pytest.raises(httpx2.WriteTimeout):
            await http.post(url, content=b"x" * 50_000_000)
        done.set()


async def test_an_answer_that_breaks_off_is_no_answer() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(_FINE + b"Connection: close\r\n\r\nhalf of")
        await writer.drain()
        await reader.readexactly(1)
        # A reset, not an end: without a length only that tells the two apart.
        own = writer.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async def body() -> AsyncIterator[bytes]:
        yield b"."

    async with serving(serve) as url, client() as http:
        with pytest.raises(httpx2.NetworkError):
            await http.post(url, content=body())


async def test_nobody_there_is_told_as_such() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        async with client() as http:
            with pytest.raises(httpx2.ConnectError):
                await http.get(url)


async def test_whoever_leaves_in_the_middle_closes_the_connection() -> None:
    left = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(_FINE + b"Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        await reader.read()
        left.set()

    async with serving(serve) as url, client() as http:
        async with http.stream("GET", url) as answer:
            assert await anext(answer.aiter_bytes()) == b"one"
        await left.wait()


async def test_tls_is_spoken_with_whom_the_machine_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, server_side = make_certificate(tmp_path)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(whole(b"in secret"))
        await writer.drain()

    async with serving(serve, server_side) as url:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        async with client() as http:
            assert (await http.get(url)).text == "in secret"


async def test_nobody_else_is_spoken_with_over_tls(tmp_path: Path) -> None:
    _, server_side = make_certificate(tmp_path)

    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(serve, server_side) as url, client() as http:
        with pytest.raises(httpx2.ConnectError, match="certificate"):
            await http.get(url)


def test_where_the_environment_names_a_proxy_it_is_left_to_the_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert direct_transport() is None
