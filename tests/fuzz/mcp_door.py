"""The MCP door as seen from outside: sends messages, and notes what is wrong with the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import jsonschema
from mcp_types import INTERNAL_ERROR

from sextant.serve.errors import hidden
from sextant.settings import ServeSettings
from tests.fuzz.checks import PROBLEM
from tests.fuzz.inside import told_of_inside
from tests.fuzz.messages import Sent, asking
from tests.fuzz.outcome import Outcome
from tests.fuzz.serving import Serving

GARBAGE = "no message"
LARGEST = ServeSettings().body_kilobytes * 1_024
_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
_WRONG = (AssertionError, ValueError, jsonschema.ValidationError)
Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class McpDoor:
    """A way in, and what came of it so far."""

    server: Serving
    http: httpx2.Client
    outcome: Outcome

    def tools(self) -> dict[str, Plain]:
        """Return what can be called."""
        reply = self._answered(asking("tools/list", {}))
        return {tool["name"]: tool for tool in reply.json()["result"]["tools"]}

    def call(self, tool: Plain, sent: Sent) -> None:
        """Call a tool, whose answer must be one, and fit what the tool says that it gives."""
        reply, label = self._answered(sent), tool["name"]
        try:
            self._check(reply, sent)
            is_large = len(sent.body) > LARGEST and reply.status_code == 413
            told = "too large" if is_large else _told(_last(reply), tool["outputSchema"])
            self.outcome.note(label, told)
        except _WRONG as error:
            self._complain(label, sent, reply, error)

    def say(self, sent: Sent) -> None:
        """Say something, which must be answered by a message or a problem, or not at all."""
        reply = self._answered(sent)
        try:
            self._check(reply, sent)
            if reply.content and reply.headers["content-type"] != PROBLEM:
                _told(_last(reply), {})
            self.outcome.note(GARBAGE, reply.status_code)
        except _WRONG as error:
            self._complain(GARBAGE, sent, reply, error)

    def _answered(self, sent: Sent) -> httpx2.Response:
        return self.http.post("/mcp", content=sent.body, headers=sent.headers)

    def _check(self, reply: httpx2.Response, sent: Sent) -> None:
        assert reply.status_code < 500
        found = told_of_inside(reply.text, self.server.folder, sent.body.decode(errors="replace"))
        assert not found, f"The answer tells {found}."

    def _complain(self, label: str, sent: Sent, reply: httpx2.Response, error: Exception) -> None:
        self.outcome.note(label, "wrong")
        told = f"{reply.status_code} {reply.text[:500]!r}"
        said = f"{sent.headers} {sent.body[:1_500]!r}"
        self.outcome.failures.append(f"{label}: {str(error)[:500]}\n{told}\n{said}")


@contextmanager
def mcp_door(server: Serving) -> Iterator[McpDoor]:
    """Come in."""
    headers = {"Authorization": f"Bearer {server.token}", **_HEADERS}
    with httpx2.Client(base_url=server.url, headers=headers, timeout=60) as http:
        yield McpDoor(server, http, Outcome())


def _last(reply: httpx2.Response) -> Plain:
    """Return the message that ends a reply."""
    if reply.headers["content-type"].startswith("text/event-stream"):
        lines = [line for line in reply.text.split("\r\n") if line.startswith("data: {")]
        return _message(lines[-1].removeprefix("data: ")) if lines else {}
    return _message(reply.text)


def _message(text: str) -> Plain:
    found = json.loads(text)
    assert isinstance(found, dict), found
    return found


def _told(message: Plain, schema: Plain) -> str:
    """Return in a word what an answer of JSON-RPC says, if it is one."""
    assert message.get("jsonrpc") == "2.0", message
    assert ("result" in message) != ("error" in message), message
    if "error" in message:
        assert message["error"]["code"] != INTERNAL_ERROR, message
        assert isinstance(message["error"]["message"], str), message
        return f"error {message['error']['code']}"
    result = message["result"]
    given = result.get("structuredContent") or {}
    if result.get("isError"):
        text = result["content"][0]["text"]
        assert text, message
        assert hidden().sentence not in text, message
        return f"refused {given.get('code', '')}".strip()
    jsonschema.validate(given, schema)
    return "done"
