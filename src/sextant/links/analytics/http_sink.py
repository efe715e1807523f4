"""Analytics behind HTTP: batches of events as JSON, each in one POST."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2

from sextant.errors import PeerRefused, PeerUnreachable
from sextant.links.client import bounded_client, checked_address, host_of
from sextant.prompting.secrets.redact import remember
from sextant.settings import ANALYTICS_KEY_VARIABLE, Settings, read_secret_variable
from sextant.types import Json, UsageEvent

_KEY_HEADER = "X-CopilotCloud-Public-API-Key"
_LARGEST = 64 * 1024
"""Bytes of an answer, of which only the status is read."""
_BUSY = (httpx2.codes.REQUEST_TIMEOUT, httpx2.codes.TOO_MANY_REQUESTS)
_CHECK = "Check analytics.endpoint, and whether it runs."


class HttpAnalytics:
    """Posts events to one address, with the key of this server if there is one."""

    def __init__(self, settings: Settings) -> None:
        rules = settings.analytics
        self._address = checked_address(
            rules.endpoint, "Write https://host/path.", "The address of analytics"
        )
        self.name = host_of(self._address)
        self._seconds = rules.seconds
        key = read_secret_variable(ANALYTICS_KEY_VARIABLE)
        if key:
            remember(key)
        headers = {_KEY_HEADER: key} if key else {}
        self._client = bounded_client(settings.model, _LARGEST, headers)

    async def send(self, events: Sequence[UsageEvent]) -> None:
        """Send events in one call, or raise why they are not taken."""
        body = {"events": [_as_json(one) for one in events]}
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._client.post(self._address, json=body)
        except (TimeoutError, httpx2.TimeoutException):
            raise self._unreachable("did not answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError):
            raise self._unreachable("cannot be reached, or broke off") from None
        status = answer.status_code
        if status >= httpx2.codes.INTERNAL_SERVER_ERROR or status in _BUSY:
            raise self._unreachable(f"answered with status {status}")
        if not answer.is_success:
            raise PeerRefused(
                f"The analytics at {self.name} refuse the events ({status}).",
                f"Set {ANALYTICS_KEY_VARIABLE} to a key for it.",
            )

    async def close(self) -> None:
        """Let go of the connection."""
        await self._client.aclose()

    def _unreachable(self, what: str) -> PeerUnreachable:
        return PeerUnreachable(f"The analytics at {self.name} {what}.", _CHECK)


def open_analytics(settings: Settings) -> HttpAnalytics:
    """Open the analytics at the address of the settings."""
    return HttpAnalytics(settings)


def _as_json(event: UsageEvent) -> dict[str, Json]:
    """Return an event under the names that its readers know; an error has its code."""
    run = event.run
    told: dict[str, Json] = {
        "event": "error" if run.code else "usage",
        "at": event.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "kind": run.kind,
        "outcome": run.outcome,
        "seconds": round(run.seconds, 3),
        "messages": run.messages,
        "actions": run.actions,
        "tokensRead": run.usage.read,
        "tokensWritten": run.usage.written,
    }
    if run.first_text_seconds is not None:
        told["firstTextSeconds"] = round(run.first_text_seconds, 3)
    return told | ({"code": run.code} if run.code else {})
