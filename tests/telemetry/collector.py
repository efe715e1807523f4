"""A real OTLP collector on a port of its own: it takes spans as protobuf over HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Wire
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.loopback import Answer, Request, answering

FAILED = Status.STATUS_CODE_ERROR


@dataclass(frozen=True)
class Told:
    """A span as it arrived."""

    name: str
    trace: str
    id: str
    parent: str
    kind: str
    facts: dict[str, Any]
    status: int
    said: str
    began: int
    ended: int


@dataclass
class Collector:
    """What came in so far; spans are complete once whoever sends them is closed."""

    url: str = ""
    spans: list[Told] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def one(self, name: str) -> Told:
        """Return the only span of a name."""
        (found,) = self.named(name)
        return found

    def named(self, name: str) -> list[Told]:
        """Return the spans of a name."""
        return [span for span in self.spans if span.name == name]

    def under(self, parent: Told) -> list[str]:
        """Return the names of a span's children, in the order in which they began."""
        own = [span for span in self.spans if span.parent == parent.id]
        return [span.name for span in sorted(own, key=lambda span: span.began)]

    def take(self, body: bytes) -> None:
        """Read what was sent."""
        self.bodies.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.about = _facts(resource.resource.attributes)
            for scope in resource.scope_spans:
                self.spans += map(_told, scope.spans)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Collect on the loopback until the block ends."""
    collector = Collector()

    def collect(request: Request) -> Answer:
        collector.take(request.body)
        collector.paths.append(request.path)
        collector.headers = request.headers
        body = ExportTraceServiceResponse().SerializeToString()
        return Answer(200, body, {"content-type": "application/x-protobuf"})

    with answering(collect) as collector.url:
        yield collector


def _told(span: Wire) -> Told:
    return Told(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        Wire.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
        _facts(span.attributes),
        span.status.code,
        span.status.message,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
    )


def _facts(attributes: Iterable[KeyValue]) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None
