"""Every tool with arguments that are right and wrong, and messages that are none, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar, cast

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode

from tests.fuzz.mcp_door import Plain, mcp_door
from tests.fuzz.messages import VERSIONS, Sent, anything, asking
from tests.fuzz.outcome import Outcome
from tests.fuzz.serving import Serving

T = TypeVar("T")
WIDTH = 64
KNOWN: dict[str, Any] = {
    "ArtifactId": "knowledge/glossary.html",
    "EntryId": "knowledge/glossary.html#c0",
    "QueryVector": [0.5] * WIDTH,
    "TenantId": "default",
    "entityId": "component:default/service-a",
    "entityIds": ["component:default/service-a"],
    "tenantId": "default",
    "tool": "github.createPullRequest",
    "tools": ["github.createBranch", "github.createPullRequest"],
}
_SELDOM_RIGHT = frozenset(
    {"RankingPrefs", "UserQueryVector", "Vector", "context", "filter", "name", "rankingPrefs"}
)
_CONFIG = {"generation": {"database": "none"}, "cache": {"enabled": False}}


def call_everything(server: Serving, cases: int, start: int = 1) -> Outcome:
    """Send so many messages, of which every third is none."""
    with mcp_door(server) as door:
        tools = door.tools()
        each = -(-2 * cases // (3 * len(tools)))
        for name, calls in _calls(tools):
            _tried(calls, partial(door.call, tools[name]), each, start)
        _tried(anything(), door.say, cases - door.outcome.cases, start)
        return door.outcome


def _tried(strategy: st.SearchStrategy[T], act: Callable[[T], None], most: int, start: int) -> None:
    """Do something with so many things; the next start brings others."""

    @seed(start)
    @settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def tried(one: T) -> None:
        act(one)

    tried()


def _calls(tools: Mapping[str, Plain]) -> Iterator[tuple[str, st.SearchStrategy[Sent]]]:
    """Yield the calls of each tool. The schemas stand in a document from which bodies are made."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Tools", "version": "1"},
        "paths": {f"/{name}": _operation(tool["inputSchema"]) for name, tool in tools.items()},
    }
    config = schemathesis.Config.from_dict(_CONFIG)
    schema = schemathesis.openapi.from_dict(document, config=config)
    for name, tool in tools.items():
        operation = schema[f"/{name}"]["POST"]
        right = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        fields = set(tool["inputSchema"]["properties"])
        bodies = st.builds(_likelier, right, st.just(fields), st.sampled_from([0, 1, 2]))
        yield name, _sent(name, st.one_of(bodies, bodies, wrong.map(lambda case: case.body)))


def _operation(schema: Plain) -> Plain:
    content = {"application/json": {"schema": schema}}
    return {"post": {"requestBody": {"required": True, "content": content}, "responses": {}}}


def _likelier(case: Case[Any], fields: set[str], lot: int) -> dict[str, Any]:
    """Return a body as it is, or as one that more may come of."""
    body = cast("dict[str, Any]", case.body)
    if lot:
        body = body | {name: value for name, value in KNOWN.items() if name in fields}
    return {name: body[name] for name in body if lot < 2 or name not in _SELDOM_RIGHT}


def _sent(name: str, bodies: st.SearchStrategy[Any]) -> st.SearchStrategy[Sent]:
    """Return calls of a tool by clients of every version, some of which hear of progress."""

    def call(arguments: Any, version: str, is_heard: bool) -> Sent:
        meta = {"_meta": {"progressToken": 1}} if is_heard else {}
        params = {"name": name, "arguments": arguments, **meta}
        return asking("tools/call", params, version)

    return st.builds(call, bodies, st.sampled_from(VERSIONS), st.booleans())
