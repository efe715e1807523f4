"""A server that gives out tokens, as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.loopback import Answer, Request, answering


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
    server = TokenServer()

    def give(request: Request) -> Answer:
        is_form = request.method == "POST"
        fields = request.body.decode() if is_form else urlsplit(request.path).query
        server.asked.append({name: one[0] for name, one in parse_qs(fields).items()})
        server.came.set()
        body = None if server.is_silent else server.answer()
        return Answer(server.status, body, {"content-type": "application/json"})

    with answering(give) as url:
        server.url = f"{url}/token"
        yield server
