"""The log of a server: how much is told on stderr, and as what. Knows no message.

A line says when, how grave, what, and for which request of which tenant. Secrets that were read
here, and whatever looks like one, are hidden in all of it.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime

from sextant.prompting.secrets.redact import redacted
from sextant.settings import LogSettings
from sextant.text.markdown import printable

JSON = "json"
_OURS = "sextant"
_LONGEST_FIELD = 200  # characters: an id is shorter


@dataclass(slots=True)
class _Request:
    """For whom something is done; tasks that begin meanwhile share it."""

    id: str = ""
    tenant: str = ""


_request: ContextVar[_Request | None] = ContextVar("sextant_log", default=None)


@contextmanager
def log_request(request_id: str) -> Iterator[None]:
    """Let lines that are logged meanwhile name a request."""
    token = _request.set(_Request(request_id))
    try:
        yield
    finally:
        _request.reset(token)


def log_tenant(request_id: str, tenant: str) -> None:
    """Let the lines of a request name the tenant, which is known once it is let in."""
    request = _request.get()
    if request and request.id == request_id:
        request.tenant = tenant
    else:
        _request.set(_Request(request_id, tenant))


@contextmanager
def writing_log(settings: LogSettings) -> Iterator[None]:
    """Write the log to stderr as the settings say, until the block ends.

    The level is that of our own lines; of other packages only warnings are told.
    """
    root, ours = logging.getLogger(), logging.getLogger(_OURS)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if settings.format == JSON else _TextLines())
    before = ours.level
    ours.setLevel(settings.level.upper())
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        ours.setLevel(before)


def is_json_log() -> bool:
    """Whether what is written to stderr has to be JSON."""
    return any(isinstance(one.formatter, _JsonLines) for one in logging.getLogger().handlers)


class _TextLines(logging.Formatter):
    """Lines to read: when, how grave, what, and for whom."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line; where something failed, the way there follows."""
        # Each by itself: an id behind a message that ends with "token" looks like one.
        about = [redacted(f"{name}={own}") for name, own in {**_fields(record), **_about()}.items()]
        message = redacted(record.getMessage())
        head = " ".join([_moment(record), record.levelname, message, *about])
        return "\n".join(filter(None, [head, redacted(self._failure(record))]))

    def _failure(self, record: logging.LogRecord) -> str:
        return self.formatException(record.exc_info) if record.exc_info else ""


class _JsonLines(_TextLines):
    """Lines for programs: one JSON object each, in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a JSON object."""
        told = {
            "time": _moment(record),
            "level": record.levelname.lower(),
            "message": redacted(record.getMessage()),
            "logger": record.name,
            **_fields(record),
            **_about(),
        }
        failure = self._failure(record)
        return json.dumps({**told, "error": redacted(failure)} if failure else told)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """Return the figures of an event, which is logged with them as ``extra={"fields": …}``.

    A text among them, such as an id that a client chose, is one line without secrets.
    """
    given: dict[str, object] = dict(getattr(record, "fields", {}))
    return {name: _shown(own) if isinstance(own, str) else own for name, own in given.items()}


def _shown(text: str) -> str:
    return redacted(printable(text))[:_LONGEST_FIELD]


def _about() -> dict[str, str]:
    request = _request.get() or _Request()
    both = {"requestId": request.id, "tenant": request.tenant}
    return {name: _shown(own) for name, own in both.items() if own}


def _moment(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
