"""Processes that are started, listened to and killed. Knows lines of JSON, not what they mean."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.torture.worker import enter

NURSERY = multiprocessing.get_context("forkserver")
NURSERY.set_forkserver_preload(["tests.torture.worker"])


@contextmanager
def nameless() -> Iterator[None]:
    """Hide which program runs here, or each child would load all of it once more."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


class Child:
    """A worker in a process of its own; it goes on until it is killed."""

    def __init__(self, folder: Path, seed: int, name: str, first: int) -> None:
        self.name = name
        self._heard = bytearray()
        self.pipe, theirs = NURSERY.Pipe(duplex=False)
        arguments = (theirs, folder, seed, name, first)
        self._process = NURSERY.Process(target=enter, args=arguments, daemon=True)
        with nameless():
            self._process.start()
        theirs.close()

    def listen(self) -> bool:
        """Take in what is there; False once there will be no more."""
        block = os.read(self.pipe.fileno(), 65_536)
        self._heard += block
        return bool(block)

    @property
    def acknowledged(self) -> int:
        """How many lines so far say that something is done."""
        return self._heard.count(b'{"done"')

    def said(self) -> list[dict[str, Any]]:
        """Return the whole lines so far; what is not JSON it never meant to say."""
        lines = self._heard.decode(errors="replace").split("\n")[:-1]
        return [json.loads(line) if line.startswith("{") else {"wrong": line} for line in lines]

    def kill(self) -> bool:
        """Kill it and hear it out; return False if it was dead already."""
        self._process.kill()
        while self.listen():
            pass
        self._process.join()
        killed = self._process.exitcode == -9
        self._process.close()
        self.pipe.close()
        return killed


def listen_until(children: Sequence[Child], enough: Callable[[], bool], seconds: float) -> None:
    """Listen to all children until it is enough, they have ended, or the time is over."""
    deadline = time.monotonic() + seconds
    speaking = {child.pipe: child for child in children}
    while speaking and not enough():
        ready = wait(list(speaking), max(0.0, deadline - time.monotonic()))
        if not ready:
            return
        for pipe in ready:
            if not speaking[pipe].listen():  # type: ignore[index]
                del speaking[pipe]  # type: ignore[arg-type]
