"""The same requests as recorded from the Node runtime 1.75.0 get the same events, ids aside.

Three differences are meant: a run tells what it cost, a failure the id of its request, and a thread
is given as one snapshot of its messages instead of every event that ever was.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.serve.agui.serving import Copiloted

pytestmark = pytest.mark.anyio
RECORDED = json.loads((Path(__file__).parent / "recorded" / "node_runtime.json").read_text())


def shapes(events: list[dict[str, Any]]) -> list[tuple[str, frozenset[str]]]:
    """Return what kinds of events there are, and which fields each has."""
    return [(one["type"], frozenset(one) - {"usage", "metadata"}) for one in events]


def texts(events: list[dict[str, Any]]) -> list[str]:
    """Return what the pieces of texts and arguments say."""
    return [one["delta"] for one in events if "delta" in one]


@pytest.mark.parametrize("case", ["run_text", "run_frontend_tool", "run_error"])
async def test_a_run_has_the_events_of_the_recorded_one(copilot: Copiloted, case: str) -> None:
    for exchange in RECORDED[case]["http"]:
        events = await copilot.events(exchange["path"], exchange["body"])
        recorded = exchange["events"]
        assert shapes(events) == shapes(recorded)
        assert texts(events) == texts(recorded)
        assert events[0] == recorded[0]


async def test_info_has_the_fields_of_the_recorded_one(copilot: Copiloted) -> None:
    (exchange,) = RECORDED["info"]["http"]
    info = (await copilot.client.get(exchange["path"])).json()
    assert info.keys() == exchange["answer"].keys()
    assert info["agents"]["default"].keys() == exchange["answer"]["agents"]["default"].keys()


async def test_a_thread_is_given_with_the_messages_that_a_recorded_client_ends_with(
    copilot: Copiloted,
) -> None:
    for exchange in RECORDED["run_frontend_tool"]["http"]:
        await copilot.events(exchange["path"], exchange["body"])
    (exchange,) = RECORDED["connect"]["http"]
    events = await copilot.events(exchange["path"], exchange["body"])
    given = next(one for one in events if one["type"] == "MESSAGES_SNAPSHOT")["messages"]
    recorded = RECORDED["connect"]["clientView"]["messages"]
    assert given[:-1] == recorded[:-1]
    assert given[-1]["content"] == recorded[-1]["content"]
