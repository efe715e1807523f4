"""The audit log: who asked what of which tenant, one JSON line each. Knows no answer.

Lines are gathered for a moment and written by a thread, so that a slow disk holds up nobody.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from datetime import UTC, datetime

from sextant.serve.caller import Wanted
from sextant.serve.house import Audit, Note
from sextant.serve.records.folder import server_folder
from sextant.serve.records.lines import LineFile
from sextant.settings import Settings
from sextant.types import personas_as_json

FILE = "audit.jsonl"
_LONGEST = 500
_GATHER_S = 0.2
_MOST_WAITING = 50_000
Value = str | list[str] | None
_log = logging.getLogger(__name__)


class Silent:
    """Writes nothing down."""

    def note(self, note: Note) -> None:
        """Forget it."""

    def close(self) -> None:
        """Nothing is open."""


class AuditLog:
    """Notes lines; what cannot be written now is kept for later, up to a bound."""

    def __init__(self, file: LineFile) -> None:
        self._file = file
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)
        self._lost = 0
        self._failed = False
        self._lock = threading.Lock()
        self._something, self._closed = threading.Event(), threading.Event()
        self._writer = threading.Thread(target=self._write_on, name="audit", daemon=True)
        self._writer.start()

    def note(self, note: Note) -> None:
        """Note one verb; it is on the disk within a second."""
        told = {
            **_audit_fields(note),
            "outcome": "refused" if note.refused else "allowed",
            **(_refused(note.refused, note.wanted) if note.refused else {}),
        }
        # As ASCII: no control character, line separator or half a letter reaches file or terminal.
        line = json.dumps({name: _cut(value) for name, value in told.items()}) + "\n"
        with self._lock:
            self._lost += len(self._waiting) == _MOST_WAITING
            self._waiting.append(line)
        if not self._something.is_set():
            self._something.set()

    def close(self) -> None:
        """Write what waits, and let go."""
        self._closed.set()
        self._something.set()
        self._writer.join()

    def _write_on(self) -> None:
        while not self._closed.is_set():
            self._something.wait()
            self._closed.wait(_GATHER_S)
            self._something.clear()
            self._write()
        self._write()

    def _write(self) -> None:
        with self._lock:
            lines, self._waiting = list(self._waiting), deque(maxlen=_MOST_WAITING)
            lost, self._lost = self._lost, 0
        left, reason = self._file.append(lines)
        with self._lock:
            room = _MOST_WAITING - len(self._waiting)
            self._lost += lost + max(0, len(left) - room) if left else 0
            self._waiting.extendleft(reversed(left[max(0, len(left) - room) :]))
        if left:
            self._tell(reason)
        elif lines:
            self._tell_again(lost)

    def _tell(self, reason: str) -> None:
        if not self._failed:
            _log.warning("The audit log cannot be written (%s); requests go on without.", reason)
        self._failed = True
        self._something.set()

    def _tell_again(self, lost: int) -> None:
        if self._failed:
            _log.warning("The audit log is written again; %d lines were lost.", lost)
        self._failed = False


def open_audit(settings: Settings) -> Audit:
    """Open the audit log that the settings want."""
    if not settings.serve.audit:
        return Silent()
    return AuditLog(LineFile(server_folder(settings) / FILE))


def _audit_fields(note: Note) -> dict[str, Value]:
    visit, scope = note.visit, note.scope
    return {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "requestId": visit.request_id,
        "door": visit.door,
        "caller": visit.caller.name,
        "tenant": scope.tenant,
        "persona": personas_as_json(scope.personas),
        "user": scope.user,
        "verb": note.verb,
        "subject": note.subject,
    }


def _refused(reason: str, wanted: Wanted) -> dict[str, Value]:
    """Return why, and what the request named: that is told as it came, and of nobody proven."""
    named = {
        "wantedTenant": wanted.tenant,
        "wantedPersona": personas_as_json(wanted.personas),
        "wantedUser": wanted.user,
    }
    return {"reason": reason, **{name: value for name, value in named.items() if value}}


def _cut(value: Value) -> Value:
    """Return a value that is no longer than a line bears; several personas are a list."""
    if isinstance(value, list):
        return [one[:_LONGEST] for one in value]
    return value and value[:_LONGEST]
