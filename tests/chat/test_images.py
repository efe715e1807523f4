"""Images for the grounded agent: a model puts them into words, or it is said that nobody looked."""

from __future__ import annotations

import json

from sextant.errors import ModelRejected
from sextant.testing.scripted import Scripted
from sextant.types import (
    Image,
    ImageMessage,
    Prompt,
    RunFinished,
    RunRequest,
    Speaker,
    StateChanged,
    TextEnded,
    TextMessage,
)
from tests.chat.running import GROUNDED, QUEUE, events_of, only, opened, text_of

PIXEL = Image("image/png", b"\x89PNG\r\n\x1a\n")
SHOWN = ImageMessage("i1", Speaker.USER, PIXEL)
BEFORE = (
    TextMessage("u0", Speaker.USER, "Who owns Harbor Queue?"),
    TextMessage("a0", Speaker.ASSISTANT, "Team Keel."),
)
ASKED = TextMessage("u1", Speaker.USER, "Who owns this?")
NAMED = TextMessage("u1", Speaker.USER, "Who owns Harbor Queue?")


def sees(prompt: Prompt) -> str:
    """Know what is in an image, and nothing else."""
    if any(message.images for message in prompt.messages):
        return "Who owns Harbor Queue?"
    return "{}"


def blind(prompt: Prompt) -> str | ModelRejected:
    """Refuse every image, as a model for text alone does."""
    if any(message.images for message in prompt.messages):
        return ModelRejected("This model takes no images.", "Use another one.")
    return "{}"


async def test_a_model_puts_into_words_what_the_user_shows_and_the_knowledge_answers() -> None:
    model = Scripted(sees)
    async with opened(model, GROUNDED, [QUEUE]) as sextant:
        events = await events_of(sextant.copilot, RunRequest((*BEFORE, ASKED, SHOWN)))
    assert "owned by Team Keel" in text_of(events)
    looked = next(one for one in model.prompts if one.messages[-1].images)
    assert [one.text for one in looked.messages[1:]] == ["Who owns this?", ""]
    states = only(events, StateChanged)
    assert states[0].node == "looking at the image…"
    [citation] = json.loads(states[-1].state)["citations"]
    assert citation["documentId"] == "queue"
    assert isinstance(events[-1], RunFinished)
    assert events[-1].usage.read


async def test_an_image_without_words_is_a_question_for_who_can_see() -> None:
    async with opened(Scripted(sees), GROUNDED, [QUEUE]) as sextant:
        events = await events_of(sextant.copilot, RunRequest((SHOWN,)))
    assert "owned by Team Keel" in text_of(events)


async def test_a_model_that_takes_no_images_is_no_reason_to_say_nothing() -> None:
    async with opened(Scripted(blind), GROUNDED, [QUEUE]) as sextant:
        events = await events_of(sextant.copilot, RunRequest((NAMED, SHOWN)))
    said = text_of(events)
    assert said.startswith("The language model did not look at the image.")
    assert "owned by Team Keel" in said
    assert len(only(events, TextEnded)) == 2


async def test_without_a_model_it_is_said_that_nobody_looks_and_the_words_are_answered() -> None:
    async with opened(settings=GROUNDED, puts=[QUEUE]) as sextant:
        events = await events_of(sextant.copilot, RunRequest((SHOWN, NAMED)))
    said = text_of(events)
    assert said.startswith("Images cannot be looked at here, since no language model is set.")
    assert "owned by Team Keel" in said


async def test_an_image_alone_that_nobody_looks_at_is_not_taken_for_an_older_question() -> None:
    for model in (None, Scripted(blind)):
        async with opened(model, GROUNDED, [QUEUE]) as sextant:
            events = await events_of(sextant.copilot, RunRequest((*BEFORE, SHOWN)))
        assert text_of(events).endswith("Please ask in words.")
        assert "Keel" not in text_of(events)
        assert not any(one.is_running for one in only(events, StateChanged)[-1:])
        assert isinstance(events[-1], RunFinished)
