"""Addresses in what a model sends to other servers: each was said by somebody, or is allowed.

A model that is misled puts what it knows into an address of the attacker. Such an address stands
nowhere before: neither did the user or the page say it, nor did a tool return it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from sextant.chat.context import RunContext
from sextant.types import ActionReturned, Json, ResultMessage, Speaker, TextMessage

_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{0,20}:)?//[^\s\"'<>`]+|\bwww\.[^\s\"'<>`]+", re.IGNORECASE
)
_AROUND = ".,;:!?)]}*_"
"""What stands behind an address in a sentence, and is no part of it."""


def made_up_addresses(
    arguments: Json, context: RunContext, allowed: Sequence[str]
) -> tuple[str, ...]:
    """Return the addresses in arguments that nobody said before, and whose host is not allowed."""
    sent = dict.fromkeys(own for text in _strings(arguments) for own in addresses_in(text))
    if not sent:
        return ()
    known = {own for text in _said(context) for own in addresses_in(text)}
    return tuple(own for own in sent if own not in known and not _is_allowed(own, allowed))


def addresses_in(text: str) -> Iterator[str]:
    """Yield the addresses that a text has."""
    for found in _ADDRESS.finditer(text):
        yield found[0].rstrip(_AROUND)


def _said(context: RunContext) -> Iterator[str]:
    """Yield what others than the model said: the user, the page, tools, and who approved a call."""
    for message in context.messages:
        if isinstance(message, ResultMessage):
            yield message.result
        elif isinstance(message, TextMessage) and message.speaker is not Speaker.ASSISTANT:
            yield message.text
    yield from (one.value for one in context.request.context)
    yield from (one.result for one in context.log.events if isinstance(one, ActionReturned))
    for answered in context.answered:
        yield from _strings(_parsed(answered.pending.arguments))
        yield from _strings(_parsed(answered.response))


def _is_allowed(address: str, allowed: Sequence[str]) -> bool:
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return False
    return host in allowed


def _strings(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            yield from _each(value)
        case dict():
            yield from value
            yield from _each(value.values())


def _each(values: Iterable[Json]) -> Iterator[str]:
    for one in values:
        yield from _strings(one)


def _parsed(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value
