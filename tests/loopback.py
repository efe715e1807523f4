"""A real HTTP server on a port of its own, which answers as it is told to. Knows no protocol."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    """A request as it came in; names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """What the server sends back; without a body it says nothing until it is stopped."""

    status: int = 200
    body: bytes | None = b""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: int = 1
    promised: int = 0


@contextmanager
def answering(
    answer: Callable[[Request], Answer], tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Serve on the loopback until the block ends; yield the address."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(length)
            told = answer(Request(self.command, self.path, headers, body))
            if told.body is None:
                over.wait()
            else:
                self._tell(told, told.body)

        def do_POST(self) -> None:
            self.do_GET()

        def _tell(self, told: Answer, body: bytes) -> None:
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(told.promised or len(body) * told.pieces))
            self.end_headers()
            try:
                for _ in range(told.pieces):
                    self.wfile.write(body)
            except OSError:
                return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
        finally:
            over.set()
            server.shutdown()
            thread.join()
