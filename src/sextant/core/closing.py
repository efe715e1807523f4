"""What is open until a block ends. Knows nothing of what is held open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Closes itself when the block that uses it ends, whatever happened there."""

    __slots__ = ()

    @abstractmethod
    async def close(self) -> None:
        """Let go of all that is open."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
