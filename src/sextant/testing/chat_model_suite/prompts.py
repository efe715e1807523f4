"""What the conformance suite asks a chat model. A scripted peer answers these in its own words."""

from __future__ import annotations

import base64
from dataclasses import replace
from enum import StrEnum

from sextant.types import (
    ANY_TOOL,
    NO_TOOL,
    Image,
    Message,
    Prompt,
    Schema,
    Speaker,
    ToolCall,
    ToolSpec,
)

WRONG_KEY = "wrong-key-that-nobody-takes"
STOP_WORD = "four"
TOKENS = 48
"""How long a reply may be, unless a prompt is about just that."""


class Ability(StrEnum):
    """What a model, or the peer behind it, may lack."""

    STREAMING = "streaming"
    USAGE = "a count of tokens"
    STOP = "stop words"
    LENGTH = "a bound on the length of a reply"
    TOOLS = "tool calls"
    TOOL_CHOICE = "a choice of tools"
    SCHEMA = "replies that obey a schema"


def _user(text: str) -> Message:
    return Message(Speaker.USER, text)


def _asking(*messages: Message) -> Prompt:
    return Prompt(messages, temperature=0.0, max_tokens=TOKENS)


HELLO = _asking(_user("Say hello in one short sentence."))
COUNT = _asking(_user("Repeat after me: one, two, three, four, five, six, seven."))
COUNT_UNTIL_STOP = replace(COUNT, stop=(STOP_WORD,))
COUNT_BRIEFLY = replace(COUNT, max_tokens=4)

CONVERSATION = _asking(
    Message(Speaker.SYSTEM, "You answer in one short sentence."),
    Message(Speaker.DEVELOPER, "Be polite."),
    _user("My name is Ada. Say hello to me."),
    Message(Speaker.ASSISTANT, "Hello, Ada!"),
    _user("What is my name?"),
)
UNICODE = _asking(
    _user("Say hello to 🧭 👩‍🚀 السدس ספינה 六分儀 육분의 e\u0301 \u200b\ufffd\U0010ffff a\x07b.")
)

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
IMAGE = _asking(
    Message(Speaker.USER, "Which colour has this picture?", (Image("image/png", PIXEL),))
)

WEATHER_TOOL = ToolSpec(
    "weather",
    "Tells the weather in a city.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
)
CLOCK_TOOL = ToolSpec(
    "clock",
    "Tells the time.",
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
)
_TOOLS = (WEATHER_TOOL, CLOCK_TOOL)
_WEATHER = _user("What is the weather in Oslo? Use the tool.")

WEATHER = replace(_asking(_WEATHER), tools=_TOOLS)
WEATHER_WITHOUT_TOOL = replace(WEATHER, tool_choice=NO_TOOL)
WEATHER_TOLD = replace(
    _asking(
        _WEATHER,
        Message(
            Speaker.ASSISTANT,
            calls=(
                ToolCall("call_1", WEATHER_TOOL.name, '{"city": "Oslo"}'),
                ToolCall("call_2", CLOCK_TOOL.name, "{}"),
            ),
        ),
        Message(Speaker.TOOL, "Snow, 3 degrees below zero.", call_id="call_1"),
        Message(Speaker.TOOL, "Noon.", call_id="call_2"),
    ),
    tools=_TOOLS,
)
HELLO_WITH_ANY_TOOL = replace(HELLO, tools=_TOOLS, tool_choice=ANY_TOOL)
HELLO_WITH_NAMED_TOOL = replace(HELLO, tools=_TOOLS, tool_choice=CLOCK_TOOL.name)

COLOUR = replace(
    _asking(_user('Name one colour, as JSON such as {"colour": "red"}.')),
    schema=Schema(
        "colour",
        {
            "type": "object",
            "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}},
            "required": ["colour"],
            "additionalProperties": False,
        },
    ),
)

ODD = (_asking(), _asking(_user("")), _asking(_user("half a pair: \ud800")))
