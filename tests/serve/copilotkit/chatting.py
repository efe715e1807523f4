"""What CopilotKit's GraphQL client sends to start a run."""

from __future__ import annotations

from typing import Any

from tests.serve.graphql.recordings import node_runtime

RUN_FIELD = "generateCopilotResponse"


def graphql_chat(text: str, **more: Any) -> dict[str, Any]:
    """Return the body of a request with one message of a user, and other fields of its data."""
    data = dict(node_runtime()["cases"]["chat_text"]["variables"]["data"])
    message = {"id": "u1", "createdAt": "2026-01-01T00:00:00.000Z"}
    data["messages"] = [{**message, "textMessage": {"content": text, "role": "user"}}]
    return {"query": node_runtime()["queries"][RUN_FIELD], "variables": {"data": data | more}}
