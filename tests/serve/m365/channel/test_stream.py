"""What somebody sees while an answer comes about, and what a broken channel does to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sextant.settings import M365Settings, Settings
from tests.loopback import Answer
from tests.serve.m365.conftest import Bot, running_bot
from tests.serve.m365.fake_channel import Channel, Told

STOPPED = json.dumps(
    {
        "error": {
            "code": "ContentStreamNotAllowed",
            "message": "Content stream was canceled by user.",
        }
    }
)
LATE = json.dumps(
    {
        "error": {
            "code": "ContentStreamNotAllowed",
            "message": "Content stream finished due to exceeded streaming time.",
        }
    }
)


def info(told: Told) -> dict[str, Any]:
    """Return what an activity says of its stream."""
    return next((one for one in told.get("entities", ()) if one["type"] == "streaminfo"), {})


async def test_a_person_sees_what_is_done_and_then_the_answer(bot: Bot) -> None:
    assert (await bot.send()).status_code == 202
    [reply] = await bot.channel.wait_for_messages()
    first = bot.channel.updates[0]
    assert first["text"] == "Looking up Service A…"
    assert info(first) == {"type": "streaminfo", "streamType": "informative", "streamSequence": 1}
    assert info(reply) == {"type": "streaminfo", "streamType": "final", "streamId": "reply-1"}
    assert "Team Y" in reply["text"]
    assert any(one["type"] == "https://schema.org/Message" for one in reply["entities"])
    assert reply["channelData"] == {"feedbackLoop": {"type": "default"}}


async def test_updates_of_one_stream_are_numbered_and_name_it(bot: Bot) -> None:
    await bot.send(channelId="webchat")
    await bot.channel.wait_for_messages()
    numbers = [info(one)["streamSequence"] for one in bot.channel.updates]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert {info(one)["streamId"] for one in bot.channel.updates[1:]} <= {"reply-1"}


@pytest.mark.parametrize(
    "where",
    [
        {"conversation": {"id": "19:x", "conversationType": "channel", "isGroup": True}},
        {"conversation": {"id": "19:x", "conversationType": "groupChat", "isGroup": True}},
        {"channelId": "slack"},
        {"channelId": "emulator"},
    ],
)
async def test_where_no_stream_is_served_there_is_one_message(
    bot: Bot, where: dict[str, Any]
) -> None:
    await bot.send(**where)
    [reply] = await bot.channel.wait_for_messages()
    assert info(reply) == {}
    assert bot.channel.updates == []


async def test_a_stream_that_is_asked_for_by_its_delivery_is_delivered(bot: Bot) -> None:
    await bot.send(deliveryMode="stream", channelId="emulator")
    [reply] = await bot.channel.wait_for_messages()
    assert "Team Y" in reply["text"]


async def test_nothing_more_is_sent_to_who_pressed_stop(bot: Bot) -> None:
    bot.channel.answers = [Answer(403, STOPPED.encode())]
    await bot.send()
    await bot.channel.wait_for_calls(1)
    [reply] = await bot.ask(conversation={"id": "a:other"})
    assert "Team Y" in reply["text"]
    assert bot.channel.messages == []


@pytest.mark.parametrize(
    "refusal",
    [
        Answer(403, LATE.encode()),
        Answer(400, b'{"error":{"code":"BadArgument","message":"Streaming API is not enabled"}}'),
        Answer(500, b""),
        Answer(429, b"", {"retry-after": "0"}),
        Answer(200, b"not JSON"),
        Answer(200, b"cut", promised=100),
    ],
    ids=["late", "not-enabled", "broken", "busy", "nonsense", "cut"],
)
async def test_an_answer_comes_as_a_message_where_the_stream_breaks(
    bot: Bot, refusal: Answer
) -> None:
    bot.channel.answers = [refusal]
    await bot.send(channelId="webchat")
    *_, reply = await bot.channel.wait_for_messages()
    assert "Team Y" in reply["text"]


async def test_a_reply_that_a_busy_channel_refuses_is_sent_again(bot: Bot) -> None:
    busy = Answer(429, b"", {"retry-after": "0"})
    bot.channel.answers = [busy, busy]
    await bot.send(channelId="emulator")
    [reply] = await bot.channel.wait_for_messages()
    assert "Team Y" in reply["text"]


@pytest.mark.parametrize("status", [401, 403, 404, 413, 500])
async def test_a_channel_that_refuses_is_told_to_the_operator_by_a_typed_error(
    knowledge: Settings, channel: Channel, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    channel.answers = [Answer(status, b"refused")]
    async with running_bot(knowledge, channel, M365Settings(anonymous=True)) as bot:
        await bot.send(channelId="emulator")
        await channel.wait_for_calls(1)
    assert f"The channel refuses a reply with status {status}." in caplog.text


async def test_a_channel_that_does_not_answer_is_given_up(
    knowledge: Settings, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    channel.answers = [Answer(200, None), Answer(200, None)]
    m365 = M365Settings(anonymous=True, send_seconds=0.2)
    async with running_bot(knowledge, channel, m365) as bot:
        await bot.send(channelId="emulator")
        await channel.wait_for_calls(1)
    assert "A reply did not reach its channel (TimeoutError)." in caplog.text


async def test_a_channel_that_is_not_there_is_told_to_the_operator(
    knowledge: Settings, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_bot(knowledge, channel, M365Settings(anonymous=True)) as bot:
        await bot.send(channelId="emulator", serviceUrl="http://127.0.0.1:1/")
    assert "A reply did not reach its channel (ClientConnectorError)." in caplog.text
