"""Another Sextant as a remote: its agents over AG-UI, with its steps, questions and approvals."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.core import Sextant
from sextant.plugins import RunContext, action, agent
from sextant.types import (
    ActionReturned,
    ActionStarted,
    InterruptAnswer,
    Interrupted,
    RunFailed,
    RunFinished,
    RunRequest,
    StateChanged,
)
from tests.chat.running import QUEUE, events_of, only, opened, request, text_of
from tests.chat.test_actions import weather
from tests.links.remote_endpoints.agui_agent import kind_settings
from tests.serve.agui.serving import Copiloted, copiloted, install
from tests.serve.running import TOKEN


@action(approval=True)
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"{path} is gone"


@agent
async def planner(run: RunContext) -> str:
    """Plans, and asks before it goes on."""
    if run.answer is None:
        run.change_state({"plan": ["look"]}, "plan")
        run.interrupt("Shall I look?")
    found = await run.call("weather", {"city": "Oslo"})
    return f"You said {run.answer}, it said {found}"


@pytest.fixture
async def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Copiloted]:
    """A server that has agents and actions, which we have a token for."""
    install(monkeypatch)
    monkeypatch.setenv("SEXTANT_CHAT_REMOTES_NOTES_TOKEN", TOKEN)
    async with copiloted(tmp_path) as server:
        server.server.house.sextant.copilot.register(delete_file, planner, weather)
        yield server


@asynccontextmanager
async def _here(server: Copiloted, name: str) -> AsyncIterator[Sextant]:
    url = f"{server.server.url}/copilotkit/agent/{name}/run"
    async with opened(settings=kind_settings("agui", url)) as sextant:
        yield sextant


def _answer(asked: RunRequest, waiting: Interrupted, response: str) -> RunRequest:
    return replace(asked, messages=(), answers=(InterruptAnswer(response, waiting.interrupt_id),))


def _asked(text: str, **more: Any) -> RunRequest:
    return request(text, agent="notes", thread_id="t1", **more)


async def test_its_reply_comes_piece_by_piece(elsewhere: Copiloted) -> None:
    async with _here(elsewhere, "default") as sextant:
        events = await events_of(sextant.copilot, _asked("CHUNKS:50"))
        assert isinstance(events[-1], RunFinished), events[-1]
        assert text_of(events) == "".join(f"tok{number} " for number in range(50))


async def test_its_agent_asks_a_person_of_ours(elsewhere: Copiloted) -> None:
    async with _here(elsewhere, "planner") as sextant:
        asked = _asked("go")
        events = await events_of(sextant.copilot, asked)
        [waiting] = only(events, Interrupted)
        assert waiting.value == "Shall I look?"
        assert only(events, StateChanged)[0].node == "plan"
        again = await events_of(sextant.copilot, _answer(asked, waiting, "yes"))
        assert text_of(again).startswith("You said yes, it said ")
        assert [one.name for one in only(again, ActionReturned)] == ["weather"]


@pytest.mark.parametrize(
    ("response", "result"), [("yes", "notes.txt is gone"), ("no", "did not allow")]
)
async def test_its_action_waits_for_a_person_of_ours(
    elsewhere: Copiloted, response: str, result: str
) -> None:
    async with _here(elsewhere, "default") as sextant:
        asked = _asked('TOOL:delete_file:{"path":"notes.txt"}')
        events = await events_of(sextant.copilot, asked)
        [waiting] = only(events, Interrupted)
        assert json.loads(waiting.value)["action"] == "delete_file"
        assert not only(events, ActionReturned)
        again = await events_of(sextant.copilot, _answer(asked, waiting, response))
        assert isinstance(again[-1], RunFinished), again[-1]
        [returned] = only(again, ActionReturned)
        assert returned.call_id == only(events, ActionStarted)[0].call_id
        assert returned.name == "delete_file"
        assert result in returned.result


async def test_its_model_has_our_action_carried_out_here(elsewhere: Copiloted) -> None:
    where: list[str] = []

    @action
    def locate(city: str) -> str:
        """Find a city."""
        where.append(city)
        return f"{city} is here"

    async with _here(elsewhere, "default") as sextant:
        sextant.copilot.register(locate)
        events = await events_of(sextant.copilot, _asked('TOOL:locate:{"city":"Oslo"}'))
    assert where == ["Oslo"]
    assert text_of(events) == "Tool said: Oslo is here"


async def test_its_failure_ends_our_run(elsewhere: Copiloted) -> None:
    async with _here(elsewhere, "default") as sextant:
        failed = (await events_of(sextant.copilot, _asked("ERROR")))[-1]
    assert isinstance(failed, RunFailed)
    assert "The agent notes failed" in failed.message
    assert "/srv/secret" not in failed.message


async def test_an_agent_that_it_does_not_have_is_said_so(elsewhere: Copiloted) -> None:
    async with _here(elsewhere, "ghost") as sextant:
        failed = (await events_of(sextant.copilot, _asked("go")))[-1]
    assert isinstance(failed, RunFailed)
    assert "There is no agent 'ghost'" in failed.message


async def test_our_knowledge_is_a_function_of_its_model(elsewhere: Copiloted) -> None:
    url = f"{elsewhere.server.url}/copilotkit/agent/default/run"
    settings = kind_settings("agui", url, grounding="agent")
    async with opened(settings=settings, puts=[QUEUE]) as sextant:
        asked = 'TOOL:search_knowledge:{"question":"Who owns Harbor Queue?"}'
        events = await events_of(sextant.copilot, _asked(asked))
    assert "Team Keel" in only(events, ActionReturned)[0].result
    assert "Team Keel" in text_of(events)
