"""A message to its channel: sent again where the channel is only busy, else a typed error."""

from __future__ import annotations

import asyncio

from aiohttp import ClientError, ClientResponseError
from microsoft_agents.activity import Activity, InputHints
from microsoft_agents.hosting.core import TurnContext
from pydantic import ValidationError

from sextant.errors import PeerRefused, PeerUnreachable

BUSY = frozenset({412, 429, 502, 503, 504})
"""Statuses after which Teams asks a bot to try again."""
_TRIES = 3
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 5.0
"""Waits double; a person has given up before a longer one ends."""


async def deliver(context: TurnContext, message: Activity) -> str:
    """Send a message, and return the id that its channel gave it."""
    left = _TRIES
    while True:
        left -= 1
        try:
            return await send_once(context, message)
        except ClientResponseError as error:
            if error.status not in BUSY or not left:
                raise PeerRefused(
                    f"The channel refuses a reply with status {error.status}.",
                    "Check the bot's registration, and whether it may write there.",
                ) from None
            await asyncio.sleep(_wait_of(error, left))
        except (ClientError, TimeoutError) as error:
            raise PeerUnreachable(
                f"A reply did not reach its channel ({type(error).__name__}).",
                "Check the network, and m365.send_seconds.",
            ) from None


async def send_once(context: TurnContext, activity: Activity) -> str:
    """Send an activity, and return its id; none where the channel took it and names no id.

    The adapter is asked and not the context, which would copy all of it first.
    """
    reference = context.activity.get_conversation_reference()
    told = TurnContext.apply_conversation_reference(activity, reference)
    told.input_hint = told.input_hint or InputHints.accepting_input
    try:
        [sent] = await context.adapter.send_activities(context, [told])
    except ValidationError:
        return ""
    return sent.id or ""


def _wait_of(error: ClientResponseError, left: int) -> float:
    named = error.headers.get("Retry-After", "") if error.headers else ""
    wait = float(named) if named.isdecimal() else _FIRST_WAIT_S * 2 ** (_TRIES - 1 - left)
    return min(wait, _LONGEST_WAIT_S)
