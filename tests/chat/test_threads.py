"""Threads that last: history, states and interrupts, for their user alone, also after a restart."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from dataclasses import replace
from pathlib import Path

import pytest

from sextant.chat.threads.keeping import MOST_THREADS, Threads
from sextant.core import Sextant
from sextant.errors import AgentNotFound, InterruptNotFound
from sextant.plugins import RunContext, action, agent
from sextant.settings import GuardrailSettings, Settings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionReturned,
    AgentState,
    InterruptAnswer,
    Interrupted,
    Json,
    Prompt,
    Reply,
    RunFailed,
    RunFinished,
    RunRequest,
    Speaker,
    StateChanged,
    TextMessage,
    ToolCall,
)
from tests.chat.running import (
    ANN,
    GROUNDED,
    PLAIN,
    QUEUE,
    events_of,
    only,
    opened,
    request,
    text_of,
)

DONE: list[str] = []


@action(approval=True)
def delete(name: str) -> str:
    """Delete something."""
    DONE.append(name)
    return f"{name} is gone"


def deletes(prompt: Prompt) -> str | Reply:
    last = prompt.messages[-1]
    if last.speaker == Speaker.TOOL:
        return last.text
    return Reply("", (ToolCall("c1", "delete", '{"name":"it"}'),))


@pytest.fixture(autouse=True)
def _nothing_done() -> None:
    DONE.clear()


@pytest.fixture(params=["memory:", "sqlite:"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    kind = request.param
    return replace(PLAIN, store=kind if kind == "memory:" else f"{kind}{tmp_path}/s")


def approval(waiting: Interrupted) -> InterruptAnswer:
    return InterruptAnswer("approve", waiting.interrupt_id)


async def interrupted(sextant: Sextant) -> Interrupted:
    sextant.copilot.register(delete)
    events = await events_of(sextant.copilot, request("Delete it.", thread_id="t"))
    assert isinstance(events[-1], RunFinished)
    assert not DONE
    [waiting] = only(events, Interrupted)
    return waiting


async def test_a_thread_is_kept_for_its_user_alone(settings: Settings) -> None:
    async with opened(Scripted(lambda _: "Good morning."), settings, [QUEUE]) as sextant:
        await events_of(sextant.copilot, request("Hello", thread_id="t", agent="default"))
        kept = await sextant.copilot.load_state(ANN, "t", "default")
        assert kept.exists
        said = [one.text for one in kept.messages if isinstance(one, TextMessage)]
        assert said == ["Hello", "Good morning."]
        for other in (
            replace(ANN, user="bob"),
            replace(ANN, personas=frozenset({"ops"})),
            replace(ANN, tenant="other"),
        ):
            assert not (await sextant.copilot.load_state(other, "t", "default")).exists


async def test_a_chat_with_a_model_alone_is_left_to_its_client() -> None:
    async with opened(Scripted(lambda _: "Good morning."), puts=[QUEUE]) as sextant:
        await events_of(sextant.copilot, request("Hello", thread_id="t"))
        assert not (await sextant.copilot.load_state(ANN, "t", "default")).exists


async def test_the_threads_that_were_silent_longest_are_forgotten() -> None:
    made = 2 * MOST_THREADS
    async with opened(puts=[QUEUE]) as sextant:
        threads = Threads(sextant.store, "default")
        for number in range(made):
            await threads.keep(ANN, f"t{number}", request().messages, {}, ())
        kept = await sextant.store.records.list_threads(ANN, "runs/", limit=made)
        assert MOST_THREADS <= len(kept) < made
        assert (await threads.load(ANN, f"t{made - 1}")).version


async def test_a_run_resumes_in_another_process_after_its_own_was_killed(tmp_path: Path) -> None:
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.chat.interrupted_run", str(tmp_path / "s"), stdout=PIPE
    )
    assert killed.stdout is not None
    waiting = Interrupted((await killed.stdout.readline()).decode().strip(), "")
    killed.kill()
    await killed.wait()
    settings = replace(PLAIN, store=f"sqlite:{tmp_path}/s")
    async with opened(Scripted(deletes), settings) as sextant:
        sextant.copilot.register(delete)
        answer = RunRequest(thread_id="t", answers=(approval(waiting),))
        assert text_of(await events_of(sextant.copilot, answer)) == "it is gone"


async def test_what_was_asked_is_kept_where_a_process_is_killed_in_the_midst_of_a_reply(
    tmp_path: Path,
) -> None:
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.chat.killed_run", str(tmp_path / "s"), stdout=PIPE
    )
    assert killed.stdout is not None
    assert await killed.stdout.readline() == b"begun\n"
    killed.kill()
    await killed.wait()
    settings = replace(PLAIN, store=f"sqlite:{tmp_path}/s")
    async with opened(Scripted(lambda _: "Yes."), settings) as sextant:
        left = await sextant.copilot.load_state(ANN, "t", "default")
        assert [one.text for one in left.messages if isinstance(one, TextMessage)] == [
            "Are you there?"
        ]
        assert left.open_run == "r"
        asked = request("Are you there?", thread_id="t", agent="default")
        await events_of(sextant.copilot, asked)
        whole = await sextant.copilot.load_state(ANN, "t", "default")
        assert len(whole.messages) == 2
        assert whole.open_run == ""


async def test_a_run_under_way_here_is_not_one_that_did_not_end(settings: Settings) -> None:
    async with opened(Scripted(lambda _: "Yes."), settings, [QUEUE]) as sextant:
        run = await sextant.copilot.start(
            ANN, request("Are you there?", thread_id="t", agent="default")
        )
        async for _ in run.events():
            under_way = await sextant.copilot.load_state(ANN, "t", "default")
            assert under_way.open_run == ""


async def test_what_a_guardrail_denies_is_not_kept_before_it_is_checked() -> None:
    guarded = replace(PLAIN, guardrails=GuardrailSettings(deny=("politics",)))
    async with opened(Scripted(lambda _: "Yes."), guarded, [QUEUE]) as sextant:
        asked = request("Tell me about politics.", thread_id="t", agent="default")
        assert isinstance((await events_of(sextant.copilot, asked))[-1], RunFailed)
        assert not (await sextant.copilot.load_state(ANN, "t", "default")).exists


async def test_a_tenant_without_knowledge_is_not_made_by_a_chat(tmp_path: Path) -> None:
    settings = replace(PLAIN, store=f"sqlite:{tmp_path}/s")
    async with opened(Scripted(lambda _: "Hello."), settings) as sextant:
        await events_of(sextant.copilot, request(agent="default"))
        assert await sextant.store.admin.tenants() == []


async def test_an_action_that_needs_approval_waits_and_survives_a_restart(tmp_path: Path) -> None:
    settings = replace(PLAIN, store=f"sqlite:{tmp_path}/s")
    async with opened(Scripted(deletes), settings) as sextant:
        waiting = await interrupted(sextant)
    assert json.loads(waiting.value)["arguments"] == {"name": "it"}
    async with opened(Scripted(deletes), settings) as sextant:
        sextant.copilot.register(delete)
        answer = RunRequest(thread_id="t", answers=(approval(waiting),))
        events = await events_of(sextant.copilot, answer)
        assert DONE == ["it"]
        assert [one.call_id for one in only(events, ActionReturned)] == ["c1"]
        assert text_of(events) == "it is gone"
        with pytest.raises(InterruptNotFound):
            await sextant.copilot.start(ANN, answer)
    assert DONE == ["it"]


@pytest.mark.parametrize(
    ("response", "done"),
    [
        ("no", []),
        ('{"approved": false}', []),
        ("perhaps", []),
        ("true", ["it"]),
        ('{"approved": true, "arguments": {"name": "that"}}', ["that"]),
    ],
)
async def test_a_person_decides(settings: Settings, response: str, done: list[str]) -> None:
    async with opened(Scripted(deletes), settings) as sextant:
        await interrupted(sextant)
        asked = RunRequest(
            request("Delete it.").messages, thread_id="t", answers=(InterruptAnswer(response),)
        )
        events = await events_of(sextant.copilot, asked)
    assert done == DONE
    [returned] = only(events, ActionReturned)
    assert returned.failed == (not done)
    if not done:
        assert json.loads(returned.result)["error"]["code"] == "DECLINED"


def deletes_two(prompt: Prompt) -> str | Reply:
    if prompt.messages[-1].speaker == Speaker.TOOL:
        return "Done."
    both = [ToolCall(name, "delete", json.dumps({"name": name})) for name in ("a", "b")]
    return Reply("", tuple(both))


async def two_waiting(sextant: Sextant) -> list[Interrupted]:
    sextant.copilot.register(delete)
    return only(await events_of(sextant.copilot, request("Both.", thread_id="t")), Interrupted)


async def answered(sextant: Sextant, *answers: InterruptAnswer) -> list[Interrupted]:
    """Answer, and return what still waits."""
    asked = RunRequest(thread_id="t", answers=answers)
    return only(await events_of(sextant.copilot, asked), Interrupted)


async def test_an_answer_that_names_nothing_is_for_what_was_asked_first(
    settings: Settings,
) -> None:
    async with opened(Scripted(deletes_two), settings) as sextant:
        _, second = await two_waiting(sextant)
        assert await answered(sextant, InterruptAnswer("yes")) == [second]
        assert DONE == ["a"]
        assert await answered(sextant, InterruptAnswer("no")) == []
    assert DONE == ["a"]


async def test_answers_that_name_nothing_are_for_what_waits_in_its_order() -> None:
    async with opened(Scripted(deletes_two), PLAIN, [QUEUE]) as sextant:
        first, _ = await two_waiting(sextant)
        await answered(sextant, InterruptAnswer("yes"), InterruptAnswer("no", first.interrupt_id))
    assert DONE == ["b"]


@pytest.mark.parametrize("is_compact", [False, True], ids=["as told", "as JavaScript writes it"])
async def test_an_answer_that_names_a_value_is_for_that_question(is_compact: bool) -> None:
    async with opened(Scripted(deletes_two), PLAIN, [QUEUE]) as sextant:
        first, second = await two_waiting(sextant)
        value = second.value
        if is_compact:
            value = json.dumps(json.loads(value), separators=(",", ":"))
        answer = InterruptAnswer("yes", value=value)
        assert await answered(sextant, answer) == [first]
        assert DONE == ["b"]
        with pytest.raises(InterruptNotFound):
            await answered(sextant, answer)
    assert DONE == ["b"]


async def test_of_two_that_wait_each_has_its_own_answer(settings: Settings) -> None:
    async with opened(Scripted(deletes_two), settings) as sextant:
        first, second = await two_waiting(sextant)
        one = RunRequest(thread_id="t", answers=(approval(second),))
        events = await events_of(sextant.copilot, one)
        assert only(events, Interrupted) == [first]
        assert DONE == ["b"]
        assert text_of(events) == ""
        other = RunRequest(thread_id="t", answers=(approval(first),))
        assert text_of(await events_of(sextant.copilot, other)) == "Done."
    assert DONE == ["b", "a"]


async def test_nobody_else_answers_an_interrupt(settings: Settings) -> None:
    async with opened(Scripted(deletes), settings) as sextant:
        waiting = await interrupted(sextant)
        answer = RunRequest(thread_id="t", answers=(approval(waiting),))
        with pytest.raises(InterruptNotFound):
            await sextant.copilot.start(replace(ANN, user="bob"), answer)
    assert not DONE


class Counting:
    """An agent that counts its runs, and asks a person before it goes beyond two."""

    name = "counting"
    description = "Counts."

    async def run(self, context: RunContext) -> None:
        count = context.state.get("count", 0)
        assert isinstance(count, int)
        if count == 2 and context.answer is None:
            context.interrupt("Shall I go on?")
        context.change_state({"count": count + 1, "said": context.answer}, "counted")
        context.say(f"{count + 1}")


async def test_an_agent_finds_its_state_again_and_asks_a_person(tmp_path: Path) -> None:
    settings = replace(PLAIN, store=f"sqlite:{tmp_path}/s")
    asked = request("Count.", thread_id="t", agent="counting")
    for number in (1, 2):
        async with opened(settings=settings, puts=[QUEUE]) as sextant:
            sextant.copilot.register(Counting())
            assert text_of(await events_of(sextant.copilot, asked)) == str(number)
    async with opened(settings=settings) as sextant:
        sextant.copilot.register(Counting())
        [waiting] = only(await events_of(sextant.copilot, asked), Interrupted)
        answer = replace(asked, answers=(InterruptAnswer("yes", waiting.interrupt_id),))
        assert text_of(await events_of(sextant.copilot, answer)) == "3"
        kept = await sextant.copilot.load_state(ANN, "t", "counting")
        assert json.loads(kept.state) == {"count": 3, "said": "yes"}


HANDED = {"__copilotkit_interrupt_value__": "Book it?", "__copilotkit_messages__": []}


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"ask": "Bücher?", "for": [7]}, '{"ask":"Bücher?","for":[7.0]}'),
        (["Oslo", "Bergen"], ""),
        (HANDED, "Book it?"),
    ],
)
async def test_an_agent_asks_a_person_with_any_json_and_is_answered(
    tmp_path: Path, value: Json, named: str
) -> None:
    @agent
    async def booking(run: RunContext) -> str:
        """Books."""
        if run.answer is None:
            run.interrupt(value)
        return f"You said {run.answer}."

    settings = replace(PLAIN, store=f"sqlite:{tmp_path}/s")
    async with opened(settings=settings, puts=[QUEUE]) as sextant:
        sextant.copilot.register(booking)
        asked = request("Book.", thread_id="t", agent="booking")
        [waiting] = only(await events_of(sextant.copilot, asked), Interrupted)
        assert waiting.value == json.dumps(value, ensure_ascii=False)
        answer = replace(asked, answers=(InterruptAnswer("yes", value=named),))
        assert text_of(await events_of(sextant.copilot, answer)) == "You said yes."


async def test_the_state_that_a_client_sends_goes_before_the_kept_one() -> None:
    async with opened(puts=[QUEUE]) as sextant:
        sextant.copilot.register(Counting())
        asked = request("Count.", thread_id="t", agent="counting")
        await events_of(sextant.copilot, asked)
        sent = replace(asked, states=(AgentState("counting", {"count": 41}),))
        events = await events_of(sextant.copilot, sent)
        assert [card.name for card in await sextant.copilot.agents(ANN)] == ["default", "counting"]
        with pytest.raises(AgentNotFound, match="counting"):
            await sextant.copilot.start(ANN, request(agent="ghost"))
    assert json.loads(only(events, StateChanged)[0].state)["count"] == 42


async def test_the_citations_of_the_last_answer_are_in_the_kept_state() -> None:
    async with opened(settings=GROUNDED, puts=[QUEUE]) as sextant:
        await events_of(sextant.copilot, request("Who owns Harbor Queue?", thread_id="t"))
        kept = await sextant.copilot.load_state(ANN, "t", "default")
    [citation] = json.loads(kept.state)["citations"]
    assert citation["documentId"] == "queue"
