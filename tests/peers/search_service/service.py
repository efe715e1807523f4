"""The service itself: indexes by name, who may do what, and what goes wrong on purpose."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.peers.search_service.documents import Held, apply_actions
from tests.peers.search_service.fields import changed, checked
from tests.peers.search_service.refusals import Refusal, invalid, no_index
from tests.peers.search_service.searching import answer

READER = frozenset({"search", "lookup", "count"})
CONTRIBUTOR = READER | {"index"}
OWNER = CONTRIBUTOR | {"define", "definition"}
VERSION = "2026-04-01"
_LARGEST = 16 * 1024 * 1024
_PARTIAL = 206
_PATH = re.compile(r"/indexes(?:\('([^']*)'\))?(?:/docs(?:\('([^']*)'\)|/([\w.$]+))?)?")


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one call: a status, or no answer at all.

    Where it is late, the call is done before it goes wrong: who asked cannot know. ``keys`` is how
    many documents of a batch fail with the status, each on its own. With 206 a part of the service
    did not do its share, and the answer is what there is.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    is_late: bool = False
    is_silent: bool = False
    keys: int = 0


Reply = tuple[int, dict[str, Any] | str | None, dict[str, str]]


@dataclass
class SearchService:
    """Indexes of one service, used from several threads."""

    tokens: dict[str, frozenset[str]] = field(default_factory=lambda: {"owner": OWNER})
    lag: int = 0
    fault: Callable[[str, int], Fault | None] = lambda *_: None
    indexes: dict[str, Held] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    bodies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    _turn: threading.RLock = field(default_factory=threading.RLock)

    def handle(self, asked: Asked) -> Reply | None:
        """Answer a request; None says nothing at all."""
        with self._turn:
            try:
                return self._handle(asked)
            except Refusal as refusal:
                return refusal.status, refusal.body, refusal.headers

    def _handle(self, asked: Asked) -> Reply | None:
        parts = urlsplit(asked.target)
        found = _PATH.fullmatch(unquote(parts.path))
        if found is None:
            raise Refusal(404, "There is nothing at this address.", "NotFound")
        if parse_qs(parts.query).get("api-version") != [VERSION]:
            raise invalid("The api-version is missing or not served.")
        operation = _operation(asked.method, found)
        self._let_in(asked, operation)
        self.calls[operation] += 1
        if len(asked.body) > _LARGEST:
            raise Refusal(413, "The request is larger than 16 MB.", "RequestEntityTooLarge")
        body = json.loads(asked.body) if asked.body else {}
        self.bodies.append((operation, body))
        fault = self.fault(operation, self.calls[operation])
        is_partial = fault is not None and fault.status == _PARTIAL
        if fault and not (fault.is_late or fault.keys or is_partial):
            return _broken(fault)
        status, told, headers = self._done(operation, found, asked, body, fault)
        if fault and fault.is_late:
            return _broken(fault)
        return _PARTIAL if is_partial else status, told, headers

    def _let_in(self, asked: Asked, operation: str) -> None:
        scheme, _, token = asked.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Refusal(401, "Access denied due to missing credentials.", "Unauthorized")
        if operation not in self.tokens.get(token, frozenset()):
            raise Refusal(403, "Access denied: a role assignment is missing.", "Forbidden")

    def _done(
        self,
        operation: str,
        found: re.Match[str],
        asked: Asked,
        body: dict[str, Any],
        fault: Fault | None,
    ) -> Reply:
        name = found[1] or body.get("name", "")
        if operation == "define":
            return self._define(name, asked, body)
        held = self.indexes.get(name)
        if held is None:
            raise no_index(name)
        if operation == "definition":
            return 200, {**held.definition.json, "@odata.etag": held.etag}, {"etag": held.etag}
        if operation == "index":
            actions = body["value"]
            failing = [
                (one[held.definition.key], fault.status)
                for one in actions[: fault.keys if fault else 0]
                if fault
            ]
            status, results = apply_actions(held, actions, self.lag, failing)
            return status, {"value": results}, {}
        try:
            if operation == "count":
                return 200, f"{len(held.rows)}", {}
            if operation == "lookup":
                row = held.rows.get(found[2])
                if row is None:
                    raise Refusal(404, "", "NotFound")
                return 200, _shown(held, row), {}
            return 200, answer(held, body), {}
        finally:
            held.pass_search()

    def _define(self, name: str, asked: Asked, body: dict[str, Any]) -> Reply:
        held = self.indexes.get(name)
        if asked.method == "POST" and held:
            raise Refusal(409, f"The index '{name}' exists already.", "ResourceNameAlreadyInUse")
        known = held.etag if held else ""
        unless, over = asked.headers.get("if-none-match"), asked.headers.get("if-match")
        if (unless == "*" and held) or (over and over != known and (over != "*" or not held)):
            raise Refusal(
                412, "The precondition given in a header is not met.", "PreconditionFailed"
            )
        definition = checked({**body, "name": name})
        if held is None:
            self.indexes[name] = made = Held(definition)
            return 201, {**definition.json, "@odata.etag": made.etag}, {"etag": made.etag}
        new = Held(changed(held.definition, definition))
        held.definition, held.etag = new.definition, new.etag
        return 200, {**definition.json, "@odata.etag": held.etag}, {"etag": held.etag}


def _operation(method: str, found: re.Match[str]) -> str:
    has_docs = "/docs" in found[0]
    match method, found[3]:
        case "POST", "search.post.search":
            return "search"
        case "POST", "search.index":
            return "index"
        case "GET", "$count":
            return "count"
        case "GET", None if found[2]:
            return "lookup"
        case "GET", None if found[1] and not has_docs:
            return "definition"
        case (("PUT" | "POST"), None) if not has_docs:
            return "define"
    raise Refusal(405, "The method is not served at this address.", "MethodNotAllowed")


def _shown(held: Held, row: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in held.definition.fields if held.definition.may(name, "retrievable")]
    return {name: row.get(name) for name in names}


def _broken(fault: Fault) -> Reply | None:
    if fault.is_silent:
        return None
    error = Refusal(fault.status, f"Goes wrong on purpose, with {fault.status}.", f"{fault.status}")
    return fault.status, error.body, fault.headers
