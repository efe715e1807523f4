"""What is counted: requests, refusals, streams, work under way. Knows no tenant and no caller.

Every label has few values: a path counts as the pattern of its route.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant.serve.door import door_of, route_of
from sextant.types import RunReport

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
LEFT = "left"
"""What counts as the status of a request whose client did not wait for it."""


class Meter:
    """Holds the numbers of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "sextant_requests",
            "Requests that were answered.",
            ("door", "method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "sextant_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ("door", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._under_way = 0
        self.watch("requests_under_way", "Requests being answered.", lambda: self._under_way)
        self._refusals = Counter(
            "sextant_refusals",
            "Requests that a guard refused.",
            ("reason",),
            registry=self._registry,
        )

        self._runs = Counter(
            "sextant_chat_runs",
            "Runs of copilots that are over; the code is that of a failure.",
            ("kind", "outcome", "code"),
            registry=self._registry,
        )
        self._run_seconds = Histogram(
            "sextant_chat_run_seconds",
            "From the start of a run to its end.",
            ("kind",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._first_text = Histogram(
            "sextant_chat_first_text_seconds",
            "From the start of a run to its first text.",
            ("kind",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._tokens = Counter(
            "sextant_chat_tokens",
            "Tokens that models read and wrote in runs, as their providers count them.",
            ("direction",),
            registry=self._registry,
        )

        # To find the numbers of a few labels costs more than to count.
        self._counting = cache(
            lambda door, method, route, status: (
                self._requests.labels(door, method, route, status),
                self._seconds.labels(door, route),
            )
        )

    def watch(self, name: str, told: str, count: Callable[[], float]) -> None:
        """Show a number that somebody else keeps, as it is when it is looked at."""
        Gauge(f"sextant_{name}", told, registry=self._registry).set_function(count)

    def value(self, name: str, **labels: str) -> float:
        """Return a number as it is now."""
        return self._registry.get_sample_value(f"sextant_{name}", labels) or 0.0

    def begin(self) -> None:
        """Note that a request has come."""
        self._under_way += 1

    def end(self, scope: Scope, status: str, seconds: float) -> None:
        """Note that a request is over."""
        self._under_way -= 1
        door, route = door_of(scope).name, route_of(scope) or "other"
        method = scope["method"] if scope["method"] in _METHODS else "other"
        counter, histogram = self._counting(door, method, route, status)
        counter.inc()
        histogram.observe(seconds)
        if reason := scope["state"].get("refused"):
            self._refusals.labels(reason).inc()

    def count_run(self, report: RunReport) -> None:
        """Note what a run of a copilot came to."""
        self._runs.labels(report.kind, report.outcome, report.code).inc()
        self._run_seconds.labels(report.kind).observe(report.seconds)
        if report.first_text_seconds is not None:
            self._first_text.labels(report.kind).observe(report.first_text_seconds)
        self._tokens.labels("read").inc(report.usage.read)
        self._tokens.labels("written").inc(report.usage.written)

    def shown(self) -> Response:
        """Return all numbers as Prometheus reads them."""
        return Response(
            generate_latest(self._registry), headers={"content-type": CONTENT_TYPE_PLAIN_0_0_4}
        )


class Metered:
    """Counts every request that passes."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app, self._meter = app, meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count it when it is over."""
        status, since = LEFT, time.perf_counter()

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        self._meter.begin()
        try:
            await self._app(scope, receive, counted)
        finally:
            self._meter.end(scope, status, time.perf_counter() - since)
