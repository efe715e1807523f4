"""Answers as the messages of a channel: text with numbers, sources as claims, what to ask next.

Claims are those of schema.org as Teams and Copilot show them. Knows no conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from microsoft_agents.activity import (
    Activity,
    ActivityTypes,
    AIEntity,
    CardAction,
    ClientCitation,
    ClientCitationAppearance,
    SuggestedActions,
    TextFormatTypes,
)

from sextant.chat.grounded.citations import Linker, safe_address
from sextant.serve.m365.channel.parts import cut_parts
from sextant.serve.m365.senders import TEAMS
from sextant.types import Answer, Citation

_LONGEST = {TEAMS: 20_000, "webchat": 100_000, "directline": 100_000, "emulator": 100_000}
"""Characters of one message. Teams takes 100 KB in UTF-16 with all that comes along; Direct Line
256 KB."""
_LONGEST_ELSEWHERE = 4_000
"""What Slack and Telegram take."""
_MOST_CLAIMS = 20
_LONGEST_NAME, _LONGEST_ABSTRACT = 80, 160
"""What Teams shows of a source."""
_MOST_QUESTIONS, _LONGEST_QUESTION = 3, 200
_NUMBER = re.compile(r"\[(\d{1,3})\]")
_LABEL = ["AIGeneratedContent"]
_FEEDBACK = {"feedbackLoop": {"type": "default"}}


def answer_messages(answer: Answer, channel: str) -> list[Activity]:
    """Return an answer as messages that a channel takes; usually it is one.

    Each part has the claims of the numbers in it, the last one those without a number, and
    buttons for what to ask next and what it was worth.
    """
    text, claims = numbered(answer)
    parts = cut_parts(text, _LONGEST.get(channel, _LONGEST_ELSEWHERE))
    messages = [_part(part, claims) for part in parts[:-1]]
    told = {one.position for message in messages for one in _claims_in(message)}
    last = _message(parts[-1], [one for one in claims if one.position not in told])
    if questions := _questions(answer):
        last.suggested_actions = suggested(questions)
    if channel == TEAMS:
        last.channel_data = dict(_FEEDBACK)
    return [*messages, last]


def numbered(answer: Answer) -> tuple[str, list[ClientCitation]]:
    """Return the text of an answer with numbers for labels, and its sources under them."""
    linker = Linker(dict.fromkeys((one.label for one in answer.citations), ""))
    text = linker.feed(answer.text) + linker.end()
    after = len(linker.numbers) + 1
    ordered = sorted(answer.citations, key=lambda one: linker.numbers.get(one.label, after))
    return text, [_claim(at, one) for at, one in enumerate(ordered, 1)]


def notice(text: str, examples: Sequence[str] = ()) -> Activity:
    """Return a message of the assistant itself, which rests on no source."""
    message = Activity(type=ActivityTypes.message, text=text, text_format=TextFormatTypes.markdown)
    if examples:
        message.suggested_actions = suggested(examples)
    return message


def suggested(questions: Sequence[str]) -> SuggestedActions:
    """Return questions as buttons that ask them."""
    return SuggestedActions(
        to=[],
        actions=[
            CardAction(type="imBack", title=shortened(one, _LONGEST_NAME), value=one)
            for one in questions
        ],
    )


def shortened(text: str, most: int) -> str:
    """Return a text in one line of at most so many characters, cut behind a word."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    return (head[: head.rfind(" ")] if " " in head else head).rstrip() + "…"


def _part(text: str, claims: Sequence[ClientCitation]) -> Activity:
    numbers = {int(one) for one in _NUMBER.findall(text)}
    return _message(text, [one for one in claims if one.position in numbers])


def _message(text: str, claims: Sequence[ClientCitation]) -> Activity:
    entity: dict[str, Any] = {"additional_type": _LABEL, "id": ""}
    if claims:
        entity["citation"] = list(claims[:_MOST_CLAIMS])
    message = notice(text)
    message.entities = [AIEntity(type="https://schema.org/Message", **entity)]
    return message


def _claims_in(message: Activity) -> Sequence[ClientCitation]:
    return [
        claim
        for entity in message.entities
        if isinstance(entity, AIEntity)
        for claim in entity.citation or ()
    ]


def _claim(position: int, citation: Citation) -> ClientCitation:
    shape: dict[str, Any] = {
        "name": shortened(citation.title or citation.label, _LONGEST_NAME),
        "abstract": shortened(citation.quote, _LONGEST_ABSTRACT),
    }
    if address := safe_address(citation.url):
        shape["url"] = address
    return ClientCitation(
        at_id=citation.chunk_id,
        position=position,
        appearance=ClientCitationAppearance(**shape),
    )


def _questions(answer: Answer) -> list[str]:
    """Return what could be asked next, as far as it fits on a button."""
    found = dict.fromkeys(
        one.query.strip() for one in answer.verdict.follow_ups if one.query.strip()
    )
    return [one for one in found if len(one) <= _LONGEST_QUESTION][:_MOST_QUESTIONS]
