"""Spans on their way to Application Insights, by its connection string. Knows no span of ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sextant.errors import ConfigError, MissingExtra
from sextant.settings import APP_INSIGHTS_VARIABLE

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

_SENDING_S = 5.0
_REPORTS_OF_THE_SDK = (
    "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL",
    "APPLICATIONINSIGHTS_SDKSTATS_DISABLED",
    "APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED",
)


def open_exporter(connection_string: str, provider: TracerProvider) -> SpanExporter:
    """Open the way to the resource that a connection string names.

    What the SDK would tell Microsoft of itself, and fetch from there, is off unless somebody turned
    it on. What cannot be sent is dropped and not kept on the disk.
    """
    for variable in _REPORTS_OF_THE_SDK:
        os.environ.setdefault(variable, "true")
    try:
        from azure.monitor.opentelemetry.exporter import AzureMonitorTraceExporter
    except ImportError as error:
        raise MissingExtra(
            f"{APP_INSIGHTS_VARIABLE} needs the package azure-monitor-opentelemetry-exporter, "
            f"which is not installed ({error.name}).",
            "Run: pip install 'sextant[appinsights]', or unset the variable.",
        ) from None
    try:
        return AzureMonitorTraceExporter(
            connection_string=connection_string,
            tracer_provider=provider,
            disable_offline_storage=True,
            timeout=_SENDING_S,
            read_timeout=_SENDING_S,
            retry_total=0,  # the next batch is another try
        )
    except ValueError:
        raise ConfigError(
            f"{APP_INSIGHTS_VARIABLE} is not a connection string.",
            "Copy it from the overview of the resource: InstrumentationKey=…;IngestionEndpoint=….",
        ) from None
