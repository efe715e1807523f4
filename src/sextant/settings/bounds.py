"""Which values a setting may have. Knows no file and no variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any

from sextant.errors import ConfigError
from sextant.settings.sections import Settings

_PLUGINS = "plugins"


def check(
    settings: Settings,
    origins: Mapping[str, str],
    references: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Refuse what is out of its range or none of its choices, and say who set it so.

    Of a value that came from a vault the message has the reference to it.
    """
    for name, value in flatten(replace(settings, plugins={})):
        origin = f"{origins.get(name, 'default')} sets {name} to"
        _check_range(name, value, f"{origin} {references.get(name, value)}")
        _check_choice(name, value, f"{origin} {references.get(name, repr(value))}")


_RANGES: dict[str, tuple[float, float]] = {
    "keyword.title_weight": (0, 100),
    "keyword.headings_weight": (0, 100),
    "sqlite.wait_seconds": (0, 3_600),
    "sqlite.flush_chunks": (1, 1_000_000),
    "sqlite.readers": (1, 64),
    "minilm.threads": (0, 256),
    "bge.threads": (0, 256),
    "ingest.chunk_characters": (200, 100_000),
    "ingest.file_megabytes": (1, 4_096),
    "ingest.readers": (1, 64),
    "ingest.read_seconds": (1, 3_600),
    "ingest.read_megabytes": (64, 1_048_576),
    "ingest.turn_seconds": (0, 3_600),
    "ingest.wait_seconds": (0, 3_600),
    "ask.relevancy": (0, 1),
    "ask.recency": (0, 1),
    "ask.richness": (0, 1),
    "ask.reputation": (0, 1),
    "ask.half_life_days": (0.01, 1_000_000),
    "ask.candidates": (1, 1_000),
    "ask.results": (1, 1_000),
    "ask.late_vectors": (0, 100),
    "model.connect_seconds": (0.01, 3_600),
    "model.read_seconds": (0.01, 3_600),
    "model.total_seconds": (0.01, 86_400),
    "model.retries": (0, 10),
    "model.concurrency": (1, 10_000),
    "model.batch_concurrency": (1, 1_000),
    "model.tokens": (0, 2**40),
    "model.input_price": (0, 1_000_000),
    "model.output_price": (0, 1_000_000),
    "serve.port": (0, 65_535),
    "sqlite.descriptors": (0, 2**31),
    "serve.header_seconds": (0.01, 3_600),
    "serve.body_seconds": (0.01, 3_600),
    "serve.request_seconds": (0.01, 86_400),
    "serve.waiting": (0, 100_000),
    "serve.job_minutes": (0.01, 100_000),
    "serve.cached_searches": (0, 1_000_000),
    "oidc.leeway_seconds": (0, 600),
    "remote.call_seconds": (0.01, 3_600),
    "remote.retries": (0, 10),
    "toolbox.list_seconds": (0.01, 3_600),
    "toolbox.call_seconds": (0.01, 3_600),
    "chat.rounds": (1, 100),
    "chat.tools": (1, 128),
    "chat.action_seconds": (0.01, 3_600),
    "toolbox.refresh_seconds": (1, 86_400),
    "toolbox.result_megabytes": (0.001, 64),
    "chat.kept_seconds": (0, 3_600),
    "chat.remote_seconds": (0.01, 86_400),
    "chat.offer_seconds": (0.01, 3_600),
    "guardrails.likeness": (0, 1),
    "guardrails.seconds": (0.01, 3_600),
    "azure.lag_seconds": (0, 3_600),
    "azure.call_seconds": (0.01, 3_600),
    "azure.retries": (0, 20),
    "azure.retry_seconds": (0, 3_600),
    "azure.fresh_seconds": (0, 60),
    "azure.lease_seconds": (1, 3_600),
    "azure.wait_seconds": (0, 3_600),
    "azure.concurrency": (1, 1_000),
    "analytics.sample": (0, 1),
    "analytics.batch": (1, 10_000),
    "analytics.batch_seconds": (0.01, 3_600),
    "analytics.retries": (0, 10),
    "analytics.seconds": (0.01, 3_600),
    "m365.send_seconds": (0.01, 600),
}


def _check_range(name: str, value: Any, what_is_set: str) -> None:
    low, high = _RANGES.get(name, (1, 2**40))
    if type(value) in (int, float) and not low <= value <= high:
        raise ConfigError(
            f"{what_is_set}, which is out of range.",
            f"Set it between {low:g} and {high:g}.",
        )


_CHOICES = {
    "ask.unsupported": ("drop", "mark"),
    "ask.no_rag": ("reply", "search"),
    "chat.grounding": ("agent", "tool", "off"),
    "chat.links": ("auto", "known", "all"),
    "guardrails.when_down": ("closed", "open"),
    "serve.auth": ("none", "local", "api-key", "oidc"),
    "log.level": ("debug", "info", "warning", "error"),
    "log.format": ("text", "json"),
}


def _check_choice(name: str, value: Any, what_is_set: str) -> None:
    choices = _CHOICES.get(name)
    if choices and value not in choices:
        raise ConfigError(f"{what_is_set}.", f"Use {' or '.join(choices)}.")


def flatten(section: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting of a section by its whole name, with its value."""
    for item in fields(section):
        value = getattr(section, item.name)
        if item.name == _PLUGINS:
            for name, table in value.items():
                yield from ((f"{name}.{key}", own) for key, own in table.items())
        elif is_dataclass(value):
            yield from flatten(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, value
