"""What values a key of a workflow's files may have. A kind says what it takes, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from sextant.ask.workflow.nouns import NO_FALLBACK, OWN_RETRIEVER
from sextant.ask.workflow.place import is_inside
from sextant.settings import NO_MODEL


class Kind(Protocol):
    """Looks at a value."""

    def wants(self, value: Any) -> str:
        """Return what would be taken instead, or nothing if the value is right."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text of a limited length."""

    longest: int
    may_be_empty: bool = False

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        if not isinstance(value, str):
            return "a text"
        if not value.strip() and not self.may_be_empty:
            return "a text that is not empty"
        return f"at most {self.longest:,} characters" if len(value) > self.longest else ""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    low: int
    high: int

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        fits = type(value) is int and self.low <= value <= self.high
        return "" if fits else f"a whole number from {self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    low: float
    high: float

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        fits = type(value) in (int, float) and self.low <= value <= self.high
        return "" if fits else f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class FileIn:
    """A file in one of the workflow's folders; no path leads elsewhere."""

    folder: str

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        fits = isinstance(value, str) and len(value) <= 200 and is_inside(value, self.folder)
        return "" if fits else f"a file such as {self.folder}/NAME"


class Part:
    """A part that is looked into by itself."""

    def __init__(self, kind: type, told: str) -> None:
        self._kind = kind
        self._told = told

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        return "" if isinstance(value, self._kind) else self._told


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few texts."""

    choices: tuple[str, ...]

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        return "" if value in self.choices else " or ".join(self.choices)


class ModelChoice:
    """A model as the setting llm names one; empty is the configured one."""

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        is_choice = isinstance(value, str) and (value in ("", NO_MODEL) or ":" in value.strip(":"))
        return "" if is_choice and len(value) <= 300 else _MODELS


class RetrieverChoice:
    """A retriever: the own one, an HTTP service, or a tool of an MCP server."""

    def wants(self, value: Any) -> str:
        """Return what would be taken instead."""
        if not isinstance(value, str) or len(value) > 1_000 or not value.isprintable():
            return _RETRIEVERS
        if value == OWN_RETRIEVER:
            return ""
        if not value.startswith("mcp:"):
            return _address(value)
        server, _, tool = value.removeprefix("mcp:").rpartition("#")
        if tool.startswith(("http://", "https://")):
            return _address(tool)
        if not server.strip() or not tool.strip():
            return _RETRIEVERS
        return _address(server) if server.startswith(("http://", "https://")) else ""


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        return _RETRIEVERS
    if not is_address:
        return _RETRIEVERS
    return "an address without a name and a password" if parts.username is not None else ""


_MODELS = '"" (the configured one), "none", or a model such as openai:NAME or http://host/v1#NAME'
_RETRIEVERS = "sextant, http(s)://…, mcp:http(s)://…[#tool] or mcp:command arguments#tool"

WORKFLOW: Mapping[str, Kind] = {
    "name": Words(100),
    "version": Whole(1, 1_000_000),
    "description": Words(500, may_be_empty=True),
    "max_retries": Whole(0, 3),
    "limits": Part(dict, "a table of limits"),
    "steps": Part(list, "a list of steps"),
}
LIMITS: Mapping[str, Kind] = {
    "queries": Whole(1, 3),
    "retrieved": Whole(1, 20),
    "selected": Whole(1, 8),
    "missing": Whole(0, 3),
    "followups": Whole(0, 3),
    "seconds": Number(1, 3_600),
}
AGENT_FILE, SCHEMA_FILE = FileIn("agents"), FileIn("schemas")
STEP: Mapping[str, Kind] = {"name": Words(100), "agent": AGENT_FILE}
_ANY_AGENT: Mapping[str, Kind] = {
    "name": Words(100),
    "version": Whole(1, 1_000_000),
    "description": Words(500, may_be_empty=True),
    "seconds": Number(0.1, 3_600),
    "schema": SCHEMA_FILE,
}
AGENT: Mapping[str, Kind] = {
    **_ANY_AGENT,
    "model": ModelChoice(),
    "temperature": Number(0, 2),
    "max_tokens": Whole(16, 32_000),
    "instructions": Words(8_000),
}
RETRIEVING_AGENT: Mapping[str, Kind] = {
    **_ANY_AGENT,
    "retriever": RetrieverChoice(),
    "fallback": OneOf((NO_FALLBACK, OWN_RETRIEVER)),
    "server_label": Words(200, may_be_empty=True),
    "project_connection_id": Words(500, may_be_empty=True),
}
MAY_BE_LEFT_OUT = frozenset(
    {"description", "model", "fallback", "server_label", "project_connection_id"}
)
