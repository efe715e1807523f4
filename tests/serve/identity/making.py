"""Keys made, listed and revoked from anywhere: with a loop that runs, or with none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sextant.serve.caller import Role
from sextant.serve.identity.keys import Keys as AsyncKeys
from sextant.server_ports import KeyBook
from sextant.stores.server_records.sqlite import open_records
from sextant.types.serving import Key

T = TypeVar("T")


class Keys:
    """The keys in a server's folder, opened for each call as another process would."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(
        self,
        name: str,
        tenant: str,
        roles: Collection[Role],
        personas: Collection[str] = (),
        expires: float = 0.0,
    ) -> tuple[Key, str]:
        return self._do(lambda keys: keys.create(name, tenant, roles, personas, expires))

    def add(self, key: Key) -> None:
        """Let a key in that was made elsewhere."""
        self._do_with_book(lambda book: book.add_key(key))

    def all(self) -> Sequence[Key]:
        return self._do(lambda keys: keys.all())

    def revoke(self, key_id: str) -> Key:
        return self._do(lambda keys: keys.revoke(key_id))

    def found(self, text: str) -> Key | None:
        return self._do(lambda keys: keys.found(text))

    def close(self) -> None:
        """Nothing is open."""

    def _do(self, act: Callable[[AsyncKeys], Awaitable[T]]) -> T:
        return self._do_with_book(lambda book: act(AsyncKeys(book)))

    def _do_with_book(self, act: Callable[[KeyBook], Awaitable[T]]) -> T:
        async def run() -> T:
            records = await open_records("", self._folder)
            try:
                return await act(await records.open_keys())
            finally:
                await records.close()

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, run()).result()
