"""Reading and shaping in processes apart, which may hang, crash or eat memory without harm to this.

A process is started when there is something to read, kept for what comes next, and killed with the
file that it cannot get done with. Knows no format and no run.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sextant.errors import BrokenFile, SextantError, TooMuch
from sextant.ingest.read.worker import LENGTH, ORDER, SHAPING
from sextant.ingest.shaping.shape import Shaping
from sextant.ingest.shaping.wire import (
    Order,
    Shaped,
    order_to_send,
    received_answer,
    shaping_to_send,
)
from sextant.ingest.threads import in_thread
from sextant.settings import Settings

_WORKER = "sextant.ingest.read.worker"
_BUFFER = 1 << 20
_START_S = 60
"""A machine on which starting takes longer does nothing else either."""
_OUT_OF_TIME = frozenset({-getattr(signal, "SIGXCPU", 24), -getattr(signal, "SIGALRM", 14)})


@dataclass(frozen=True, slots=True)
class IsolationLimits:
    """What one file may cost: seconds of the clock, megabytes of memory, bytes of its answer.

    A process is replaced after so many files; so many are kept while there is nothing to read.
    """

    seconds: int = 60
    megabytes: int = 2_048
    answer: int = 512 << 20
    files: int = 10_000
    idle: int = 2


class Isolation:
    """Keeps workers ready; one that misbehaves is killed, and only its file is lost."""

    def __init__(self, limits: IsolationLimits | None = None) -> None:
        self._limits = limits or IsolationLimits()
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()

    async def read(self, orders: Sequence[Order], shaping: Shaping) -> list[Shaped | SextantError]:
        """Return what each order brought, or why it brought nothing, with one worker at a time."""
        read: list[Shaped | SextantError] = []
        fresh = False
        while len(read) < len(orders):
            try:
                await self._read_on(orders, shaping, read, fresh=fresh)
            except _Ended as end:
                if end.is_certain:
                    read.append(end.reason)
                fresh = not end.is_certain
        return read

    async def close(self) -> None:
        """End all workers; none is left behind."""
        self._idle.clear()
        await asyncio.gather(*(worker.end() for worker in self._all))
        self._all.clear()

    async def _read_on(
        self,
        orders: Sequence[Order],
        shaping: Shaping,
        read: list[Shaped | SextantError],
        *,
        fresh: bool,
    ) -> None:
        """Have a worker go on with what is not read yet, until it is through or ends."""
        worker = await self._worker(fresh=fresh)
        is_whole = False
        try:
            left = orders[len(read) :]
            worker.send(left, shaping)
            for order in left:
                read.append(await self._answer(worker, order, shaping))
                worker.served += 1
            is_whole = True
        except (asyncio.IncompleteReadError, ConnectionError):
            # What a worker died of may be a file before: only with a fresh one it is certain.
            raise _Ended(await self._reason(worker), is_certain=not worker.served) from None
        finally:
            await self._put_back(worker, is_whole=is_whole)

    async def _answer(
        self, worker: _Worker, order: Order, shaping: Shaping
    ) -> Shaped | SextantError:
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await worker.answer(self._limits.answer)
        except TimeoutError:
            raise _Ended(self._too_slow(), is_certain=True) from None
        try:
            if len(answer) < _BUFFER:
                return received_answer(answer, order, shaping)
            return await in_thread(received_answer, answer, order, shaping)
        except SextantError as error:
            return error

    async def _worker(self, *, fresh: bool) -> _Worker:
        while self._idle and not fresh:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            self._all.discard(worker)
        return await self._start()

    async def _start(self) -> _Worker:
        limits = self._limits
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the folder one stands in may hold anything, also modules
            "-m",
            _WORKER,
            *map(str, (limits.seconds, limits.megabytes, os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_BUFFER,
        )
        worker = _Worker(process)
        self._all.add(worker)
        try:
            async with asyncio.timeout(_START_S):
                await worker.answer(0)
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            await self._put_back(worker, is_whole=False)
            raise _Ended(_not_started(), is_certain=True) from None
        except asyncio.CancelledError:
            await self._put_back(worker, is_whole=False)
            raise
        return worker

    async def _put_back(self, worker: _Worker, *, is_whole: bool) -> None:
        limits = self._limits
        if is_whole and worker.served < limits.files and len(self._idle) < limits.idle:
            self._idle.append(worker)
        else:
            self._all.discard(worker)
            await worker.end()

    async def _reason(self, worker: _Worker) -> SextantError:
        if await worker.end() in _OUT_OF_TIME:
            return self._too_slow()
        return BrokenFile(
            f"Its parser crashed, or took more than {self._limits.megabytes:,} MB of memory.",
            "Open and save it again, or split it.",
        )

    def _too_slow(self) -> TooMuch:
        return TooMuch(
            f"Reading it takes longer than {self._limits.seconds} s.",
            "Split it, or raise ingest.read_seconds.",
        )


@asynccontextmanager
async def isolated(settings: Settings) -> AsyncIterator[Isolation]:
    """Hold processes that read, within the limits of the settings, until the block ends."""
    isolation = isolation_of(settings)
    try:
        yield isolation
    finally:
        await isolation.close()


def isolation_of(settings: Settings) -> Isolation:
    """Return who reads within the limits of the settings; nothing is started yet."""
    own = settings.ingest
    limits = IsolationLimits(own.read_seconds, own.read_megabytes, idle=own.readers)
    return Isolation(limits)


class _Ended(Exception):
    """A worker is gone; certain means by the file that it was at, and no other before."""

    def __init__(self, reason: SextantError, *, is_certain: bool = False) -> None:
        super().__init__()
        self.reason, self.is_certain = reason, is_certain


class _Worker:
    """A process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._shaping: Shaping | None = None
        self.served = 0

    @property
    def is_alive(self) -> bool:
        """Whether the process is there, as far as is known."""
        return self._process.returncode is None

    def send(self, orders: Sequence[Order], shaping: Shaping) -> None:
        """Send all orders at once; they wait in memory until the process takes them."""
        stdin = self._process.stdin
        if stdin is None:  # pragma: no cover - it is a pipe
            raise ConnectionError
        if self._shaping is not shaping:
            stdin.writelines(_frame(SHAPING, shaping_to_send(shaping)))
            self._shaping = shaping
        for order in orders:
            stdin.writelines(_frame(ORDER, order_to_send(order)))

    async def answer(self, most: int) -> bytes:
        """Return the next answer."""
        stdout = self._process.stdout
        if stdout is None:  # pragma: no cover - it is a pipe
            raise ConnectionError
        size = int.from_bytes(await stdout.readexactly(LENGTH))
        if size > most:
            reason = TooMuch("What it holds is too much to take over.", "Split it.")
            raise _Ended(reason, is_certain=True)
        return await stdout.readexactly(size)

    async def end(self) -> int:
        """Make sure that the process is gone, and return how it went."""
        if self._process.returncode is None:
            if self._process.stdout is not None and self._process.stdout.at_eof():
                await _reaped(self._process)
            if self._process.returncode is None:
                self._process.kill()
        return await self._process.wait()


def _frame(kind: bytes, data: bytes) -> Iterator[bytes]:
    yield kind + len(data).to_bytes(LENGTH)
    yield data


def _not_started() -> BrokenFile:
    return BrokenFile(
        "The process that was to read it did not start.",
        "See that there is memory left, and raise ingest.read_megabytes if that is low.",
    )


async def _reaped(process: asyncio.subprocess.Process) -> None:
    """Wait a moment for a process that closed its output to be seen dead."""
    try:
        async with asyncio.timeout(5):
            await process.wait()
    except TimeoutError:
        return
