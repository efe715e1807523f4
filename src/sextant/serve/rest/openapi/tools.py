"""What is told of the operations on tools: roles, and an example from the bundled catalogue."""

from __future__ import annotations

from sextant.serve.caller import Role
from sextant.serve.rest.openapi.notes import OperationNote

_SEARCH, _READ, _WRITE, _ADMIN = (Role.SEARCH,), (Role.READ,), (Role.WRITE,), (Role.ADMIN,)
_PULL_REQUEST = "github.createPullRequest"
TOLD_OF_TOOLS: dict[str, OperationNote] = {
    "listTools": OperationNote(_READ, "/api/tools?limit=20"),
    "getTool": OperationNote(_READ, "/api/tools/by-id/github.createPullRequest"),
    "toolGraphStats": OperationNote(_READ, "/api/tools/stats"),
    "findToolPath": OperationNote(
        _READ, "/api/tools/path?from=github.createBranch&to=github.createPullRequest"
    ),
    "selectTools": OperationNote(
        _SEARCH,
        "/api/tools/select",
        {
            "query": "open a PR for the fix and tell the team",
            "context": {"allowedCategories": ["code", "communication"], "tokenBudget": 2_000},
        },
    ),
    "enhanceTools": OperationNote(
        _SEARCH,
        "/api/tools/enhance",
        {"tools": [_PULL_REQUEST], "maxRelatedTools": 3, "minConfidence": 0.5},
    ),
    "findAlternatives": OperationNote(
        _SEARCH, "/api/tools/alternatives", {"tool": _PULL_REQUEST, "limit": 5}
    ),
    "nextTools": OperationNote(_SEARCH, "/api/tools/next", {"tools": ["github.createBranch"]}),
    "recordToolUses": OperationNote(
        _SEARCH,
        "/api/tools/uses",
        {
            "uses": [
                {
                    "id": "use-1",
                    "request": "open a PR for the fix",
                    "tools": ["github.authenticate", _PULL_REQUEST],
                    "outcome": "done",
                }
            ]
        },
    ),
    "forgetToolUses": OperationNote(_WRITE, "/api/tools/uses?id=use-1"),
    "updateToolUsage": OperationNote(
        _SEARCH, "/api/tools/usage", {"tool": _PULL_REQUEST, "increment": 1}
    ),
    "relateTools": OperationNote(
        _WRITE,
        "/api/tools/relations",
        {
            "source": "github.mergePullRequest",
            "kind": "PRECEDES",
            "target": "jira.transitionIssue",
            "confidence": 0.8,
        },
    ),
    "unrelateTools": OperationNote(
        _WRITE,
        "/api/tools/relations?source=$TOOL&kind=PRECEDES&target=$TOOL",
    ),
    "importTools": OperationNote(
        _ADMIN,
        "/api/tools/import",
        {
            "name": "payments",
            "catalogue": {"tools": [{"id": "payments.refund", "description": "Refund a payment."}]},
        },
    ),
}
