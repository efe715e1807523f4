"""Parts of a prompt in the forms that several protocols want. Knows no protocol."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

from sextant.errors import ConfigError
from sextant.types import Image, Message, Speaker, ToolCall

ABOVE = (Speaker.SYSTEM, Speaker.DEVELOPER)
"""Who gives orders; some protocols keep them apart from what is said."""


def as_utf8(text: str) -> str:
    """Return the text as UTF-8 can carry it: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def orders(messages: Iterable[Message]) -> str:
    """Return what the system and the developer say, as one text."""
    return "\n\n".join(as_utf8(one.text) for one in messages if one.speaker in ABOVE and one.text)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call; what a model wrote wrongly is kept under one name."""
    try:
        value = json.loads(call.arguments or "{}")
        # Written and read again, since Python takes more for JSON than can be sent.
        value = json.loads(as_utf8(json.dumps(value, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError):
        value = as_utf8(call.arguments)
    return value if isinstance(value, dict) else {"arguments": value}


def base64_of(image: Image) -> str:
    """Return the bytes of an image as text."""
    return base64.b64encode(image.data).decode("ascii")


def model_named(rest: str, scheme: str) -> str:
    """Return the model that stands after the colon."""
    if not rest.strip():
        raise ConfigError(f"The llm {scheme}: names no model.", f'Write "{scheme}:MODEL".')
    return rest.strip()
