"""What a door is to these tests: something that replies to calls, whatever it speaks."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tests.doors.calls import Ask, Call, Expand, LookUp, Search
from tests.doors.shapes import Answered, Around, Found, Known, Refused, Reply

OTHERS = 5
"""How many others a name may mean, beside the first."""
NOBODY = Refused("Nobody is called so.")
"""What a door's own way of finding nobody counts as."""


class No(Exception):
    """A door refuses, in these words."""


class Door(ABC):
    """A way in."""

    async def reply(self, call: Call) -> Reply:
        """Return what comes of a call."""
        try:
            match call:
                case Ask():
                    return await self.ask(call)
                case Search():
                    return await self.search(call)
                case LookUp():
                    return await self.look_up(call)
                case Expand():
                    return await self.expand(call)
        except No as no:
            return Refused(str(no))

    @abstractmethod
    async def ask(self, call: Ask) -> Answered:
        """Answer a question, after those that come before it."""

    @abstractmethod
    async def search(self, call: Search) -> Found:
        """Rank passages."""

    @abstractmethod
    async def look_up(self, call: LookUp) -> Known | Refused:
        """Tell what is known of somebody."""

    @abstractmethod
    async def expand(self, call: Expand) -> Around:
        """Follow relations."""
