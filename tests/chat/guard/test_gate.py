"""Guardrails before a run: who is asked, when, and what becomes of a message that is denied."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from sextant.chat.links import CopilotLinks
from sextant.errors import PeerError, PeerRefused, PeerUnreachable
from sextant.settings import GuardrailSettings
from sextant.testing.scripted import Scripted
from sextant.types import (
    ActionMessage,
    FailureReason,
    GuardedInput,
    GuardVerdict,
    Image,
    ImageMessage,
    ResultMessage,
    RunFailed,
    RunFinished,
    RunRequest,
    RunStopped,
    Speaker,
    TextMessage,
    TopicRules,
)
from tests.chat.running import ANN, GROUNDED, PLAIN, QUEUE, events_of, opened, request, text_of

_POLITICS = TopicRules(denied=("politics",))
_BY_WORDS = replace(PLAIN, guardrails=GuardrailSettings(likeness=1.0))


@dataclass
class Told:
    """A guardrail that says what it is told to, and remembers what it was asked."""

    answer: GuardVerdict | Exception = field(default_factory=lambda: GuardVerdict(True))
    asked: list[GuardedInput] = field(default_factory=list)
    name: str = "told"

    async def check(self, asked: GuardedInput) -> GuardVerdict:
        """Answer."""
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def close(self) -> None:
        """Nothing is held open."""


async def _run(
    guardrail: Told, asked: RunRequest, when_down: str = "closed"
) -> tuple[object, Scripted]:
    model = Scripted(lambda _: "Yes.")
    settings = replace(PLAIN, guardrails=GuardrailSettings(when_down=when_down))
    async with opened(model, settings) as sextant:
        guarded = replace(sextant, copilot_links=CopilotLinks((guardrail,)))
        events = await events_of(guarded.copilot, asked)
    return events[-1], model


async def test_what_is_denied_reaches_no_model() -> None:
    denied = Told(GuardVerdict(is_allowed=False, reason="No politics."))
    end, model = await _run(denied, request("Whom shall I vote for?"))
    assert isinstance(end, RunFailed)
    assert (end.reason, end.message) == (FailureReason.GUARDRAIL, "No politics.")
    assert end.code == "guardrails_validation_failed"
    assert model.prompts == []


async def test_what_is_allowed_is_answered() -> None:
    guardrail = Told()
    end, model = await _run(guardrail, request("Hello"))
    assert isinstance(end, RunFinished)
    assert len(model.prompts) == 1
    assert guardrail.asked[0].text == "Hello"


async def test_all_that_the_user_wrote_last_is_checked_and_what_came_before_is_told() -> None:
    guardrail = Told()
    picture = Image("image/png", b"\x89PNG\r\n\x1a\n")
    messages = (
        TextMessage("s", Speaker.SYSTEM, "Be kind."),
        TextMessage("u1", Speaker.USER, "Hi"),
        TextMessage("a1", Speaker.ASSISTANT, "Hello"),
        TextMessage("u2", Speaker.USER, "One"),
        ImageMessage("i", Speaker.USER, picture),
        TextMessage("u3", Speaker.USER, "Two"),
    )
    await _run(guardrail, RunRequest(messages))
    (asked,) = guardrail.asked
    assert asked.text == "One\nTwo"
    assert [one.text for one in asked.before] == ["Hi", "Hello"]


async def test_what_comes_back_from_an_action_is_not_checked() -> None:
    guardrail = Told(GuardVerdict(is_allowed=False, reason="Never."))
    messages = (
        TextMessage("u1", Speaker.USER, "Paint it blue"),
        ActionMessage("c1", "paint", "{}"),
        ResultMessage("r1", "c1", "paint", "done"),
    )
    end, _ = await _run(guardrail, RunRequest(messages))
    assert isinstance(end, RunFinished)
    assert guardrail.asked == []


async def test_topics_of_a_client_are_checked_beside_those_that_are_set() -> None:
    guardrail = Told()
    asked = request("Hello", topics=_POLITICS, cloud_key="ck")
    settings = replace(PLAIN, guardrails=GuardrailSettings(allow=("harbours",)))
    async with opened(Scripted(lambda _: "Yes."), settings) as sextant:
        guarded = replace(sextant, copilot_links=CopilotLinks((guardrail,)))
        await events_of(guarded.copilot, asked)
    assert [one.rules for one in guardrail.asked] == [TopicRules(("harbours",)), _POLITICS]
    assert guardrail.asked[0].client_key == "ck"


async def test_a_client_gets_its_topics_checked_where_no_service_is_set() -> None:
    async with opened(Scripted(lambda _: "Yes."), _BY_WORDS) as sextant:
        denied = await events_of(sextant.copilot, request("All about politics", topics=_POLITICS))
        allowed = await events_of(sextant.copilot, request("All about politics"))
    assert isinstance(denied[-1], RunFailed)
    assert denied[-1].message == "Topic 'politics' is not allowed."
    assert text_of(allowed) == "Yes."


async def test_topics_of_the_settings_are_checked_where_no_service_is_set() -> None:
    settings = replace(PLAIN, guardrails=GuardrailSettings(deny=("politics",)))
    async with opened(Scripted(lambda _: "Yes."), settings) as sextant:
        events = await events_of(sextant.copilot, request("All about politics"))
    assert isinstance(events[-1], RunFailed)


async def test_a_guardrail_that_is_down_denies_unless_it_is_to_leave_open() -> None:
    down = PeerUnreachable("It is down at 10.0.0.1.", "Wait.")
    end, model = await _run(Told(down), request())
    assert isinstance(end, RunFailed)
    assert (end.reason, end.code) == (FailureReason.GUARDRAIL, "guardrails_unavailable")
    assert "10.0.0.1" not in end.message
    assert model.prompts == []
    end, _ = await _run(Told(down), request(), when_down="open")
    assert isinstance(end, RunFinished)


@pytest.mark.parametrize(
    "wrong", [PeerRefused("Wrong key.", ""), PeerError("No JSON.", ""), KeyError("/srv/secret")]
)
async def test_a_guardrail_that_answers_wrongly_is_never_taken_for_a_yes(wrong: Exception) -> None:
    end, _ = await _run(Told(wrong), request(), when_down="open")
    assert isinstance(end, RunFailed)
    assert end.code == "guardrails_unavailable"


@dataclass
class Hanging(Told):
    """A guardrail that never says anything to a message that is slow."""

    async def check(self, asked: GuardedInput) -> GuardVerdict:
        """Answer, or wait."""
        if "slow" in asked.text:
            await asyncio.Event().wait()
        return await Told.check(self, asked)


async def test_nobody_else_waits_for_a_guardrail_that_hangs() -> None:
    async with opened(Scripted(lambda _: "Yes."), PLAIN) as sextant:
        guarded = replace(sextant, copilot_links=CopilotLinks((Hanging(),)))
        hangs = await guarded.copilot.start(ANN, request("slow", thread_id="t1"))
        assert text_of(await events_of(guarded.copilot, request("Hi", thread_id="t2"))) == "Yes."
        assert await guarded.copilot.stop(ANN, "t1")
        events = [event async for batch in hangs.events() for event in batch]
    assert isinstance(events[-1], RunStopped)


@pytest.mark.parametrize(("when_down", "end"), [("closed", RunFailed), ("open", RunFinished)])
async def test_a_guardrail_that_takes_too_long_is_as_one_that_is_down(
    when_down: str, end: type
) -> None:
    settings = replace(PLAIN, guardrails=GuardrailSettings(when_down=when_down, seconds=0.01))
    async with opened(Scripted(lambda _: "Yes."), settings) as sextant:
        guarded = replace(sextant, copilot_links=CopilotLinks((Hanging(),)))
        events = await events_of(guarded.copilot, request("slow"))
    assert isinstance(events[-1], end)


async def test_what_was_denied_is_no_part_of_the_thread() -> None:
    async with opened(None, GROUNDED, [QUEUE]) as sextant:
        await events_of(sextant.copilot, request("Who owns Harbor Queue?", thread_id="t"))
        before = await sextant.copilot.load_state(ANN, "t", "default")
        asked = request("All about politics", thread_id="t", topics=_POLITICS)
        await events_of(sextant.copilot, asked)
        assert await sextant.copilot.load_state(ANN, "t", "default") == before


async def test_what_was_denied_is_left_out_where_a_page_sends_it_again() -> None:
    model = Scripted(lambda _: "Yes.")
    first = TextMessage("u1", Speaker.USER, "All about politics")
    again = TextMessage("u1-again", Speaker.USER, "All about politics")
    more = TextMessage("a1", Speaker.ASSISTANT, "No."), TextMessage("u2", Speaker.USER, "Go on")
    async with opened(model, _BY_WORDS) as sextant:
        await events_of(sextant.copilot, RunRequest((first,), thread_id="t", topics=_POLITICS))
        later = RunRequest((again, *more), thread_id="t", topics=_POLITICS)
        await events_of(sextant.copilot, later)
        await events_of(sextant.copilot, replace(later, thread_id="another"))
    kept = [[message.text for message in prompt.messages] for prompt in model.prompts]
    assert kept == [["No.", "Go on"], ["All about politics", "No.", "Go on"]]
