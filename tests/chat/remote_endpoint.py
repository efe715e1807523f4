"""A remote endpoint on a port of its own, which says what a test wants and knows what it heard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sextant.settings import ChatSettings, RemoteEndpointSettings, Settings
from tests.chat.running import PLAIN
from tests.links.http_server import Heard, served
from tests.loopback import Answer

INFO = {
    "actions": [
        {
            "name": "lookup",
            "description": "Look a term up",
            "parameters": [{"name": "term", "type": "string", "description": "", "required": True}],
        },
        {"name": "boom", "description": "fails", "parameters": []},
    ],
    "agents": [{"name": "research", "description": "Research agent", "type": "crewai"}],
    "sdkVersion": "0.1.96",
}
Tell = Callable[[dict[str, Any]], Answer]


@dataclass
class Endpoint:
    """What is there, and what came in."""

    url: str = ""
    heard: list[Heard] = field(default_factory=list)

    def settings(self, **chat: Any) -> Settings:
        """Return settings that name it."""
        return remote_settings(self.url, **chat)

    def bodies(self, method: str) -> list[Any]:
        """Return what was sent to a method."""
        return [one.body for one in self.heard if one.path.endswith(f"/remote/{method}")]


def remote_settings(url: str, **chat: Any) -> Settings:
    """Return settings with one remote."""
    remotes = (RemoteEndpointSettings("lab", f"{url}/remote"),)
    own = ChatSettings(**({"grounding": "off", "remotes": remotes} | chat))
    return replace(PLAIN, chat=own)


def said(value: Any, status: int = 200) -> Answer:
    """Return a JSON answer."""
    return Answer(status, json.dumps(value).encode())


def lines(*events: dict[str, Any], **more: Any) -> Answer:
    """Return events as lines of JSON."""
    return Answer(body=b"".join(json.dumps(one).encode() + b"\n" for one in events), **more)


def text(message_id: str, *pieces: str) -> list[dict[str, Any]]:
    """Return the events of a message."""
    return [
        {"type": "TextMessageStart", "messageId": message_id, "parentMessageId": None},
        *({"type": "TextMessageContent", "messageId": message_id, "content": p} for p in pieces),
        {"type": "TextMessageEnd", "messageId": message_id},
    ]


def call(call_id: str, name: str, arguments: str) -> list[dict[str, Any]]:
    """Return the events of a call."""
    own = {"actionExecutionId": call_id}
    return [
        {"type": "ActionExecutionStart", **own, "actionName": name, "parentMessageId": None},
        {"type": "ActionExecutionArgs", **own, "args": arguments},
        {"type": "ActionExecutionEnd", **own},
    ]


def state(asked: dict[str, Any], node: str, value: Any, **more: Any) -> dict[str, Any]:
    """Return the event of a state."""
    return {
        "type": "AgentStateMessage",
        "threadId": asked["threadId"],
        "agentName": "research",
        "nodeName": node,
        "runId": "run-1",
        "active": True,
        "role": "assistant",
        "state": json.dumps(value),
        "running": True,
    } | more


@contextmanager
def endpoint(
    run: Tell | None = None, info: Any = INFO, kept: Any = None, token: str = ""
) -> Iterator[Endpoint]:
    """Serve until the block ends."""

    def answer(heard: Heard) -> Answer:
        if token and heard.headers.get("authorization") != f"Bearer {token}":
            return said({"error": "who?"}, 401)
        match heard.path.removeprefix("/remote/"):
            case "info":
                return info if isinstance(info, Answer) else said(info)
            case "agents/execute" if run:
                return run(heard.body)
            case "agents/state":
                return said(kept or {"threadExists": False, "state": {}, "messages": []})
            case "actions/execute" if heard.body["name"] == "lookup":
                return said({"result": {"hits": 3, **heard.body["arguments"]}})
            case _:
                return said({"error": "remote boom"}, 500)

    with served(answer) as server:
        yield Endpoint(server.url, server.heard)
