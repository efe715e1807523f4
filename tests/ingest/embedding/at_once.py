"""Processes that embed one store and write down each text; they can be killed as they do so."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sextant.build import open_sextant
from sextant.llms.tiny import Tiny
from tests.ingest.folders import SCOPE, settings_at
from tests.torture.children import NURSERY, nameless


class Logging(Tiny):
    """Embeds as Tiny does, and tells whoever holds the other end of each text."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__(16)
        self._pipe = pipe

    async def embed_pieces(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[NDArray[np.float32], Sequence[NDArray[np.int8]]]:
        for text in texts:
            self._pipe.send(text)
        return await super().embed_pieces(texts, spans)


class Embedding:
    """A process that embeds what waits in the store of a home."""

    def __init__(self, home: Path) -> None:
        self._pipe, theirs = NURSERY.Pipe()
        self._process: ForkServerProcess = NURSERY.Process(
            target=_enter, args=(theirs, home), daemon=True
        )
        with nameless():
            self._process.start()
        theirs.close()
        assert self._pipe.recv() == "ready"

    def begin(self) -> None:
        """Let it go on."""
        self._pipe.send("go")

    def texts(self, most: int = -1) -> list[str]:
        """Return what it embeds until its end, or so many texts, after which it is killed."""
        heard: list[str] = []
        try:
            while len(heard) != most:
                heard.append(self._pipe.recv())
            self._process.kill()
        except EOFError:
            pass
        self._process.join()
        return heard


def _enter(pipe: Connection, home: Path) -> None:
    async def run() -> None:
        async with await open_sextant(settings_at(home / "store")) as opened:
            sextant = replace(opened, embedder=Logging(pipe))
            pipe.send("ready")
            pipe.recv()
            await sextant.embed_waiting(SCOPE)

    asyncio.run(run())
    pipe.close()
