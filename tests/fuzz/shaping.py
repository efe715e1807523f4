"""What is changed of a generated request: nothing leaves this machine, and more of it gets far."""

from __future__ import annotations

import re
from typing import Any

import schemathesis
from schemathesis import Case, HookContext

from tests.serve.rest.conftest import SAMPLE

PRIVATE = "http://10.1.2.3/"
DOCUMENTS = sorted(f"knowledge/{path.relative_to(SAMPLE)}" for path in SAMPLE.rglob("*.md"))
TEXT = "# Service A\n\nService A is owned by [Team Y](team-y.md) and depends on the Ledger API."
_ADDRESS = re.compile(r"\s*https?:", re.IGNORECASE)
_KNOWN: dict[str, Any] = {
    "conversationId": "about-a",
    "documentId": DOCUMENTS[0],
    "entityIds": ["component:default/service-a"],
}
_CONVERSATION = "/api/conversations/{conversation_id}"
_PROFILE = "/api/profiles/{name}"
_KNOWN_IN_PATH: dict[str, dict[str, Any]] = {
    "GET /api/documents/{document_id}": {"document_id": DOCUMENTS[:-10]},
    "DELETE /api/documents/{document_id}": {"document_id": DOCUMENTS[-10:]},
    "GET /api/entities/{entity_id}": {"entity_id": _KNOWN["entityIds"]},
    **{f"{verb} {_CONVERSATION}": {"conversation_id": ["about-a"]} for verb in ("GET", "DELETE")},
    **{f"{verb} {_PROFILE}": {"name": ["usual"]} for verb in ("GET", "PUT", "DELETE")},
}
_PERSONAS = {"personaId", "PersonaId", "personaIds", "PersonaIds"}
_WHOSE = {"tenantId", "TenantId", *_PERSONAS, "aadObjectId", "user", "context"}
_SELDOM_RIGHT = {*_WHOSE, "UserQueryVector", "filter", "rankingPrefs", "RankingPrefs", "If-Match"}
_SAME = {"userquerytext": "query", "topkfinalrank": "topk"}
_KINDS = ({"documents"}, {"entities", "relations", "chunks"}, {"url"}, {"urls"})
Fields = dict[str, Any]


@schemathesis.hook("before_call")
def shape(_: HookContext, case: Case[Any], __: dict[str, Any]) -> None:
    """Shape two thirds of what is meant to be right; what is meant to be wrong stays so."""
    lot = len(repr((case.body, case.path_parameters, case.query)))
    if case.meta is not None and case.meta.generation.mode.is_positive and lot % 3:
        _make_likelier(case, lot)
    if isinstance(case.body, dict) and case.media_type == "application/json":
        body = {name: _private(value) for name, value in case.body.items()}
        if body != case.body:
            case.body = body


def _make_likelier(case: Case[Any], lot: int) -> None:
    """Let a request name what is there, and leave out what few values are right for."""
    case.query = _without(case.query, _SELDOM_RIGHT)
    for name, values in _KNOWN_IN_PATH.get(case.operation.label, {}).items():
        case.path_parameters = {**case.path_parameters, name: values[lot % len(values)]}
    if isinstance(case.body, dict) and case.media_type == "application/json":
        body = _without(_spelled_once(case.body), _SELDOM_RIGHT)
        body = {name: value and _KNOWN.get(name, value) for name, value in body.items()}
        case.body = _one_kind(body, lot) if case.operation.path == "/api/ingest" else body
    if lot % 2:
        case.headers.pop("Idempotency-Key", None)
    if case.operation.path == "/api/ask" and lot % 2:
        case.headers["Accept"] = "text/event-stream"


def _without(fields: Fields, names: set[str]) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


def _spelled_once(fields: Fields) -> Fields:
    """Keep one spelling of what has several."""
    spelled = {_SAME.get(name.lower(), name.lower()): name for name in fields}
    return {name: fields[name] for name in spelled.values()}


def _one_kind(body: Fields, lot: int) -> Fields:
    """Leave only one of the ways to bring something; a document has some text."""
    there = [kind for kind in _KINDS if any(body.get(name) for name in kind)]
    kept: set[str] = there[lot % len(there)] if there else set()
    body = _without(body, set[str]().union(*_KINDS) - kept)
    if kept <= {"documents"}:
        documents = [{"text": TEXT} | one for one in body.get("documents", [{}])]
        body["documents"] = [one if one["text"].strip() else {"text": TEXT} for one in documents]
    return body


def _private(value: Any) -> Any:
    """Let addresses be private ones, which are refused without a look."""
    if isinstance(value, list):
        return [_private(one) for one in value]
    return PRIVATE if isinstance(value, str) and _ADDRESS.match(value) else value
