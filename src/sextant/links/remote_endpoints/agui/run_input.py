"""A run as AG-UI has it: what an agent elsewhere is sent to begin, or to go on with an answer."""

from __future__ import annotations

import json
from typing import Any

from sextant.text.codec.agui_messages import told_messages
from sextant.types import Json, RemoteAnswer, RemoteCall, RemoteRun

_PROTOCOL = "1.0"


def run_input(call: RemoteCall, run: RemoteRun, run_id: str) -> dict[str, Any]:
    """Return the RunAgentInput of a run; answers go in the form in which the agent asked."""
    named = [one for one in run.answers if one.interrupt_id]
    own = [one for one in run.answers if not one.interrupt_id]
    props: dict[str, Any] = dict(call.properties)
    props |= {"config": run.config} if run.config else {}
    props |= {"nodeName": run.node} if run.node else {}
    props |= {"command": {"resume": _value(own[-1].response)}} if own else {}
    found = {
        "threadId": run.thread_id,
        "runId": run_id,
        "protocolVersion": _PROTOCOL,
        "state": run.state,
        "messages": told_messages(run.messages),
        "tools": [
            {"name": one.name, "description": one.description, "parameters": one.parameters}
            for one in run.actions
        ],
        "context": [{"description": one.description, "value": one.value} for one in run.context],
        "forwardedProps": props,
    }
    return {**found, "resume": [_resumed(one) for one in named]} if named else found


def _resumed(answer: RemoteAnswer) -> dict[str, Json]:
    return {
        "interruptId": answer.interrupt_id,
        "status": "resolved",
        "payload": _value(answer.response),
    }


def _value(response: str) -> Json:
    """Return the object or list that an answer is as JSON; everything else stays a text."""
    try:
        value: Json = json.loads(response)
    except (ValueError, RecursionError):
        return response
    return value if isinstance(value, dict | list) else response
