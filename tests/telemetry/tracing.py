"""A tracer whose spans can be read once it is closed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sextant.build import open_tracer
from sextant.settings import Settings, TelemetrySettings
from sextant.spans import Tracer
from tests.telemetry.collector import Collector, collecting


def settings_for(folder: Path, endpoint: str, service: str = "sextant", llm: str = "") -> Settings:
    """Return settings with a store in a folder and a collector."""
    return Settings(
        store=f"sqlite:{folder}/s",
        embedder="tiny:",
        llm=llm,
        telemetry=TelemetrySettings(endpoint, service),
    )


@asynccontextmanager
async def tracing() -> AsyncIterator[tuple[Tracer, Collector]]:
    """Trace until the block ends; all that was told has arrived then."""
    with collecting() as collector:
        tracer = open_tracer(Settings(telemetry=TelemetrySettings(collector.url)))
        assert tracer
        try:
            yield tracer, collector
        finally:
            await tracer.close()
