"""What a door is to these tests: something that replies to calls, whatever it speaks."""

from __future__ import annotations

from typing import Protocol

from tests.doors.calls import Call
from tests.doors.shapes import Refused, Reply

OTHERS = 5
"""How many others a name may mean, beside the first."""
NOBODY = Refused("Nobody is called so.")
"""What a door's own way of finding nobody counts as."""


class Door(Protocol):
    """A way in."""

    async def reply(self, call: Call) -> Reply:
        """Return what comes of a call."""
