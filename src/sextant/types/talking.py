"""The nouns of a talk with a language model. Knows no provider and no prompt of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from sextant.types.asking import Json

JsonObject: TypeAlias = Mapping[str, Json]


class Speaker(StrEnum):
    """Who says a message to a model, or for it."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes and their type, or the address of one."""

    media_type: str = ""
    data: bytes = b""
    url: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants called; the arguments are JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message; a tool's result names the call that it answers."""

    speaker: Speaker
    text: str = ""
    images: tuple[Image, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: its name, what it is for, and a JSON schema of its arguments."""

    name: str
    description: str
    parameters: JsonObject


AUTO, NO_TOOL, ANY_TOOL = "auto", "none", "required"
"""How tools may be chosen; any other choice is the name of the one that must be called."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON schema that a reply must obey, and its name."""

    name: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked, and how it may reply; None and 0 leave it to the provider."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str = AUTO
    schema: Schema | None = None
    temperature: float | None = None
    max_tokens: int = 0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a call as the provider counts them; cached ones are among those read."""

    read: int = 0
    written: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.read + other.read, self.written + other.written, self.cached + other.cached
        )


class Reason(StrEnum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    TOOLS = "tools"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the text of a reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """The beginning of a tool call."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Arguments:
    """A piece of the arguments of a tool call that has begun."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a reply: why, for how many tokens, by which model, and after how many retries."""

    reason: Reason = Reason.STOP
    usage: Usage = Usage()
    model: str = ""
    retries: int = 0


Delta: TypeAlias = TextDelta | Called | Arguments | Ended


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, whole."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    ended: Ended = Ended()


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Who replies: the scheme of the adapter and the model's name."""

    provider: str
    name: str
    facts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"
