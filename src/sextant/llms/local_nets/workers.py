"""Threads that read texts one by one, so that whoever asks little need not wait for much."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from sextant.errors import ConfigError, EmbedderError
from sextant.llms.local_nets.cores import usable_cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Codes = NDArray[np.int8]
    Spans = Sequence[tuple[int, int]]

Opened = TypeVar("Opened")


class Workers:
    """The threads of an embedder: a call takes turns with others after every text."""

    def __init__(self, name: str, threads: int) -> None:
        if threads < 0:
            hint = "Set it to 1 or more, or to 0 for one for each core."
            raise ConfigError(f"{name}.threads is {threads}.", hint)
        self._size = threads or usable_cores()
        self._threads = ThreadPoolExecutor(self._size, thread_name_prefix=name)
        self._waiting = set[object]()
        self._closed = False

    async def each(self, count: int, read: Callable[[int], None]) -> None:
        """Read every text, known by its number."""
        left = deque(range(count))
        try:
            await asyncio.gather(*(self._work(left, read) for _ in range(min(self._size, count))))
        finally:
            # Whoever still works for a call that was cancelled or failed stops after its text.
            left.clear()

    async def vectors(
        self, texts: Sequence[str], width: int, read: Callable[[str], Floats]
    ) -> Floats:
        """Return a row for each text."""
        vectors = np.empty((len(texts), width), np.float32)

        def fill(row: int) -> None:
            vectors[row] = read(texts[row])

        await self.each(len(texts), fill)
        return vectors

    async def vectors_and_codes(
        self,
        texts: Sequence[str],
        spans: Sequence[Spans],
        width: int,
        read: Callable[[str, Spans], tuple[Floats, Codes]],
    ) -> tuple[Floats, Sequence[Codes]]:
        """Return a row for each text, and one in bytes for each of its spans."""
        vectors = np.empty((len(texts), width), np.float32)
        codes = [np.empty((0, width), np.int8)] * len(texts)

        def fill(row: int) -> None:
            vectors[row], codes[row] = read(texts[row], spans[row])

        await self.each(len(texts), fill)
        return vectors, codes

    def check_open(self) -> None:
        """Refuse whoever asks after the end."""
        if self._closed:
            raise EmbedderError("The embedder was closed.", "Open a new one.")

    async def close(self) -> None:
        """Stop, once the texts in work are done."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)

    async def _work(self, left: deque[int], read: Callable[[int], None]) -> None:
        loop = asyncio.get_running_loop()
        while left:
            self.check_open()
            turn = object()
            self._waiting.add(turn)
            try:
                await loop.run_in_executor(self._threads, self._take, turn, left, read)
            finally:
                self._waiting.discard(turn)

    def _take(self, turn: object, left: deque[int], read: Callable[[int], None]) -> None:
        """Read until nothing is left or another call waits, so that a query overtakes a batch."""
        self._waiting.discard(turn)
        self.check_open()
        while self._read_next(left, read) and not self._waiting:
            self.check_open()

    def _read_next(self, left: deque[int], read: Callable[[int], None]) -> bool:
        try:
            number = left.popleft()
        except IndexError:
            return False
        read(number)
        return True


class Lazily(Generic[Opened]):
    """What is opened when it is first needed, by whichever thread."""

    def __init__(self, open_it: Callable[[], Opened]) -> None:
        self._open_it, self._opening = open_it, Lock()
        self._opened: Opened | None = None

    def get(self) -> Opened:
        """Return it, opened."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open_it()
            return self._opened

    def let_go(self) -> None:
        """Forget it."""
        self._opened = None
