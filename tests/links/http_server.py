"""A real server that is sent JSON, which answers as it is told to and knows what it heard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.loopback import Answer, Request, answering


@dataclass(frozen=True)
class Heard:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any


Answering = Callable[[Heard], Answer]


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
def served(answer: Answering) -> Iterator[Served]:
    """Serve on the loopback until the block ends; only what is posted is heard."""
    heard: list[Heard] = []

    def hear(request: Request) -> Answer:
        if request.method != "POST":
            return Answer(501)
        heard.append(Heard(request.path, request.headers, json.loads(request.body)))
        return answer(heard[-1])

    with answering(hear) as url:
        yield Served(url, heard)
