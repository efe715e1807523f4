"""A message of JSON-RPC as it comes over HTTP: read strictly, and refused in words of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sextant.errors import InvalidInput
from sextant.serve.caller import Role
from sextant.serve.errors import Shown
from sextant.text.codec.decode import loads
from sextant.text.codec.json_bytes import written

_NO_JSON = "Send one message as JSON in UTF-8."
_NO_MESSAGE = "Send an object with jsonrpc, a method, params and, to be answered, an id."
_NO_BATCH = "A batch is not taken: batches were taken out of MCP with 2025-06-18."
_ONE_EACH = "Send each message in a request of its own."
_LONGEST = 200


class Refusal(Exception):
    """Why a message is not answered. It is an ASGI app that says so, as JSON-RPC does."""

    def __init__(self, why: Shown, message: object = None, needs: tuple[Role, ...] = ()) -> None:
        super().__init__(why.sentence)
        self._why, self._message, self._needs = why, message, needs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; the gate and the meter find the reason in the state."""
        why = self._why
        scope["state"] |= {"refused": why.code, "needs": self._needs}
        error = {
            "code": why.rpc,
            "message": f"{why.sentence} {why.hint}".strip(),
            "data": {"code": why.code, "hint": why.hint},
        }
        told = {"jsonrpc": "2.0", "id": _id_of(self._message), "error": error}
        response = Response(written(told), why.status, media_type="application/json")
        await response(scope, receive, send)


def read(body: bytes) -> object:
    """Return the value of a body; one in which a field comes twice is refused."""
    try:
        return loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise _wrong(PARSE_ERROR, "The body is no text in UTF-8.", _NO_JSON) from None
    except InvalidInput as error:
        why = f"The body cannot be read: {error.message[:_LONGEST]}."
        raise _wrong(PARSE_ERROR, why, _NO_JSON) from None


def checked(found: object) -> dict[str, Any]:
    """Return a value that is a message, or refuse it."""
    if isinstance(found, list):
        raise _wrong(INVALID_REQUEST, _NO_BATCH, _ONE_EACH)
    if not isinstance(found, dict) or not _is_message(found):
        sentence = "The body is no message of JSON-RPC 2.0."
        raise _wrong(INVALID_REQUEST, sentence, _NO_MESSAGE, found)
    return found


def _is_message(found: dict[str, Any]) -> bool:
    """Whether the SDK takes it; an id that is none makes no notification of a request."""
    try:
        jsonrpc_message_adapter.validate_python(found, by_name=False)
    except ValidationError:
        return False
    return not ("id" in found and "method" in found and _id_of(found) is None)


def _wrong(code: int, sentence: str, hint: str, message: object = None) -> Refusal:
    return Refusal(Shown(400, code, "Bad request", "invalid_message", sentence, hint), message)


def _id_of(message: object) -> str | int | None:
    found = message.get("id") if isinstance(message, Mapping) else None
    is_id = isinstance(found, str | int) and not isinstance(found, bool)
    return found if is_id else None
