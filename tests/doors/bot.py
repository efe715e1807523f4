"""The bot as a way in: a question becomes an activity, and its citations are schema.org claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2

from sextant.serve.m365.channel.messages import shortened
from tests.doors.calls import Ask
from tests.doors.shapes import Cited


@dataclass(frozen=True)
class Claim:
    """A source as Teams and Copilot show it."""

    chunk_id: str
    name: str
    url: str
    abstract: str


def directory_of(call: Ask) -> str:
    """Return the directory whose people ask as the personas of a question."""
    return "-".join(["directory", *sorted(call.personas)])


def claim_of(cited: Cited) -> Claim:
    """Return what the bot has to claim for a citation."""
    url = cited.url if cited.url.startswith("https://") else ""
    return Claim(cited.chunk_id, shortened(cited.title, 80), url, shortened(cited.quote, 160))


async def bot_claims(client: httpx2.AsyncClient, call: Ask) -> tuple[Claim, ...]:
    """Ask the bot in a conversation of its own, and return what the answer rests on."""
    given = {
        "type": "message",
        "id": "1",
        "channelId": "msteams",
        "serviceUrl": "https://smba.trafficmanager.net/amer/",
        "conversation": {"id": f"a:{abs(hash(call.query))}", "tenantId": directory_of(call)},
        "from": {"id": "29:ann", "aadObjectId": "ann"},
        "recipient": {"id": "28:bot", "name": "Sextant"},
        "deliveryMode": "expectReplies",
        "text": call.query,
    }
    answer = await client.post("/api/messages", json=given)
    assert answer.status_code == 200, answer.text
    told: list[dict[str, Any]] = [
        claim
        for activity in answer.json()["activities"]
        for entity in activity.get("entities", ())
        for claim in entity.get("citation", ())
    ]
    return tuple(map(_claim, told))


def _claim(told: dict[str, Any]) -> Claim:
    shape = told["appearance"]
    return Claim(told["@id"], shape["name"], shape.get("url", ""), shape["abstract"])
