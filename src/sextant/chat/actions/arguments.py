"""What a model, or an agent, sends as the arguments of a call."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sextant.errors import InvalidInput
from sextant.types import JsonObject


def read_arguments(sent: str, action: str) -> JsonObject:
    """Return the arguments of a call, which are an object; nothing is an empty one."""
    try:
        value = json.loads(sent or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        raise InvalidInput(f"The arguments of {action} are not a JSON object.", "Send one.")
    return value
