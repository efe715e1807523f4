"""A real HTTP server on a port of its own, which answers as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the server sends back; without a body it says nothing until it is stopped."""

    status: int = 200
    body: bytes | None = b""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: int = 1
    promised: int = 0


Answering = Callable[["Heard"], Answer]


@dataclass(frozen=True)
class Heard:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Served:
    """A server under way."""

    url: str
    heard: list[Heard]


def found(texts: list[str], sources: list[str], query: str = "used") -> Answer:
    """Return an answer in the shape of the workflow."""
    value = {"query_used": query, "chunk_texts": texts, "chunk_sources": sources}
    return Answer(body=json.dumps(value).encode())


@contextmanager
def served(answering: Answering) -> Iterator[Served]:
    """Serve on the loopback until the block ends."""
    heard: list[Heard] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            one = Heard(self.path, headers, json.loads(self.rfile.read(length)))
            heard.append(one)
            answer = answering(one)
            if answer.body is None:
                over.wait()
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            length = answer.promised or len(answer.body) * answer.pieces
            self.send_header("content-length", str(length))
            self.end_headers()
            try:
                for _ in range(answer.pieces):
                    self.wfile.write(answer.body)
            except OSError:
                return

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{server.server_address[1]}", heard)
        finally:
            over.set()
            server.shutdown()
            thread.join()
