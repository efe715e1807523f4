"""Spans on their way to an OpenTelemetry collector, as OTLP over HTTP, and to Application Insights.

Knows no span of ours. The provider is our own and not the process's: whoever traces the process
that we run in keeps theirs, and spans that libraries would begin beside ours stay silent.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from sextant.errors import SextantError
from sextant.links.client import checked_address
from sextant.prompting.secrets.redact import redacted
from sextant.settings import Settings
from sextant.spans import Facts, Kind, Span
from sextant.version import __version__

FROM_ENVIRONMENT = "env"
"""The endpoint that leaves it to the variables of OpenTelemetry."""

_FORM = 'Write "http://host:4318", or "env" for what the OTEL_ variables say.'
_KEY_HINT = "A key belongs in OTEL_EXPORTER_OTLP_HEADERS."
_PATH = "/v1/traces"
_SENDING_S = 5.0
_CLOSING_S = 8.0
_LONGEST, _READ = 200, 2_000
_KINDS = {
    Kind.WITHIN: trace.SpanKind.INTERNAL,
    Kind.SERVER: trace.SpanKind.SERVER,
    Kind.CLIENT: trace.SpanKind.CLIENT,
}
_WAY = TraceContextTextMapPropagator()


class OtlpTracer:
    """Sends spans from a thread of its own, in batches."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("sextant", __version__)

    def begin(self, name: str, kind: Kind, facts: Facts, parent: Mapping[str, str]) -> Span:
        """Begin a span inside the one that is under way, or inside what headers name."""
        return _OtlpSpan(
            self._tracer.start_span(
                name,
                _parent_context(parent),
                _KINDS[kind],
                {key: _short(facts[key]) for key in facts},
            )
        )

    def inside(self, span: Span) -> AbstractContextManager[object]:
        """Let what begins meanwhile be a part of a span."""
        assert isinstance(span, _OtlpSpan)  # noqa: S101 - tells the type checker
        return trace.use_span(span.own, record_exception=False, set_status_on_exception=False)

    def headers(self) -> dict[str, str]:
        """Return what another server must be told, so that its spans join ours."""
        told: dict[str, str] = {}
        _WAY.inject(told)
        return told

    async def close(self) -> None:
        """Send what is not sent yet; a collector that does not answer is not waited for long."""
        try:
            async with asyncio.timeout(_CLOSING_S):
                await asyncio.to_thread(self._provider.shutdown)
        except TimeoutError:
            return


class _OtlpSpan:
    __slots__ = ("_is_failed", "own")

    def __init__(self, own: trace.Span) -> None:
        self.own, self._is_failed = own, False

    @property
    def is_heard(self) -> bool:
        return self.own.is_recording()

    def note(self, facts: Facts) -> None:
        self.own.set_attributes({key: _short(value) for key, value in facts.items()})

    def rename(self, name: str) -> None:
        self.own.update_name(name)

    def fail(self, code: str) -> None:
        if self._is_failed:
            return
        self._is_failed = True
        self.own.set_attribute("error.type", code)
        self.own.set_status(trace.StatusCode.ERROR, code)

    def end(self, error: BaseException | None = None) -> None:
        if not self.own.is_recording():
            return
        if error is not None:
            self._tell(error)
        self.own.end()

    def _tell(self, error: BaseException) -> None:
        """Say what kind of thing went wrong; its message may quote what somebody asked."""
        code = error.code if isinstance(error, SextantError) else type(error).__name__
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            self.own.set_attribute("error.type", code)
        else:
            self.fail(code)


def open_tracer(settings: Settings, connection_string: str = "") -> OtlpTracer:
    """Open the way to the collector that the settings name, and to Application Insights."""
    resource = Resource.create(_about(settings))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    if settings.telemetry.endpoint:
        sender = _open_otlp_exporter(_address(settings.telemetry.endpoint))
        provider.add_span_processor(BatchSpanProcessor(sender))
    if connection_string:
        from sextant.links.app_insights import open_exporter

        sender = open_exporter(connection_string, provider)
        provider.add_span_processor(BatchSpanProcessor(sender))
    return OtlpTracer(provider)


def _open_otlp_exporter(address: str | None) -> SpanExporter:
    # Who sends to Application Insights alone need not have this package.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=address, timeout=_SENDING_S if address else None)


def _address(endpoint: str) -> str | None:
    """Return where traces go; None is where the environment says."""
    if endpoint == FROM_ENVIRONMENT:
        return None
    checked_address(endpoint, _FORM, "The setting telemetry.endpoint", _KEY_HINT)
    has_path = urlsplit(endpoint).path.endswith(_PATH)
    return endpoint if has_path else endpoint.rstrip("/") + _PATH


def _about(settings: Settings) -> dict[str, str]:
    """Return who sends; the environment's name goes before ours where it was chosen."""
    about = {"service.version": __version__}
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    if settings.telemetry.endpoint != FROM_ENVIRONMENT or not is_named:
        about["service.name"] = settings.telemetry.service
    return about


def _parent_context(parent: Mapping[str, str]) -> Context | None:
    """Return the span that headers name; one that cannot be read is as none."""
    if "traceparent" not in parent:
        return None
    found = _WAY.extract(parent)
    return found if trace.get_current_span(found).get_span_context().is_valid else None


def _short(value: object) -> str | bool | int | float | list[str]:
    """Return a value that tells no key and is not long."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _shown(value)
    assert isinstance(value, list | tuple)  # noqa: S101 - tells the type checker
    return [_shown(str(one)) for one in value]


def _shown(text: str) -> str:
    return redacted(text[:_READ])[:_LONGEST]
