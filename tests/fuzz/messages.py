"""Messages for the MCP door: well-formed calls of every version, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
)

LATEST = "2026-07-28"
VERSIONS = ("", "2025-06-18", LATEST)
METHODS = (
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "notifications/cancelled",
    "notifications/initialized",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/call",
    "tools/list",
)
URIS = ("sextant://document/knowledge%2Fglossary.html", "sextant://entity/x", "file:///etc/passwd")
PARTS = ("jsonrpc", "id", "method", "params")
MISSING = "missing"
ASCII = st.characters(min_codepoint=33, max_codepoint=126)
_CLIENT = {"name": "fuzz", "version": "1"}
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(
    _SCALARS, lambda one: st.lists(one) | st.dictionaries(st.text(), one), max_leaves=8
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A body and the headers that go with it."""

    body: bytes
    headers: Mapping[str, str]


def asking(method: str, params: Mapping[str, Any], version: str = "", number: Any = 1) -> Sent:
    """Return a message as a client of a version sends it."""
    headers = {"MCP-Protocol-Version": version} if version else {}
    if version == LATEST:
        meta = {
            PROTOCOL_VERSION_META_KEY: version,
            CLIENT_INFO_META_KEY: _CLIENT,
            CLIENT_CAPABILITIES_META_KEY: {},
            **params.get("_meta", {}),
        }
        params = {**params, "_meta": meta}
        headers |= {"Mcp-Method": method}
        headers |= {"Mcp-Name": params["name"]} if "name" in params else {}
    told = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return Sent(json.dumps(told, default=repr).encode(), headers)


def anything() -> st.SearchStrategy[Sent]:
    """Return bytes, values and messages that are right but for a part or two."""
    values = JSON.map(lambda one: json.dumps(one).encode())
    version = st.sampled_from(VERSIONS).map(
        lambda one: {"MCP-Protocol-Version": one} if one else {}
    )
    nothing = st.builds(Sent, st.binary(max_size=300) | values, version)
    return st.one_of(nothing, *[_almost()] * 3)


def _almost() -> st.SearchStrategy[Sent]:
    """Return messages of which some part may be wrong or missing."""
    params = st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["graphrag_query", "entity_lookup"]) | st.text(ASCII),
            "arguments": st.dictionaries(st.just("query"), JSON) | JSON,
            "uri": st.sampled_from(URIS) | JSON,
            "cursor": JSON,
            "requestId": JSON,
            "protocolVersion": st.sampled_from(VERSIONS) | JSON,
            "_meta": st.fixed_dictionaries({}, optional={"progressToken": JSON}),
        },
    )
    right = st.builds(asking, st.sampled_from(METHODS), params, st.sampled_from(VERSIONS))
    wrong = st.dictionaries(st.sampled_from(PARTS), st.just(MISSING) | JSON, max_size=2)
    return st.builds(_changed, right, wrong)


def _changed(sent: Sent, wrong: Mapping[str, Any]) -> Sent:
    told = json.loads(sent.body) | wrong
    told = {name: value for name, value in told.items() if value != MISSING}
    return Sent(json.dumps(told).encode(), sent.headers)
