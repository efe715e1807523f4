"""What a person sees while an answer comes about: what is being done, then the text so far.

Only the latest of each is sent, and never more often than the channel takes. Where the channel
takes no stream after all, the answer is sent as a message. Knows no question.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from aiohttp import ClientError, ClientResponseError
from microsoft_agents.activity import Activity, ActivityTypes, DeliveryModes, StreamInfo
from microsoft_agents.hosting.core import TurnContext

from sextant.serve.m365.channel.delivery import BUSY, deliver, send_once
from sextant.serve.m365.senders import TEAMS, channel_of

_PAUSES = {TEAMS: 1.0, "webchat": 0.25, "directline": 0.25}
"""Seconds between two updates. Teams takes one call a second of a stream; the others are asked as
often as a reader sees a difference."""
_FIRST_WAIT_S = 0.04
"""How long the first update waits for names; a person takes 0.1 seconds for at once."""
_PERSONAL = "personal"
_FORBIDDEN = 403
_STOPPED = "contentstreamnotallowed"
_log = logging.getLogger(__name__)


def is_streamed(activity: Activity) -> bool:
    """Whether the channel shows an answer as it comes about; Teams does so between two only."""
    channel = channel_of(activity)
    if activity.delivery_mode not in (None, DeliveryModes.normal) or channel not in _PAUSES:
        return False
    is_personal = activity.conversation.conversation_type in (None, _PERSONAL)
    return channel != TEAMS or (is_personal and not activity.conversation.is_group)


class Stream:
    """The updates of one answer; a task sends them."""

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self._pause = _PAUSES.get(channel_of(context.activity), 0.0)
        self._is_open = is_streamed(context.activity)
        self._was_stopped = self._has_names = False
        self._ending, self._has_news = asyncio.Event(), asyncio.Event()
        self._newest: tuple[str, str] = ("", "")
        self._sequence = 0
        self._id = ""
        self._sent_at = float("-inf")
        self._sender: asyncio.Task[None] | None = None

    def show_status(self, text: str) -> None:
        """Say what is being done, unless there is still to be said whom it is about."""
        if not self._has_names:
            self._show(text[:1].upper() + text[1:], "informative")

    def show_names(self, text: str) -> None:
        """Say whom the question is about; a person is told so first, where that is known soon."""
        self.show_status(text)
        self._has_names = True
        self._has_news.set()

    def show_text(self, text: str) -> None:
        """Show the text so far."""
        self._show(text, "streaming")
        self._has_news.set()

    async def finish(self, messages: Sequence[Activity]) -> list[str]:
        """Send the answer, its first message as the end of the stream; return their ids.

        Nothing is sent to a person who stopped it.
        """
        await self._end_updates()
        if self._was_stopped:
            return []
        first, *others = messages
        return [await self._send_last(first), *[await deliver(self._context, o) for o in others]]

    async def break_off(self) -> None:
        """Send nothing more."""
        self._is_open = False
        await self._end_updates()

    def _show(self, text: str, kind: str) -> None:
        if not self._is_open or not text.strip():
            return
        self._newest = (text, kind)
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_updates())

    async def _send_updates(self) -> None:
        """Send what is newest until there is nothing new."""
        try:
            await self._wait_for_news()
            while self._newest[0] and await self._may_send():
                (text, kind), self._newest = self._newest, ("", "")
                self._has_names = False
                self._sequence += 1
                info = StreamInfo(stream_type=kind, stream_sequence=self._sequence)
                await self._send_in_stream(Activity(type=ActivityTypes.typing, text=text), info)
        except ClientResponseError as error:
            self._hear_refusal(error)
        except (ClientError, TimeoutError) as error:
            _log.warning("An update did not reach its channel: %s.", type(error).__name__)
        finally:
            self._sender = None

    def _hear_refusal(self, error: ClientResponseError) -> None:
        """Take a busy channel as it is; any other refusal ends the stream."""
        _log.warning("A channel refuses an update with status %s.", error.status)
        if error.status not in BUSY:
            self._is_open = False
            self._was_stopped = error.status == _FORBIDDEN and _is_stop(error)

    async def _wait_for_news(self) -> None:
        """Wait a moment before the first update, which is all that a quick answer has time for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._sequence else _FIRST_WAIT_S):
                await self._has_news.wait()

    async def _may_send(self) -> bool:
        """Wait until the channel takes another update; False if the stream ends before."""
        try:
            async with asyncio.timeout(max(0.0, self._left())):
                await self._ending.wait()
        except TimeoutError:
            return self._is_open
        return False

    async def _end_updates(self) -> None:
        self._ending.set()
        self._has_news.set()
        if self._sender:
            await asyncio.gather(self._sender, return_exceptions=True)

    async def _send_last(self, message: Activity) -> str:
        """Send a message as the end of the stream; where there is none, as what it is."""
        if not (self._is_open and self._id):
            return await deliver(self._context, message)
        await asyncio.sleep(max(0.0, self._left()))
        try:
            return await self._send_in_stream(message, StreamInfo(stream_type="final"))
        except (ClientError, TimeoutError) as error:
            _log.warning("A stream could not be ended: %s.", type(error).__name__)
            return await deliver(self._context, message)

    async def _send_in_stream(self, activity: Activity, info: StreamInfo) -> str:
        if self._id:
            info.stream_id = self._id
        told = activity.model_copy(update={"entities": [*(activity.entities or ()), info]})
        sent_id = await send_once(self._context, told)
        self._sent_at = asyncio.get_running_loop().time()
        self._id = self._id or sent_id
        return sent_id or self._id

    def _left(self) -> float:
        return self._sent_at + self._pause - asyncio.get_running_loop().time()


def _is_stop(error: ClientResponseError) -> bool:
    """Whether the person pressed stop; a stream that lasted too long is refused alike."""
    return _STOPPED in error.message.lower() and "time" not in error.message.lower()
