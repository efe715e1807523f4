"""How much a message may hold beside a tool's arguments, which are bounded by their own shape.

The SDK gathers all that is wrong with a message, and takes its time where that is much.
"""

from __future__ import annotations

from sextant.serve.http.problem import Problem

_MOST_VALUES = 1_000
BULKY = Problem(
    413,
    "too_large",
    "Too large",
    f"The message holds more than {_MOST_VALUES:,} values beside a tool's arguments.",
    "Send one plain message.",
)


def is_bulky(message: object) -> bool:
    """Whether a message holds more than any that is meant well."""
    left, open_ones = _MOST_VALUES, [_without_arguments(message)]
    while open_ones and left >= 0:
        one = open_ones.pop()
        within = list(one.values()) if isinstance(one, dict) else one
        if isinstance(within, list):
            left -= len(within)
            open_ones += within[:_MOST_VALUES]
    return left < 0


def _without_arguments(message: object) -> object:
    """Return a message but for what a tool is to be called with."""
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return message
    params = message.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("arguments"), dict):
        return message
    return {**message, "params": {**params, "arguments": None}}
