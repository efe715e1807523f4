"""What is counted, and that nobody outside chooses what it is counted as."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from sextant.serve.http.metrics import Meter
from sextant.types import RunReport, Usage
from tests.serve.running import served, small


def _numbers(text: str) -> dict[tuple[str, ...], float]:
    """Return what requests were counted as."""
    return {
        tuple(sample.labels[name] for name in ("door", "method", "route", "status")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "sextant_requests_total"
    }


def test_a_path_counts_as_its_route_and_what_is_unknown_as_other(tmp_path: Path) -> None:
    async def task() -> str:
        async with served(small(tmp_path)) as server, server.client() as client:
            for number in range(3):
                await client.get(f"/api/jobs/{number}")
                await client.get(f"/nothing/{number}")
                await client.request(f"METHOD{number}", "/health")
            await client.get("/docs")
            await client.get("/api/documents", headers={"Authorization": "Bearer wrong"})
            return (await client.get("/metrics")).text

    text = asyncio.run(task())
    assert _numbers(text) == {
        ("rest", "GET", "/api/jobs/{job_id}", "404"): 3,
        ("none", "GET", "other", "404"): 3,
        ("own", "other", "/health", "405"): 3,
        ("rest", "GET", "/docs", "200"): 1,
        ("rest", "GET", "other", "401"): 1,
    }
    assert 'sextant_refusals_total{reason="unauthenticated"} 1.0' in text
    assert re.search(r"^sextant_requests_under_way 1.0$", text, re.MULTILINE)
    assert re.search(r"^sextant_connections [1-9]", text, re.MULTILINE)
    assert re.search(r"^sextant_jobs_under_way 0.0$", text, re.MULTILINE)


def test_runs_of_copilots_are_counted_by_kind_and_outcome() -> None:
    meter = Meter()
    meter.count_run(RunReport("Chat", "finished", "", 0.5, 0.02, Usage(30, 7)))
    meter.count_run(RunReport("Chat", "failed", "no_model", 0.1, None, Usage()))
    assert meter.value("chat_runs_total", kind="Chat", outcome="finished", code="") == 1
    assert meter.value("chat_runs_total", kind="Chat", outcome="failed", code="no_model") == 1
    assert meter.value("chat_run_seconds_count", kind="Chat") == 2
    assert meter.value("chat_first_text_seconds_count", kind="Chat") == 1
    assert meter.value("chat_tokens_total", direction="written") == 7
