"""How the server listens: uvicorn with limits, without noise, and with an end in good order."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from sextant.errors import ConfigError
from sextant.serve.guards.headers.request_head import BYTES
from sextant.serve.guards.limits.streams import Streams
from sextant.serve.http.connection import ConnectionLimits, limited
from sextant.settings import ServeSettings

_IDLE_S = 60
_GRACE_S = 5
"""What is under way gets so long; jobs, stores and threads then have 3 s until a forced end."""
_BACKLOG = 2_048
_OTHER_FILES = 512
_LEAST_SHARE = 4
"""Where few files may be open, connections get a quarter: open tenants take half of them."""


class Server(uvicorn.Server):
    """A server that says when it is ready, and tells streams before it ends."""

    def __init__(self, config: uvicorn.Config, streams: Streams) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._streams = streams

    def connections(self) -> int:
        """Return how many connections are open."""
        return len(self.server_state.connections)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever runs this."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nobody new; end streams, those that are being written only after a while."""
        await self._streams.end()
        writing = asyncio.create_task(self._end_all())
        try:
            await super().shutdown(sockets)
        finally:
            writing.cancel()

    async def _end_all(self) -> None:
        await asyncio.sleep(_GRACE_S)
        await self._streams.end(all_of_them=True)


@asynccontextmanager
async def listening(
    app: ASGIApp, streams: Streams, settings: ServeSettings, listener: socket.socket
) -> AsyncIterator[Server]:
    """Answer what comes to a socket until the block ends."""
    server = Server(_config(app, settings), streams)
    serving = asyncio.create_task(server.serve([listener]))
    try:
        await server.ready.wait()
        yield server
    finally:
        server.should_exit = True
        await serving


def bound(settings: ServeSettings) -> socket.socket:
    """Return a socket that listens where the settings say."""
    host, port = settings.host.strip("[]"), settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small pieces at once only where the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(
            f"{host}:{port} cannot be listened on: {getattr(error, 'strerror', error)}.",
            "Choose another --port or --host; 0 is any free port.",
        ) from None
    return listener


def _config(app: ASGIApp, settings: ServeSettings) -> uvicorn.Config:
    limits = ConnectionLimits(
        min(settings.connections, _connections_of(_files())),
        settings.header_seconds,
        settings.body_seconds,
    )
    return uvicorn.Config(
        app,
        http=limited(limits),
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_GRACE_S + 1,
        h11_max_incomplete_event_size=BYTES,
    )


def _connections_of(files: int) -> int:
    """Return how many of the files that may be open can be connections."""
    return max(files - _OTHER_FILES, files // _LEAST_SHARE)


def _files() -> int:
    """Return how many files may be open, after asking for as many as may be had."""
    try:
        import resource
    except ImportError:
        return 8_192
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard if hard != resource.RLIM_INFINITY else 1_000_000
