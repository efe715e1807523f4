"""The ingestion endpoint of Application Insights on a port of its own, as its exporter calls it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import Answer, Request, answering

KEY = "00000000-1111-2222-3333-444444444444"


@dataclass
class Ingestion:
    """What came in so far; envelopes are complete once whoever sends them is closed."""

    url: str = ""
    envelopes: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    status: int = 200

    @property
    def connection_string(self) -> str:
        """Return what the resource's overview would show."""
        return f"InstrumentationKey={KEY};IngestionEndpoint={self.url}/"

    def data(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return what was told as one kind, such as RequestData, by the name that it has."""
        all_data = [one["data"] | {"tags": one["tags"]} for one in self.envelopes]
        return {
            one["baseData"]["name"]: one["baseData"] | {"tags": one["tags"]}
            for one in all_data
            if one["baseType"] == kind
        }

    def take(self, request: Request) -> Answer:
        """Read what was sent, and answer as the service does."""
        is_small = request.headers.get("content-encoding") == "gzip"
        body = gzip.decompress(request.body) if is_small else request.body
        self.paths.append(request.path)
        self.bodies.append(body)
        found = json.loads(body)
        self.envelopes += found
        told = {"itemsReceived": len(found), "itemsAccepted": len(found), "errors": []}
        return Answer(self.status, json.dumps(told).encode(), {"content-type": "application/json"})


@contextmanager
def ingesting() -> Iterator[Ingestion]:
    """Take envelopes on the loopback until the block ends."""
    ingestion = Ingestion()
    with answering(ingestion.take) as ingestion.url:
        yield ingestion
