"""A guardrail behind HTTP, as CopilotKit's cloud has it: one POST, and yes or no with a reason."""

from __future__ import annotations

import asyncio
import json
from time import monotonic
from typing import Any

import httpx2

from sextant.errors import PeerError, PeerRefused, PeerUnreachable
from sextant.links.client import bounded_client, checked_address, host_of
from sextant.ports import Embedder
from sextant.prompting.calls.breaker import Breaker
from sextant.prompting.secrets.redact import remember
from sextant.settings import GUARDRAILS_KEY_VARIABLE, Settings, read_secret_variable
from sextant.spans import Kind, outward, span
from sextant.types import GuardedInput, GuardVerdict

_PATH = "/guardrails/validate"
_KEY_HEADER = "X-CopilotCloud-Public-API-Key"
_FORM = "Write https://host, the part of the address before /guardrails/validate."
_LARGEST = 64 * 1024
"""Bytes of an answer, which is one word and a sentence."""
_CHECK = "Check its address, and whether it runs."
_BUSY = (httpx2.codes.REQUEST_TIMEOUT, httpx2.codes.TOO_MANY_REQUESTS)
_VERDICTS = {"allowed": True, "denied": False}


class CloudGuardrail:
    """Asks one address, with the key of this server, or else with that of the client."""

    def __init__(self, address: str, settings: Settings) -> None:
        base = checked_address(address, _FORM, "The guardrail's address").rstrip("/")
        self.name = host_of(base)
        self._address = f"{base}{_PATH}"
        self._seconds = settings.guardrails.seconds
        self._key = read_secret_variable(GUARDRAILS_KEY_VARIABLE)
        if self._key:
            remember(self._key)
        self._client = bounded_client(settings.model, _LARGEST)
        self._breaker = Breaker(f"The guardrail at {self.name}", left_alone=_left_alone)

    async def check(self, asked: GuardedInput) -> GuardVerdict:
        """Say whether it may be answered."""
        self._breaker.enter(monotonic())
        told = {"http.request.method": "POST", "server.address": self.name}
        with span("POST", told, Kind.CLIENT) as call:
            try:
                answer = await self._answer(asked)
                call.note({"http.response.status_code": answer.status_code})
                verdict = self._verdict_of(answer)
            except PeerUnreachable:
                self._breaker.failed(monotonic())
                raise
        self._breaker.answered()
        return verdict

    async def close(self) -> None:
        """Let go of the connection."""
        await self._client.aclose()

    async def _answer(self, asked: GuardedInput) -> httpx2.Response:
        headers = {**outward(), _KEY_HEADER: self._key or asked.client_key}
        try:
            async with asyncio.timeout(self._seconds):
                return await self._client.post(self._address, json=_body(asked), headers=headers)
        except (TimeoutError, httpx2.TimeoutException):
            raise self._unreachable("did not answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError):
            raise self._unreachable("cannot be reached, or broke off") from None

    def _verdict_of(self, answer: httpx2.Response) -> GuardVerdict:
        status = answer.status_code
        if status >= httpx2.codes.INTERNAL_SERVER_ERROR or status in _BUSY:
            raise self._unreachable(f"answered with status {status}")
        if status != httpx2.codes.OK:
            # No outage: whoever could send a key that is refused could else switch it off.
            raise PeerRefused(
                f"The guardrail at {self.name} refuses to check ({status}).",
                f"Set {GUARDRAILS_KEY_VARIABLE} to a key for it.",
            )
        told = _parsed(answer.content)
        is_allowed = _VERDICTS.get(str(told.get("status")))
        if is_allowed is None:
            raise PeerError(f"The guardrail at {self.name} says neither yes nor no.", _CHECK)
        return GuardVerdict(is_allowed, str(told.get("reason") or ""))

    def _unreachable(self, what: str) -> PeerUnreachable:
        return PeerUnreachable(f"The guardrail at {self.name} {what}.", _CHECK)


def open_guardrail(rest: str, settings: Settings, _: Embedder) -> CloudGuardrail:
    """Open the guardrail at http:REST."""
    return CloudGuardrail(f"http:{rest}", settings)


def open_secure_guardrail(rest: str, settings: Settings, _: Embedder) -> CloudGuardrail:
    """Open the guardrail at https:REST."""
    return CloudGuardrail(f"https:{rest}", settings)


def _left_alone(sentence: str, wait_s: float) -> PeerUnreachable:
    return PeerUnreachable(sentence, "Wait until it is tried again.", wait_s)


def _body(asked: GuardedInput) -> dict[str, Any]:
    return {
        "input": asked.text,
        "validTopics": list(asked.rules.allowed),
        "invalidTopics": list(asked.rules.denied),
        "messages": [{"role": one.speaker.value, "content": one.text} for one in asked.before],
    }


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
