"""What somebody in Teams gets: a cited answer, a welcome, and an end to what was said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.m365.conftest import QUESTION, Bot

MESSAGE = "https://schema.org/Message"


def claims(reply: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the claims of a reply."""
    entities = [one for one in reply["entities"] if one["type"] == MESSAGE]
    return [claim for one in entities for claim in one.get("citation", ())]


async def test_a_message_is_answered_with_its_sources_as_claims(bot: Bot) -> None:
    [reply] = await bot.ask()
    assert "Team Y" in reply["text"]
    assert "[1]" in reply["text"]
    [entity] = [one for one in reply["entities"] if one["type"] == MESSAGE]
    assert entity["@type"] == "Message"
    assert entity["@context"] == "https://schema.org"
    assert entity["additionalType"] == ["AIGeneratedContent"]
    first = claims(reply)[0]
    assert first["@type"] == "Claim"
    assert first["position"] == 1
    assert first["appearance"]["@type"] == "DigitalDocument"
    assert first["appearance"]["name"] == "Service A"
    assert 0 < len(first["appearance"]["abstract"]) <= 160
    assert reply["channelData"] == {"feedbackLoop": {"type": "default"}}


async def test_the_answer_is_the_one_that_rest_gives(bot: Bot) -> None:
    [reply] = await bot.ask()
    told = (await bot.client.post("/api/ask", json={"query": QUESTION})).json()
    assert [one["@id"] for one in claims(reply)] == [one["chunkId"] for one in told["citations"]]


async def test_whom_a_message_is_written_to_is_no_part_of_the_question(bot: Bot) -> None:
    mention = {
        "type": "mention",
        "text": "<at>Sextant</at>",
        "mentioned": {"id": "28:bot", "name": "Sextant"},
    }
    [plain] = await bot.ask()
    conversation = {"id": "a:2", "conversationType": "channel", "isGroup": True}
    [mentioned] = await bot.ask(
        text=f"<at>Sextant</at>&nbsp;{QUESTION}", entities=[mention], conversation=conversation
    )
    assert mentioned["text"] == plain["text"]


async def test_a_conversation_is_remembered_for_its_user_alone(bot: Bot) -> None:
    await bot.ask(conversation={"id": "a:kept"})
    there = "/api/conversations/msteams:a:kept"
    said = await bot.client.get(there, params={"aadObjectId": "ann"})
    assert said.json()["turns"][0]["text"] == QUESTION
    other = await bot.client.get(there, params={"aadObjectId": "bob"})
    assert other.status_code == 404


async def test_an_app_that_is_removed_forgets_the_conversation(bot: Bot) -> None:
    conversation = {"id": "a:removed"}
    await bot.ask(conversation=conversation)
    there = "/api/conversations/msteams:a:removed"
    assert (await bot.client.get(there, params={"aadObjectId": "ann"})).status_code == 200
    gone = {"type": "installationUpdate", "action": "remove", "text": None}
    assert await bot.ask(**gone, conversation=conversation) == []
    assert (await bot.client.get(there, params={"aadObjectId": "ann"})).status_code == 404


async def test_a_new_user_is_told_what_can_be_asked(bot: Bot) -> None:
    added = {"type": "conversationUpdate", "text": None, "membersAdded": [{"id": "28:bot"}]}
    [reply] = await bot.ask(**added)
    assert "Ask me a question" in reply["text"]
    [action] = reply["suggestedActions"]["actions"]
    assert (action["type"], action["value"]) == ("imBack", "Who owns Service A?")


@pytest.mark.parametrize(
    "other",
    [
        {"type": "conversationUpdate", "membersAdded": [{"id": "29:bob"}]},
        {"type": "conversationUpdate", "membersRemoved": [{"id": "28:bot"}]},
        {"type": "installationUpdate", "action": "add"},
        {"type": "typing"},
        {"type": "messageReaction", "reactionsAdded": [{"type": "like"}]},
        {"type": "something-new"},
    ],
)
async def test_what_asks_for_nothing_is_not_answered(bot: Bot, other: dict[str, Any]) -> None:
    assert await bot.ask(text=None, **other) == []


async def test_an_invoke_that_nobody_knows_is_refused_by_its_code(bot: Bot) -> None:
    answer = await bot.send(type="invoke", name="task/fetch", value={})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


async def test_a_group_gets_one_message_at_the_service_of_its_channel(bot: Bot) -> None:
    conversation = {"id": "19:team@thread.tacv2;messageid=1", "conversationType": "channel"}
    answer = await bot.send(conversation={**conversation, "isGroup": True})
    assert answer.status_code == 202
    [reply] = await bot.channel.wait_for_messages()
    assert "Team Y" in reply["text"]
    assert reply["replyToId"] == "m1"
    assert bot.channel.updates == []
    assert bot.channel.paths == ["/v3/conversations/19:team@thread.tacv2;messageid=1/activities/m1"]
    assert bot.channel.authorizations == [""]
