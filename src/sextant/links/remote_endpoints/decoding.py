"""Events as JSON, whatever protocol they are of: decoded, and refused if they are no such thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sextant.errors import PeerError
from sextant.links.mcp_connection import shown_message
from sextant.links.remote_endpoints.connection import NOT_OURS

WRONG_SHAPE = (LookupError, AttributeError, TypeError, ValueError, RecursionError)
"""What reading a value of another shape raises."""
_DECODER = msgspec.json.Decoder()


def decode_event(data: bytes, whose: str) -> tuple[str, Mapping[str, Any]]:
    """Return the kind of an event and the event, or say why it is none."""
    try:
        event = _DECODER.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        raise PeerError(f"{whose} sent a line that is not JSON.", NOT_OURS) from None
    kind = event.get("type") if isinstance(event, dict) else None
    if not isinstance(kind, str):
        raise PeerError(f"{whose} sent a line that is no event.", NOT_OURS)
    return kind, event


def run_failure(whose: str, event: Mapping[str, Any]) -> PeerError:
    """Return the error that an agent ends its run with."""
    reason = shown_message(str(event.get("message") or ""))
    return PeerError(f"{whose} failed: {reason}.", "Try again, or ask whoever runs it.")


def wrong_shape(whose: str, kind: str) -> PeerError:
    """Return the error for an event whose fields are not those of its kind."""
    return PeerError(f"{whose} sent a {kind} of the wrong shape.", NOT_OURS)


def text_in(event: Mapping[str, Any], name: str) -> str:
    """Return a text of an event."""
    value = event[name]
    if not isinstance(value, str):
        raise TypeError(name)
    return value


def id_in(event: Mapping[str, Any], name: str) -> str:
    """Return an id of an event, which is not empty."""
    if not (value := text_in(event, name)):
        raise ValueError(name)
    return value
