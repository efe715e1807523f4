"""Counting calls, and how many of them wait for each other."""

from typing import Any

from azure.core.pipeline.transport import AioHttpTransport


class Tally:
    """Calls, and waves: a call that begins while none is under way begins a new one."""

    def __init__(self) -> None:
        self.calls = 0
        self.waves = 0
        self.under_way = 0
        self.asked: list[str] = []

    def begin(self, what: str) -> None:
        """A call begins."""
        self.calls += 1
        self.waves += self.under_way == 0
        self.under_way += 1
        self.asked.append(f"{self.waves} {what}")

    def end(self) -> None:
        """A call ends."""
        self.under_way -= 1

    def clear(self) -> None:
        """Count from 0."""
        self.calls = self.waves = 0
        self.asked.clear()


class CountingTransport(AioHttpTransport):  # type: ignore[misc]
    """Carries requests, and counts them together with those of other transports."""

    def __init__(self, tally: Tally, **options: Any) -> None:
        super().__init__(**options)
        self._tally = tally

    async def send(self, request: Any, **config: Any) -> Any:
        self._tally.begin(f"{request.method} {request.url} {str(request.body or '')[:300]}")
        try:
            return await super().send(request, **config)
        finally:
            self._tally.end()
