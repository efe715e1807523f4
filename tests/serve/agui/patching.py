"""JSON Patch as clients apply it."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from sextant.serve.agui.patches import Operation


def applied(state: Any, patch: Sequence[Operation]) -> Any:
    """Apply add, remove and replace, as RFC 6902 has them."""
    result = copy.deepcopy(state)
    for one in json.loads(json.dumps(patch)):
        *way, last = [
            part.replace("~1", "/").replace("~0", "~") for part in one["path"].split("/")[1:]
        ]
        place = result
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        key: Any = int(last) if isinstance(place, list) else last
        if one["op"] == "remove":
            del place[key]
        elif one["op"] == "add" and isinstance(place, list):
            place.insert(key, one["value"])
        else:
            assert one["op"] == "add" or key in place or isinstance(place, list)
            place[key] = one["value"]
    return result
