"""A server in a process of its own, which is killed from outside at any moment."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

from sextant.serve.running import running
from sextant.settings import IngestSettings, ServeSettings, Settings
from tests.torture.children import NURSERY, nameless

NURSERY.set_forkserver_preload(["tests.torture.worker", "tests.serve.jobs.killing"])
TOKEN = "token-for-kills-0123456789"
_LONG = 60.0


class Life:
    """A server from its start to its end."""

    def __init__(self, home: Path) -> None:
        self._url = ""
        self._pipe, theirs = NURSERY.Pipe(duplex=False)
        self._process = NURSERY.Process(target=_live, args=(theirs, home), daemon=True)
        with nameless():
            self._process.start()
        theirs.close()

    def url(self) -> str:
        """Wait until it listens, and return where."""
        if not self._url:
            assert self._pipe.poll(_LONG)
            self._url = self._pipe.recv()
        return self._url

    def kill(self) -> None:
        """End it as no program can expect."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()


def settings_in(home: Path) -> Settings:
    return Settings(
        store=f"sqlite:{home}/s",
        embedder="tiny:",
        ingest=IngestSettings(chunk_characters=200),
        serve=ServeSettings(port=0, jobs=3, requests_per_minute=100_000, audit=False),
    )


def _live(pipe: Connection, home: Path) -> None:
    asyncio.run(_serve(pipe, home))


async def _serve(pipe: Connection, home: Path) -> None:
    async with running(settings_in(home), TOKEN) as server:
        pipe.send(server.url)
        await asyncio.Event().wait()
