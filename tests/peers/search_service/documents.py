"""Documents of an index: what is accepted, and when it can be found."""

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.peers.search_service.fields import LIST, MOMENT, TEXT, VECTOR, Definition
from tests.peers.search_service.refusals import invalid

_KEY = re.compile(r"[A-Za-z0-9\-=][A-Za-z0-9_\-=]*")
_LONGEST_KEY = 1_024
_MOST_ACTIONS = 1_000
_LONGEST_TERM = 32_766
_ACTION = "@search.action"
_KINDS: dict[str, type | tuple[type, ...]] = {
    TEXT: str,
    MOMENT: str,
    "Edm.Boolean": bool,
    "Edm.Int32": int,
    "Edm.Int64": int,
    "Edm.Double": (int, float),
}
Row = dict[str, Any]


@dataclass
class Held:
    """An index: its definition, what can be found in it, and what has been accepted since."""

    definition: Definition
    etag: str = field(default_factory=lambda: f'"0x{secrets.token_hex(8)}"')
    rows: dict[str, Row] = field(default_factory=dict)
    waiting: list[tuple[int, list[tuple[str, Row | None]]]] = field(default_factory=list)
    accepted: dict[str, Row] = field(default_factory=dict)

    def pass_search(self) -> None:
        """Let a search have gone by: what waited for it can be found from now on."""
        self.waiting = [(left - 1, changes) for left, changes in self.waiting]
        self._show()

    def accept(self, changes: list[tuple[str, Row | None]], lag: int) -> None:
        """Take changes in, to be found after so many searches."""
        for key, row in changes:
            _set(self.accepted, key, row)
        self.waiting.append((lag, changes))
        self._show()

    def _show(self) -> None:
        while self.waiting and self.waiting[0][0] <= 0:
            for key, row in self.waiting.pop(0)[1]:
                _set(self.rows, key, row)


def _set(rows: dict[str, Row], key: str, row: Row | None) -> None:
    if row is None:
        rows.pop(key, None)
    else:
        rows[key] = row


def apply_actions(
    held: Held, actions: Sequence[Row], lag: int, failing: Iterable[tuple[str, int]] = ()
) -> tuple[int, list[dict[str, Any]]]:
    """Apply a batch, and return the status with what became of each key."""
    if len(actions) > _MOST_ACTIONS:
        raise invalid(f"The batch has more than {_MOST_ACTIONS} actions.", "TooManyActions")
    broken = dict(failing)
    known = {key: dict(row) for key, row in held.accepted.items()}
    changes: list[tuple[str, Row | None]] = []
    results: list[dict[str, Any]] = []
    for action in actions:
        key, row = _row(held.definition, action)
        kind = action.get(_ACTION, "upload")
        status = broken.pop(key, 0) or _long_term(held.definition, row)
        if not status and kind == "merge" and key not in known:
            status = 404
        if not status:
            status = 200 if kind == "delete" or key in known else 201
            merged = {**known.get(key, {}), **row} if kind.startswith("merge") else row
            changes.append((key, None if kind == "delete" else merged))
            _set(known, *changes[-1])
        is_fine = status < 300
        message = None if is_fine else f"The document '{key}' failed with {status}."
        results.append(
            {"key": key, "status": is_fine, "errorMessage": message, "statusCode": status}
        )
    held.accept(changes, lag)
    return (200 if all(one["status"] for one in results) else 207), results


def _row(definition: Definition, action: Row) -> tuple[str, Row]:
    row = {name: value for name, value in action.items() if name != _ACTION}
    key = row.get(definition.key)
    if not isinstance(key, str) or not key:
        raise invalid("Document key cannot be missing or empty.")
    if not _KEY.fullmatch(key) or len(key) > _LONGEST_KEY:
        raise invalid(
            f"Invalid document key: '{key[:80]}'. Keys can only contain letters, digits, underscore"
            " (_), dash (-), or equal sign (=), and have at most 1024 characters.",
            "InvalidDocumentKey",
        )
    if action.get(_ACTION) == "delete":
        return key, {definition.key: key}
    return key, {name: _value(definition, name, value) for name, value in row.items()}


def _value(definition: Definition, name: str, value: Any) -> Any:
    own = definition.fields.get(name)
    if own is None:
        raise invalid(
            f"The property '{name}' does not exist on type 'search.documentFields'. Make sure to "
            "only use property names that are defined by the type."
        )
    kind = own["type"]
    if value is None:
        return [] if kind == LIST else None
    if kind == VECTOR:
        if len(value) != own["dimensions"]:
            raise invalid(
                f"There's a mismatch in vector dimensions. The vector field '{name}', with "
                f"dimension of '{own['dimensions']}', expects a length of '{own['dimensions']}'. "
                f"However, the provided vector has a length of '{len(value)}'."
            )
        return [float(one) for one in value]
    is_right = (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
        if kind == LIST
        else isinstance(value, _KINDS[kind])
    )
    if not is_right:
        raise invalid(f"Cannot convert the literal to the expected type '{kind}' of '{name}'.")
    return _moment(value) if kind == MOMENT else value


def _moment(text: str) -> str:
    """Return a moment as it is kept: in UTC, to the millisecond, the rest cut off."""
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _long_term(definition: Definition, row: Row) -> int:
    """Return 400 where a text is longer than a term that is filtered, sorted or counted by."""
    for name, value in row.items():
        uses = ("filterable", "sortable", "facetable")
        if definition.fields[name]["type"] not in (TEXT, LIST):
            continue
        if any(definition.may(name, use) for use in uses):
            texts = value if isinstance(value, list) else [value or ""]
            if any(len(one.encode()) > _LONGEST_TERM for one in texts):
                return 400
    return 0
