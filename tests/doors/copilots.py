"""Copilots as a way in: a question becomes a run, and its citations are in the agent's state."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from tests.doors.calls import Ask
from tests.doors.shapes import Cited, cited
from tests.serve.agui.patching import applied
from tests.serve.graphql.recordings import client_documents


async def agui_citations(client: httpx2.AsyncClient, call: Ask) -> tuple[Cited, ...]:
    """Ask over AG-UI in a thread of its own, and return what the answer rests on."""
    given = {
        "threadId": f"thread of {call.query[:40]}",
        "runId": "run",
        "messages": [{"id": "u", "role": "user", "content": call.query}],
        "forwardedProps": {"personaIds": list(call.personas)},
    }
    answer = await client.post("/copilotkit/agent/default/run", json=given)
    assert answer.status_code == 200, answer.text
    state: Any = {}
    for frame in answer.text.split("\n\n"):
        event: Any = json.loads(frame.removeprefix("data: ")) if frame else {"type": ""}
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
        elif event["type"] == "STATE_DELTA":
            state = applied(state, event["delta"])
    return tuple(map(cited, state["citations"]))


async def graphql_citations(client: httpx2.AsyncClient, call: Ask) -> tuple[Cited, ...]:
    """Ask over GraphQL in a thread of its own, and return what the answer rests on."""
    message = {"content": call.query, "role": "user"}
    data = {
        "metadata": {"requestType": "Chat"},
        "threadId": f"asked {call.query[:40]}",
        "messages": [{"id": "u", "createdAt": "2026-01-01T00:00:00Z", "textMessage": message}],
        "frontend": {"actions": []},
    }
    given = {"data": data, "properties": {"personaIds": list(call.personas)}}
    body = {
        "query": client_documents()["1.10.6"]["generateCopilotResponse"],
        "variables": given,
    }
    answer = await client.post("/copilotkit", json=body, headers={"accept": "application/json"})
    messages = answer.json()["data"]["generateCopilotResponse"]["messages"]
    *_, last = (one["state"] for one in messages if "state" in one)
    return tuple(map(cited, json.loads(last)["citations"]))
