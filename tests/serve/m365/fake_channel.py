"""The service of a channel on a port of its own: it takes replies, or does what it is told to.

It stands for Microsoft's Bot Connector: it gives every message an id, and remembers what came.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import Answer, Request, answering

Told = dict[str, Any]


@dataclass
class Channel:
    """What was sent to a channel, and how it answers the next ones."""

    url: str = ""
    told: list[Told] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    """How the next calls are answered; then each is taken."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, request: Request) -> Answer:
        """Take a reply."""
        with self.changed:
            self.paths.append(request.path)
            self.authorizations.append(request.headers.get("authorization", ""))
            own = self.answers.pop(0) if self.answers else None
            if own is None:
                self.told.append(json.loads(request.body))
                body = json.dumps({"id": f"reply-{len(self.told)}"}).encode()
                own = Answer(201, body, {"content-type": "application/json"})
            self.changed.notify_all()
            return own

    @property
    def messages(self) -> list[Told]:
        """The messages among what was sent."""
        return [one for one in self.told if one["type"] == "message"]

    @property
    def updates(self) -> list[Told]:
        """What was shown before a message."""
        return [one for one in self.told if one["type"] == "typing"]

    async def wait_for_messages(self, count: int = 1) -> list[Told]:
        """Return the messages, once there are so many."""
        return await asyncio.to_thread(self._wait, lambda: len(self.messages) >= count)

    async def wait_for_calls(self, count: int) -> list[Told]:
        """Return the messages, once so many calls came."""
        return await asyncio.to_thread(self._wait, lambda: len(self.paths) >= count)

    def _wait(self, is_there: Any) -> list[Told]:
        with self.changed:
            assert self.changed.wait_for(is_there, 30), f"only {self.told} came"
            return self.messages


@contextmanager
def open_channel() -> Iterator[Channel]:
    """Run the service of a channel until the block ends."""
    channel = Channel()
    with answering(channel.take) as channel.url:
        yield channel
