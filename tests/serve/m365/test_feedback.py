"""The buttons under an answer become feedback on it, and on nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.m365.conftest import Bot


def pressed(reaction: Any, feedback: Any = '{"feedbackText": "exactly"}') -> dict[str, Any]:
    """Return what Teams sends when somebody presses a button."""
    value = {
        "actionName": "feedback",
        "actionValue": {"reaction": reaction, "feedback": feedback},
    }
    return {"type": "invoke", "name": "message/submitAction", "value": value, "text": None}


async def reputation(bot: Bot) -> float:
    """Return what the first source of the answer is worth by now."""
    told = (await bot.client.post("/api/search", json={"query": "Who owns Service A?"})).json()
    found: float = told["results"][0]["scores"]["reputation"]
    return found


@pytest.mark.parametrize("reaction", ["like", "dislike"])
async def test_a_button_moves_the_reputation_of_the_sources(bot: Bot, reaction: str) -> None:
    conversation = {"id": f"a:{reaction}", "conversationType": "channel"}
    sender = {"id": "29:x", "aadObjectId": f"who-{reaction}s"}
    about = {"conversation": conversation, "from": sender}
    await bot.send(**about)
    await bot.channel.wait_for_messages()
    before = await reputation(bot)
    # What was sent is remembered once the channel has it.
    answer = await bot.send(**about, **pressed(reaction), replyToId="reply-1")
    while answer.status_code == 404:
        answer = await bot.send(**about, **pressed(reaction), replyToId="reply-1")
    assert answer.status_code == 200, answer.text
    after = await reputation(bot)
    assert after > before if reaction == "like" else after < before


async def test_an_answer_that_was_told_to_somebody_else_cannot_be_rated(bot: Bot) -> None:
    await bot.send(conversation={"id": "a:own", "conversationType": "channel"})
    await bot.channel.wait_for_messages()
    other = {"id": "29:bob", "aadObjectId": "bob"}
    answer = await bot.send(
        **pressed("like"), replyToId="reply-1", conversation={"id": "a:own"}, **{"from": other}
    )
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({**pressed("like"), "replyToId": "never-sent"}, 404),
        ({**pressed("love"), "replyToId": "reply-1"}, 422),
        ({**pressed(None), "replyToId": "reply-1"}, 422),
        (pressed("like"), 422),
        ({**pressed("like", "not JSON"), "replyToId": "never-sent"}, 404),
        ({**pressed("like", ["no text"]), "replyToId": "never-sent"}, 404),
    ],
)
async def test_feedback_on_nothing_is_refused_by_its_code(
    bot: Bot, given: dict[str, Any], status: int
) -> None:
    answer = await bot.send(**given)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]
