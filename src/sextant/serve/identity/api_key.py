"""The mode ``api-key``: whoever has a key that still works is its caller. Knows no engine."""

from __future__ import annotations

import asyncio
import logging
import time

from sextant.errors import SextantError, Unauthenticated
from sextant.serve.caller import Caller
from sextant.serve.identity.keys import Keys, caller_of
from sextant.serve.identity.refusals import no_token, wrong_token
from sextant.server_ports import ServerRecords

_NOTE_EACH_S = 60.0
_log = logging.getLogger(__name__)


class ApiKeys:
    """Looks each key up anew: one that was revoked, here or by another process, ends at once."""

    def __init__(self, keys: Keys, records: ServerRecords) -> None:
        self._keys, self._records = keys, records
        self._noted = dict[str, float]()
        self._notes = set[asyncio.Task[None]]()

    async def caller(self, token: str | None) -> Caller:
        """Return whose key this is."""
        if not token:
            raise no_token()
        key = await self._keys.found(token)
        if key is None:
            raise wrong_token()
        now = time.time()
        state = key.state(now)
        if state != "active":
            raise Unauthenticated(f"The key is {state}.", "Ask for a new one: sextant keys create.")
        self._note(key.id, now)
        return caller_of(key)

    async def close(self) -> None:
        """Write down what is to be, and let go of the keys."""
        await asyncio.gather(*self._notes)
        await self._records.close()

    def _note(self, key_id: str, now: float) -> None:
        if now - self._noted.get(key_id, 0.0) < _NOTE_EACH_S:
            return
        self._noted[key_id] = now
        task = asyncio.create_task(self._note_use(key_id, now))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _note_use(self, key_id: str, now: float) -> None:
        try:
            await self._keys.note_use(key_id, now)
        except SextantError as error:
            _log.warning("When a key was used last is not written down: %s", error.message)
