"""The messages of AG-UI as clients send them: shapes on the wire, and what they stand for."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from sextant.errors import InvalidInput
from sextant.serve.wire.common.models import Id, Wire
from sextant.types import (
    ActionMessage,
    ChatMessage,
    Image,
    ImageMessage,
    ResultMessage,
    Speaker,
    TextMessage,
)

_ONLY_IMAGES = "Send text, or images as image parts."
_DATA = "data:"


class TextPart(Wire):
    """A text among the parts of a message."""

    type: Literal["text"]
    text: str


class Source(Wire):
    """Where the bytes of a part are: here, in Base64, or at an address."""

    type: Literal["data", "url", "file"]
    value: str
    mime_type: str | None = None


class MediaPart(Wire):
    """Something else than text among the parts of a message."""

    type: Literal["image", "audio", "video", "document"]
    source: Source


class BinaryPart(Wire):
    """The same, as clients before AG-UI 1.0 send it."""

    type: Literal["binary"]
    mime_type: str
    data: str | None = None
    url: str | None = None


Part: TypeAlias = Annotated[TextPart | MediaPart | BinaryPart, Field(discriminator="type")]


class Function(Wire):
    """What is called, and with what."""

    name: str
    arguments: str = ""


class Call(Wire):
    """A call that an assistant made."""

    id: Id
    function: Function


class Spoken(Wire):
    """What somebody wrote, or showed, and what an assistant wants called."""

    id: Id
    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[Part] | None = None
    tool_calls: list[Call] | None = None


class Returned(Wire):
    """What a call returned."""

    id: Id
    role: Literal["tool"]
    tool_call_id: Id
    content: str | list[Part]
    error: str | None = None


class Aside(Wire):
    """What is shown to a person and is nothing for an agent."""

    id: Id
    role: Literal["activity", "reasoning"]


Shape: TypeAlias = Annotated[Spoken | Returned | Aside, Field(discriminator="role")]


def messages_of(shapes: Iterable[Shape]) -> tuple[ChatMessage, ...]:
    """Return the messages that a client sends; a message of several parts becomes several."""
    found: list[ChatMessage] = []
    names: dict[str, str] = {}
    for shape in shapes:
        if isinstance(shape, Spoken):
            found += _spoken(shape)
            names |= {one.id: one.function.name for one in shape.tool_calls or ()}
        elif isinstance(shape, Returned):
            name = names.get(shape.tool_call_id, "")
            found.append(ResultMessage(shape.id, shape.tool_call_id, name, _result(shape)))
    return tuple(found)


def _spoken(shape: Spoken) -> Iterator[ChatMessage]:
    """Yield the text first, under the message's own id, unless there is none."""
    speaker, own = Speaker(shape.role), shape.id
    parts = [shape.content] if isinstance(shape.content, str) else shape.content or []
    texts = [one for one in map(_part_text, parts) if one is not None]
    images = [_image(one) for one in parts if not isinstance(one, str | TextPart)]
    if any(texts) or not (images or shape.tool_calls):
        yield TextMessage(own, speaker, "\n".join(texts))
    for number, image in enumerate(images, 1):
        yield ImageMessage(f"{own}/{number}", speaker, image, parent_id=own)
    for call in shape.tool_calls or ():
        yield ActionMessage(call.id, call.function.name, call.function.arguments, parent_id=own)


def _part_text(part: str | Part) -> str | None:
    return part if isinstance(part, str) else getattr(part, "text", None)


def _result(shape: Returned) -> str:
    if isinstance(shape.content, str):
        return shape.content or shape.error or ""
    if not all(isinstance(one, TextPart) for one in shape.content):
        raise InvalidInput("A result has parts that are not text.", "Return text or JSON.")
    return "\n".join(one.text for one in shape.content if isinstance(one, TextPart))


def _image(part: MediaPart | BinaryPart) -> Image:
    if isinstance(part, BinaryPart):
        kind, data, url = part.mime_type, part.data, part.url or ""
    else:
        source = part.source
        kind = source.mime_type or ("image/*" if part.type == "image" else part.type)
        data = source.value if source.type == "data" else None
        url = source.value if source.type == "url" else ""
    if not kind.startswith("image/") or not (data or url):
        raise InvalidInput("A message has a part that is neither text nor an image.", _ONLY_IMAGES)
    if url.startswith(_DATA):
        head, _, data = url.partition(",")
        kind = head.removeprefix(_DATA).partition(";")[0]
    return Image(kind, _decoded(data)) if data else Image("", url=url)


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("The bytes of an image are not Base64.", "Encode them anew.") from None
