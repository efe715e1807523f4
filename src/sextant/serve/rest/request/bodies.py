"""Requests as REST reads them: bodies of strict JSON in UTF-8, and replies that can be accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from sextant.errors import InvalidInput
from sextant.serve.rest.request.refusals import Refused, misshapen
from sextant.serve.wire.common.faults import Fault, unknown
from sextant.text.codec.decode import loads

JSON = "application/json"
STREAM = "text/event-stream"
_JSON_HINT = f"Send {JSON} in UTF-8."
_LARGE = 64 * 1_024
_LONGEST_NAME = 200
_MOST_TOLD = 20


def check_query(request: Request, known: Mapping[str, bool]) -> None:
    """Refuse what an address asks that nobody knows, or asks twice where that is no list."""
    given = [name for name, _ in request.query_params.multi_items()]
    others = [name for name in dict.fromkeys(given) if name not in known]
    faults = [
        Fault(name[:_LONGEST_NAME], unknown(name[:_LONGEST_NAME], list(known), "parameter"))
        for name in others[:_MOST_TOLD]
    ]
    twice = [name for name, is_list in known.items() if not is_list and given.count(name) > 1]
    faults += [Fault(name, "It is given twice") for name in twice]
    if faults:
        raise misshapen(faults)


def read_json(body: bytes) -> Any:
    """Return the value of a JSON text, or refuse it."""
    try:
        return loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused(400, "invalid_json", "The body is no text in UTF-8.", _JSON_HINT) from None
    except InvalidInput as error:
        why = f"The body cannot be read: {error.message[:200]}."
        raise Refused(400, "invalid_json", why, _JSON_HINT) from None


async def json_body(request: Request) -> Any:
    """Return the value of a JSON body; a large one is read while others are answered."""
    check_json(request)
    body = await request.body()
    return read_json(body) if len(body) <= _LARGE else await asyncio.to_thread(read_json, body)


def check_json(request: Request, hint: str = _JSON_HINT) -> None:
    """Refuse a body that says that it is something else than JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refused(415, "unsupported_media_type", "The body is not said to be JSON.", hint)


def accepted(request: Request, *media: str) -> str:
    """Return which of these media types the client likes best; of equals the first."""
    given = ",".join(request.headers.getlist("accept"))
    if not given.strip():
        return media[0]
    ranges = dict(_range(one) for one in given.split(","))
    best = max(media, key=lambda one: _liking(one, ranges))
    if _liking(best, ranges) <= 0:
        raise Refused(
            406, "not_acceptable", "This cannot be told as asked.", f"Accept {' or '.join(media)}."
        )
    return best


def _range(text: str) -> tuple[str, float]:
    name, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return name, float(parameter[2:])
            except ValueError:
                return name, 0.0
    return name, 1.0


def _liking(media: str, ranges: dict[str, float]) -> float:
    """Return how much a client likes a media type: what is named goes before what is wild."""
    kind = media.partition("/")[0]
    for name in (media, f"{kind}/*", "*/*"):
        if name in ranges:
            return ranges[name]
    return 0.0
