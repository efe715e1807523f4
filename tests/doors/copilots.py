"""Copilots as a way in: a question becomes a run, and its citations are in the agent's state."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from tests.doors.calls import Ask
from tests.doors.shapes import Cited, cited
from tests.serve.agui.patching import applied


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
        event = json.loads(frame.removeprefix("data: ")) if frame else {"type": ""}
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
        elif event["type"] == "STATE_DELTA":
            state = applied(state, event["delta"])
    return tuple(map(cited, state["citations"]))
