"""Activities that are broken: a sentence for the person, a typed problem for the channel."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.m365.conftest import Bot


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"conversation": None}, "conversation.id"),
        ({"conversation": {}}, "conversation.id"),
        ({"conversation": "a:1"}, "conversation.id"),
        ({"conversation": {"id": "../../evil"}}, "conversation.id"),
        ({"conversation": {"id": "a?x=1#"}}, "conversation.id"),
        ({"conversation": {"id": "a" * 5_000}}, "conversation.id"),
        ({"id": "m/../../1"}, "id"),
        ({"type": None}, "type"),
        ({"type": 7}, "type"),
        ({"serviceUrl": None}, "serviceUrl"),
        ({"channelId": None}, "channelId"),
        ({"from": "ann"}, "from"),
        ({"text": {"no": "text"}}, "text"),
        ({"entities": "none"}, "entities"),
        ({"membersAdded": 3}, "membersAdded"),
        ({"timestamp": "yesterday"}, "timestamp"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_an_activity_that_cannot_be_answered_is_refused_with_the_field(
    bot: Bot, wrong: dict[str, Any], field: str
) -> None:
    answer = await bot.send(**wrong)
    assert answer.status_code == 422, answer.text
    assert field in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"[]", b"3", b"null", b'"text"'])
async def test_a_body_that_is_no_activity_is_refused(bot: Bot, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = await bot.client.post("/api/messages", content=body, headers=headers)
    assert answer.status_code == 422


async def test_a_body_that_is_no_json_is_refused(bot: Bot) -> None:
    headers = {"content-type": "application/json"}
    answer = await bot.client.post("/api/messages", content=b"{", headers=headers)
    assert answer.status_code == 400
    assert (await bot.client.post("/api/messages", content=b"{}")).status_code == 415
    assert (await bot.client.get("/api/messages")).status_code == 405


@pytest.mark.parametrize(
    ("unclear", "told"),
    [
        ({"text": None}, "I can only read words"),
        ({"text": ""}, "I can only read words"),
        ({"text": " \n "}, "I can only read words"),
        ({"text": "<at>Sextant</at>"}, "I can only read words"),
        ({"text": None, "value": {"card": 1}}, "I can only read words"),
        ({"text": "why " * 262_144}, "characters"),
        ({"from": None}, "does not say who wrote it"),
        ({"from": {"name": "Ann"}}, "does not say who wrote it"),
    ],
    ids=["no-text", "empty", "blank", "only-a-mention", "a-card", "1-MB", "nobody", "no-id"],
)
async def test_a_person_is_told_in_a_sentence_what_is_wrong(
    bot: Bot, unclear: dict[str, Any], told: str
) -> None:
    mention = {
        "type": "mention",
        "text": "<at>Sextant</at>",
        "mentioned": {"id": "28:bot", "name": "Sextant"},
    }
    [reply] = await bot.ask(**unclear, entities=[mention])
    assert told in reply["text"]
    assert "Traceback" not in reply["text"]
    assert reply["text"].count("\n") == 0


async def test_an_activity_over_the_limit_is_refused_before_it_is_read(bot: Bot) -> None:
    answer = await bot.send(text="a" * 5_000_000)
    assert answer.status_code == 413


async def test_no_text_of_a_message_is_in_the_log(
    bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    assert (await bot.send(text={"my": "private words"})).status_code == 422
    assert (await bot.send(text="private words", timestamp="x")).status_code == 422
    await bot.ask(text="Who said private words?")
    assert "private words" not in caplog.text
