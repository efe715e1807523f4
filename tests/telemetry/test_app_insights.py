"""Spans go to Application Insights where its connection string is set, beside a collector."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sextant.build import open_sextant, open_tracer
from sextant.errors import ConfigError, MissingExtra
from sextant.settings import APP_INSIGHTS_VARIABLE, Settings
from sextant.spans import span, traced
from sextant.types import Scope
from tests.serve.running import served
from tests.telemetry.collector import collecting
from tests.telemetry.ingestion import KEY, Ingestion, ingesting
from tests.telemetry.tracing import settings_for

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def ingestion(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ingestion]:
    with ingesting() as one:
        monkeypatch.setenv(APP_INSIGHTS_VARIABLE, one.connection_string)
        yield one


def test_a_request_and_what_is_done_for_it_are_one_operation(
    tmp_path: Path, ingestion: Ingestion
) -> None:
    async def search() -> None:
        async with served(settings_for(tmp_path, "", "helm")) as server:
            headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
            async with server.client(**headers) as client:
                body = {"query": "Who owns the zebrafish?"}
                assert (await client.post("/api/search", json=body)).status_code == 200

    asyncio.run(search())
    request = ingestion.data("RequestData")["POST /api/search"]
    assert (request["responseCode"], request["success"]) == ("200", True)
    assert request["tags"]["ai.operation.id"] == TRACE
    assert request["tags"]["ai.operation.parentId"] == PARENT
    assert request["tags"]["ai.cloud.role"] == "helm"
    verb = ingestion.data("RemoteDependencyData")["sextant.search"]
    assert verb["tags"]["ai.operation.parentId"] == request["id"]
    assert {one["iKey"] for one in ingestion.envelopes} == {KEY}
    assert set(ingestion.paths) == {"/v2.1/track"}
    assert b"zebrafish" not in b"".join(ingestion.bodies)


def test_a_collector_is_told_the_same_beside_it(tmp_path: Path, ingestion: Ingestion) -> None:
    async def ask(url: str) -> None:
        async with await open_sextant(settings_for(tmp_path, url)) as sextant:
            await sextant.search(Scope("default"), "ledger")

    with collecting() as collector:
        asyncio.run(ask(collector.url))
    told = collector.one("sextant.search")
    assert ingestion.data("RemoteDependencyData")["sextant.search"]["id"] == told.id


def test_a_failure_is_told_by_its_code_alone(ingestion: Ingestion) -> None:
    async def fail() -> None:
        tracer = open_tracer(Settings())
        assert tracer
        with pytest.raises(ConfigError), traced(tracer), span("work"):
            raise ConfigError("The zebrafish is wrong.", "Mend it.")
        await tracer.close()

    asyncio.run(fail())
    work = ingestion.data("RemoteDependencyData")["work"]
    assert work["success"] is False
    assert b"zebrafish" not in b"".join(ingestion.bodies)


@pytest.mark.parametrize("status", [400, 429, 503])
def test_a_resource_that_takes_nothing_changes_no_answer(
    tmp_path: Path, ingestion: Ingestion, status: int
) -> None:
    async def ask() -> int:
        async with await open_sextant(settings_for(tmp_path, "")) as sextant:
            return len((await sextant.search(Scope("default"), "ledger")).hits)

    ingestion.status = status
    assert asyncio.run(ask()) == 0
    assert ingestion.bodies


def test_nothing_of_the_sdk_runs_beside_our_spans(ingestion: Ingestion) -> None:
    """No thread that fetches settings from, or tells statistics to, somebody else."""
    before = set(threading.enumerate())

    async def trace() -> None:
        tracer = open_tracer(Settings())
        assert tracer
        with traced(tracer), span("work"):
            own = set(threading.enumerate()) - before
            assert len(own) == 1, own
        await tracer.close()

    asyncio.run(trace())
    assert set(threading.enumerate()) - before == set()
    assert ingestion.data("RemoteDependencyData").keys() == {"work"}


@pytest.mark.parametrize(
    "wrong", ["nonsense", "InstrumentationKey=7", "keyvault:insights", "a=b=c"]
)
def test_what_is_no_connection_string_is_refused(
    monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv(APP_INSIGHTS_VARIABLE, wrong)
    with pytest.raises(ConfigError, match=f"{APP_INSIGHTS_VARIABLE} is not a connection string"):
        open_tracer(Settings())


def test_a_machine_without_the_exporter_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, ingestion: Ingestion
) -> None:
    monkeypatch.setitem(sys.modules, "azure.monitor.opentelemetry.exporter", None)
    with pytest.raises(MissingExtra, match=APP_INSIGHTS_VARIABLE) as caught:
        open_tracer(Settings())
    assert "sextant[appinsights]" in caught.value.hint
    assert ingestion.bodies == []
