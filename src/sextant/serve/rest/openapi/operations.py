"""What OpenAPI and the page say of each operation beside its shapes: roles and an example."""

from __future__ import annotations

import json
import shlex
from typing import Any

from sextant.serve.caller import Role
from sextant.serve.rest.openapi.notes import OperationNote
from sextant.serve.rest.openapi.tools import TOLD_OF_TOOLS
from sextant.serve.rest.request.bodies import JSON

ADDRESS = "http://127.0.0.1:8787"
_SERVICE_A = "component:default/service-a"
_POLICY = "sample/policies/escalation-policy.md"


_SEARCH, _READ, _WRITE = (Role.SEARCH,), (Role.READ,), (Role.WRITE,)
_OPERATE = (Role.ADMIN, Role.ON_BEHALF)
TOLD: dict[str, OperationNote] = {
    "ask": OperationNote(
        _SEARCH,
        "/api/ask",
        {
            "query": "If Service A fails, what breaks and who owns escalation?",
            "conversationId": "c-1",
            "context": {"locale": "en-US"},
        },
    ),
    "search": OperationNote(
        _SEARCH,
        "/api/search",
        {
            "query": "Who owns escalation for Service A?",
            "topK": 5,
            "filter": "tags/any(t: t eq 'on-call')",
        },
    ),
    "listConversations": OperationNote(_SEARCH, "/api/conversations?limit=10"),
    "getConversation": OperationNote(_SEARCH, "/api/conversations/$CONVERSATION"),
    "deleteConversation": OperationNote(_SEARCH, "/api/conversations/$CONVERSATION"),
    "giveFeedback": OperationNote(
        _SEARCH, "/api/feedback", {"verdict": "helpful", "documentId": _POLICY, "comment": "Clear."}
    ),
    "listDocuments": OperationNote(_READ, "/api/documents?limit=20"),
    "getDocument": OperationNote(_READ, f"/api/documents/{_POLICY}"),
    "deleteDocument": OperationNote(_WRITE, "/api/documents/$DOCUMENT"),
    "findEntities": OperationNote(_READ, "/api/entities?name=Service%20A"),
    "getEntity": OperationNote(_READ, f"/api/entities/{_SERVICE_A}"),
    "expand": OperationNote(
        _READ, "/api/expand", {"entityIds": ["Service A"], "hops": 2, "direction": "in"}
    ),
    "listProfiles": OperationNote(_SEARCH, "/api/profiles"),
    "getProfile": OperationNote(_SEARCH, "/api/profiles/$PROFILE"),
    "saveProfile": OperationNote(
        _WRITE,
        "/api/profiles/fresh",
        {"weights": {"relevancy": 0.5, "recency": 0.5}, "halfLifeDays": 30},
    ),
    "deleteProfile": OperationNote(_WRITE, "/api/profiles/$PROFILE"),
    "ingest": OperationNote(
        _WRITE,
        "/api/ingest",
        {"documents": [{"id": "notes/1", "title": "A note", "text": "Team Y owns Service B."}]},
        ("file=@guide.md", "tags=on-call"),
    ),
    "listJobs": OperationNote(_WRITE, "/api/jobs", or_admin=True),
    "getJob": OperationNote(_WRITE, "/api/jobs/$JOB?wait=30", or_admin=True),
    "followJob": OperationNote(_WRITE, "/api/jobs/$JOB/events", or_admin=True),
    "cancelJob": OperationNote(_WRITE, "/api/jobs/$JOB", or_admin=True),
    "backUp": OperationNote(_OPERATE, "/api/backups"),
    "listBackups": OperationNote(_OPERATE, "/api/backups"),
    "getBackup": OperationNote(_OPERATE, "/api/backups/$BACKUP", to_file=True),
    "deleteBackup": OperationNote(_OPERATE, "/api/backups/$BACKUP"),
    "status": OperationNote(_READ, "/api/status"),
    **TOLD_OF_TOOLS,
}
REPLY: dict[str, Any] = {
    "answer": "Team Y owns escalation for Service A. [Escalation Policy]",
    "citations": [
        {
            "title": "Escalation Policy",
            "url": "https://wiki.example/escalation",
            "chunkId": f"{_POLICY}#c0",
            "documentId": _POLICY,
            "label": "Escalation Policy",
            "quote": "Team Y owns escalation for Service A.",
            "start": 463,
            "end": 500,
            "version": "58bde2b8fd991f87",
        }
    ],
    "trace": {
        "linkedEntities": [_SERVICE_A],
        "expandedEntityIds": ["group:default/team-y"],
        "searchFilter": f"entityIds/any(e: e eq '{_SERVICE_A}' or e eq 'group:default/team-y')",
        "now": "2026-10-31T00:00:00+00:00",
        "commit": 13,
        "locale": "en-US",
        "form": "compact",
        "digest": "2f6f5b1c9d0e4a7b8c3d2e1f0a9b8c7d",
        "steps": [
            {
                "name": "resolve",
                "facts": {"question": "Who owns escalation for Service A?"},
                "fallback": "",
                "milliseconds": 0.02,
            }
        ],
    },
    "state": "known",
    "sufficient": True,
    "confidence": 0.98,
    "missing": [],
    "followUps": [],
    "keyPoints": [],
    "statements": [
        {
            "text": "Team Y owns escalation for Service A.",
            "labels": ["Escalation Policy"],
            "relations": [],
            "written": False,
        }
    ],
    "question": "Who owns escalation for Service A?",
    "conversationId": "c-1",
    "answerId": "824eba78d2eaa5451dec25e22f8816d4",
}


def with_operations(document: dict[str, Any]) -> None:
    """Let every operation tell which role it needs and how it is called."""
    for operations in document["paths"].values():
        for method, operation in operations.items():
            told = TOLD[operation["operationId"]]
            operation["x-required-role"] = [str(role) for role in told.roles]
            operation["description"] += f"\n\n{_needs(told)}"
            operation["x-codeSamples"] = [
                {"lang": "Shell", "source": one} for one in _calls(method, told)
            ]
            content = operation.get("requestBody", {}).get("content", {})
            if told.body is not None and JSON in content:
                content[JSON]["example"] = told.body
    reply = document["paths"]["/api/ask"]["post"]["responses"]["200"]
    reply["content"][JSON]["example"] = REPLY


def _needs(told: OperationNote) -> str:
    named = " and ".join(f"`{role}`" for role in told.roles)
    chosen = " ".join(f"--role {role.short}" for role in told.roles)
    admin = f" `{Role.ADMIN}` will do, too." if told.or_admin else ""
    return f"Needs the role {named}: a key made with `{chosen}`, or a token that claims it.{admin}"


def _calls(method: str, told: OperationNote) -> list[str]:
    """Return how curl calls an operation: with JSON, and with files where it takes them."""
    start = f'curl {_quoted(ADDRESS + told.path)} -H "Authorization: Bearer $TOKEN"'
    verb = "" if method == "get" or (method == "post" and told.body) else f" -X {method.upper()}"
    verb += " -O" if told.to_file else ""
    if told.body is None:
        return [start + verb]
    body = shlex.quote(json.dumps(told.body, ensure_ascii=False))
    calls = [f"{start}{verb} \\\n  -H 'Content-Type: {JSON}' \\\n  -d {body}"]
    if told.form:
        calls.append(start + "".join(f" -F {one}" for one in told.form))
    return calls


def _quoted(address: str) -> str:
    """Return an address for a shell, in which only names to be filled in are read."""
    return f'"{address}"' if "$" in address or "?" in address else address
