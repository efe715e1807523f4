"""The mode ``api-key``: whoever has a key that still works is its caller. Knows no file."""

from __future__ import annotations

import asyncio
import logging
import time

from sextant.errors import SextantError, Unauthenticated
from sextant.serve.caller import Caller
from sextant.serve.identity.keys import Keys
from sextant.serve.identity.refusals import no_token, wrong_token

_NOTE_EACH_S = 60.0
_log = logging.getLogger(__name__)


class ApiKeys:
    """Looks each key up anew: one that was revoked, here or by another process, ends at once."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._noted = dict[str, float]()
        self._notes = set[asyncio.Task[None]]()

    async def caller(self, token: str | None) -> Caller:
        """Return whose key this is."""
        if not token:
            raise no_token()
        # One row by its id, from memory: handing it to a thread takes longer than reading it.
        key = self._keys.found(token)
        if key is None:
            raise wrong_token()
        now = time.time()
        state = key.state(now)
        if state != "active":
            raise Unauthenticated(f"The key is {state}.", "Ask for a new one: sextant keys create.")
        self._note(key.id, now)
        return key.caller

    async def close(self) -> None:
        """Write down what is to be, and let go of the file."""
        await asyncio.gather(*self._notes)
        self._keys.close()

    def _note(self, key_id: str, now: float) -> None:
        if now - self._noted.get(key_id, 0.0) < _NOTE_EACH_S:
            return
        self._noted[key_id] = now
        task = asyncio.create_task(asyncio.to_thread(self._note_use, key_id, now))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    def _note_use(self, key_id: str, now: float) -> None:
        try:
            self._keys.note_use(key_id, now)
        except SextantError as error:
            _log.warning("When a key was used last is not written down: %s", error.message)
