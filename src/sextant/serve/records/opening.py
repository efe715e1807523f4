"""The place that the settings choose for keys, jobs and replies, held open. Knows no engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sextant import build
from sextant.serve.records.folder import server_folder
from sextant.server_ports import ServerRecords
from sextant.settings import Settings


@asynccontextmanager
async def server_records(settings: Settings) -> AsyncIterator[ServerRecords]:
    """Open the server's records until the block ends."""
    records = await build.open_server_records(settings, server_folder(settings))
    try:
        yield records
    finally:
        await records.close()
