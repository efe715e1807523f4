"""The documents of specification 002 as they are, and JSON wherever it says JSON."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from sextant import entrypoints
from sextant.chat.actions.action import action
from sextant.chat.context import RunContext
from sextant.chat.function_agent import agent
from tests.seeds.test_specification_002 import sections_in, specification
from tests.serve.agui.serving import Copiloted, copiloted, run_input
from tests.serve.agui.steered_model import SCHEME

_ROOT = "/copilotkit"
HEALTH = "query { hello }"
DISCOVERY = "query { availableAgents { agents { id name description } } }"
CHAT = """mutation {
  generateCopilotResponse(
    data: {
      metadata: { requestType: Chat },
      frontend: { actions: [], url: "https://app" },
      messages: [{ id: "1", createdAt: "2025-01-01T00:00:00Z", textMessage: { role: user, content: "Plan a trip" } }]
    }
  ) { threadId runId messages { __typename } status { __typename } }
}"""  # noqa: E501 - as it stands in the specification
_WITH_AN_AGENT = """mutation {
  generateCopilotResponse(
    data: {
      metadata: { requestType: Chat }, frontend: { actions: [] }, threadId: "t1",
      agentSession: { agentName: "traveller" },
      messages: [{ id: "1", createdAt: "2025-01-01T00:00:00Z",
                   textMessage: { role: user, content: "Plan" } }]
    }
  ) {
    messages {
      ... on ActionExecutionMessageOutput { arguments }
      ... on ResultMessageOutput { result }
      ... on AgentStateMessageOutput { state }
    }
  }
}"""
_KEPT = """query {
  loadAgentState(data: { threadId: "t1", agentName: "traveller" }) { state messages }
}"""


@action
def book(city: str) -> dict[str, str]:
    """Book a trip."""
    return {"booked": city}


@agent
async def traveller(run: RunContext) -> str:
    """Plans a trip."""
    run.change_state({"cities": ["Ålesund", 'the "City"']}, "planning")
    return await run.call("book", {"city": 'Ålesund "\\'})


@pytest.fixture
async def copilot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Copiloted]:
    points = EntryPoints(
        [
            EntryPoint(SCHEME, "tests.serve.agui.steered_model:open_model", "sextant.llms"),
            EntryPoint("book", f"{__name__}:book", "sextant.actions"),
            EntryPoint("traveller", f"{__name__}:traveller", "sextant.agents"),
        ]
    )
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)
    async with copiloted(tmp_path) as own:
        yield own


async def _data(copilot: Copiloted, document: str) -> Any:
    response = await copilot.post(_ROOT, {"query": document})
    assert response.status_code == 200, response.text
    assert "errors" not in response.json(), response.text
    return response.json()["data"]


async def test_the_documents_of_the_specification_run_as_they_are(copilot: Copiloted) -> None:
    assert await _data(copilot, HEALTH) == {"hello": "Hello World"}
    found = (await _data(copilot, DISCOVERY))["availableAgents"]["agents"]
    assert {"default", "traveller"} <= {one["name"] for one in found}
    assert all(one["id"] and one["description"] for one in found)
    told = (await _data(copilot, CHAT))["generateCopilotResponse"]
    assert told["threadId"]
    assert told["messages"] == [{"__typename": "TextMessageOutput"}]
    assert told["status"] == {"__typename": "SuccessResponseStatus"}


def test_the_documents_are_those_of_the_specification() -> None:
    given = sections_in(specification())["14"].points
    assert [one.strip() for one in given] == [HEALTH, DISCOVERY, CHAT]


async def test_arguments_results_and_states_are_json_in_every_protocol(copilot: Copiloted) -> None:
    told = (await _data(copilot, _WITH_AN_AGENT))["generateCopilotResponse"]["messages"]
    (arguments,) = [json.loads("".join(one["arguments"])) for one in told if "arguments" in one]
    (result,) = [json.loads(one["result"]) for one in told if "result" in one]
    state = [json.loads(one["state"]) for one in told if "state" in one][-1]
    assert arguments == {"city": 'Ålesund "\\'}
    assert result == {"booked": 'Ålesund "\\'}
    assert state == {"cities": ["Ålesund", 'the "City"']}
    kept = (await _data(copilot, _KEPT))["loadAgentState"]
    assert json.loads(kept["state"]) == state
    assert next(one["role"] for one in json.loads(kept["messages"]) if "role" in one) == "user"
    events = await copilot.events(f"{_ROOT}/agent/traveller/run", run_input("Plan"))
    pieces = [one["delta"] for one in events if one["type"] == "TOOL_CALL_ARGS"]
    assert json.loads("".join(pieces)) == arguments
    (content,) = [one["content"] for one in events if one["type"] == "TOOL_CALL_RESULT"]
    assert json.loads(content) == result
    (snapshot,) = [one["snapshot"] for one in events if one["type"] == "STATE_SNAPSHOT"]
    assert snapshot == state
