"""Reading in a process apart, which may hang, crash or eat memory without harm to this one."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import signal
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sextant.errors import BrokenFile, SextantError, TooMuch
from sextant.ingest.read.worker import LENGTH
from sextant.ingest.values import Reading

_WORKER = "sextant.ingest.read.worker"
_SAFE_MODULES = frozenset({"sextant.ingest.values", "sextant.types", "sextant.errors", "datetime"})
_BUFFER = 1 << 20
_OUT_OF_TIME = frozenset({-getattr(signal, "SIGXCPU", 24), -getattr(signal, "SIGALRM", 14)})


@dataclass(frozen=True, slots=True)
class IsolationLimits:
    """What one file may cost. Seconds are of the clock; memory and answers are in bytes."""

    seconds: int = 60
    memory: int = 2 << 30
    answer: int = 512 << 20
    files: int = 500
    workers: int = 2


class Isolation:
    """Keeps workers ready; one that misbehaves is killed, and only its file is lost."""

    def __init__(self, limits: IsolationLimits | None = None) -> None:
        self._limits = limits or IsolationLimits()
        self._slots = asyncio.Semaphore(self._limits.workers)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()

    async def read(
        self, path: str, data: bytes, media_type: str = "", modified: datetime | None = None
    ) -> list[Reading]:
        """Return the documents of one item, or raise why it cannot be read."""
        job = pickle.dumps((path, data, media_type, modified))
        async with self._slots:
            try:
                return _documents(await self._ask(job, fresh=False))
            except _Died as death:
                if not death.used:
                    raise death.reason from None
            # It may have been what came before that this worker died of.
            try:
                return _documents(await self._ask(job, fresh=True))
            except _Died as death:
                raise death.reason from None

    async def close(self) -> None:
        """End all workers; none is left behind."""
        for worker in list(self._all):
            worker.keep = False
            await self._put_back(worker)
        self._idle.clear()

    async def _ask(self, job: bytes, fresh: bool) -> bytes:
        worker = self._idle.pop() if self._idle and not fresh else await self._start()
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await worker.ask(job, self._limits.answer)
            worker.keep = worker.served < self._limits.files
        except TimeoutError:
            raise self._too_slow() from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise _Died(await self._reason(worker), worker.served > 0) from None
        else:
            return answer
        finally:
            await self._put_back(worker)

    async def _start(self) -> _Worker:
        limits = self._limits
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the folder one stands in may hold anything, also modules
            "-m",
            _WORKER,
            *map(str, (limits.seconds, limits.memory, os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_BUFFER,
        )
        worker = _Worker(process)
        self._all.add(worker)
        return worker

    async def _put_back(self, worker: _Worker) -> None:
        if worker.keep:
            worker.keep = False
            self._idle.append(worker)
        else:
            self._all.discard(worker)
            await worker.end()

    async def _reason(self, worker: _Worker) -> SextantError:
        code = await worker.end()
        if code in _OUT_OF_TIME:
            return self._too_slow()
        return BrokenFile(
            "Its parser crashed or ran out of memory.", "Open and save it again, or split it."
        )

    def _too_slow(self) -> TooMuch:
        return TooMuch(f"Reading it takes longer than {self._limits.seconds} s.", "Split it.")


class _Died(Exception):
    """A worker is gone; used tells whether it had read other files before."""

    def __init__(self, reason: SextantError, used: bool) -> None:
        super().__init__()
        self.reason = reason
        self.used = used


class _Worker:
    """A process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.served = 0
        self.keep = False

    async def ask(self, job: bytes, most: int) -> bytes:
        """Send a job and return the answer to it."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:  # pragma: no cover - they are pipes
            raise ConnectionError
        stdin.write(len(job).to_bytes(LENGTH))
        stdin.write(job)
        await stdin.drain()
        size = int.from_bytes(await stdout.readexactly(LENGTH))
        if size > most:
            raise TooMuch("What it holds is too much to take over.", "Split it.")
        answer = await stdout.readexactly(size)
        self.served += 1
        return answer

    async def end(self) -> int:
        """Make sure that the process is gone, and return how it went."""
        if self._process.returncode is None:
            if self._process.stdout is not None and self._process.stdout.at_eof():
                await _reaped(self._process)
            if self._process.returncode is None:
                self._process.kill()
        return await self._process.wait()


async def _reaped(process: asyncio.subprocess.Process) -> None:
    """Wait a moment for a process that closed its output to be seen dead."""
    try:
        async with asyncio.timeout(5):
            await process.wait()
    except TimeoutError:
        return


def _documents(answer: bytes) -> list[Reading]:
    try:
        value = _Narrow(io.BytesIO(answer)).load()
    except Exception:
        value = None
    if isinstance(value, SextantError):
        raise value
    if not isinstance(value, list):
        raise BrokenFile("Its parser gave no answer.", "Open and save it again.")
    return value


class _Narrow(pickle.Unpickler):
    """Takes values and nothing else from a process that a hostile file may have taken over."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "frozenset"):
            return frozenset
        if module in _SAFE_MODULES and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a value.")
