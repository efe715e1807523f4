"""Notifications on their way through the bridge: in order, and none holds up the rest for long."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from mcp_types import JSONRPCNotification

_LOG = logging.getLogger(__name__)
_LIMIT_S = 3.0
_MOST_WAITING = 1_000
_INITIALIZED = "notifications/initialized"

Post = Callable[[JSONRPCNotification], Awaitable[None]]


class Notes:
    """What waits to be posted. A server need not answer it, so nobody waits for an answer."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._add, self._next = anyio.create_memory_object_stream[JSONRPCNotification](
            _MOST_WAITING
        )
        self._is_ready = anyio.Event()
        self._is_ready.set()

    @asynccontextmanager
    async def passed_on(self) -> AsyncIterator[None]:
        """Post while the block lasts; what still waits then has a moment to go out."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._pass_on)
            with self._add:
                yield
            group.cancel_scope.deadline = anyio.current_time() + _LIMIT_S

    def add(self, note: JSONRPCNotification) -> None:
        """Let a notification go out after those before it."""
        try:
            self._add.send_nowait(note)
        except anyio.WouldBlock:
            _LOG.warning("%s was dropped: too many wait before it.", note.method)
            return
        if note.method == _INITIALIZED:
            self._is_ready = anyio.Event()

    async def until_ready(self) -> None:
        """Wait while the server has yet to hear that its client is ready: some refuse until then.

        One that never says that it has heard is asked all the same, a moment later.
        """
        with anyio.move_on_after(_LIMIT_S):
            await self._is_ready.wait()

    async def _pass_on(self) -> None:
        async with self._next:
            async for note in self._next:
                with anyio.move_on_after(_LIMIT_S) as limit:
                    await self._post(note)
                if limit.cancelled_caught:
                    _LOG.warning("The server does not say that it heard %s.", note.method)
                if note.method == _INITIALIZED:
                    self._is_ready.set()
