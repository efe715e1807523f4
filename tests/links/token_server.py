"""A server that gives out tokens, as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class TokenServer:
    """What it answers, and what it was asked: the fields of each form or query."""

    url: str = ""
    status: int = 200
    body: bytes | None = None
    says: dict[str, Any] = field(default_factory=dict)
    is_silent: bool = False
    asked: list[dict[str, str]] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)

    def answer(self) -> bytes:
        """Return the next token, or what is to be said instead."""
        if self.body is not None:
            return self.body
        token = {"access_token": f"token-{len(self.asked)}", "token_type": "Bearer"}
        return json.dumps(token | {"expires_in": 3600} | self.says).encode()


@contextmanager
def giving() -> Iterator[TokenServer]:
    """Serve on the loopback until the block ends."""
    server, over = TokenServer(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            self._answer(self.rfile.read(length).decode())

        def do_GET(self) -> None:
            self._answer(urlsplit(self.path).query)

        def _answer(self, fields: str) -> None:
            server.asked.append({name: one[0] for name, one in parse_qs(fields).items()})
            server.came.set()
            if server.is_silent:
                over.wait()
                return
            body = server.answer()
            self.send_response(server.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
        thread.start()
        server.url = f"http://127.0.0.1:{listening.server_address[1]}/token"
        try:
            yield server
        finally:
            over.set()
            listening.shutdown()
            thread.join()
