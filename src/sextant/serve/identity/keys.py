"""Keys for programs: only a digest is kept, with what each key allows. Knows no token.

A key looks like ``sxt_<id>_<secret>``, so that one which leaked can be found by its looks.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Collection, Sequence

from sextant.errors import InvalidInput, NotFound
from sextant.limits import check_name
from sextant.serve.caller import Caller, Role
from sextant.serve.identity.grants import personas_of, roles_of
from sextant.server_ports import KeyBook
from sextant.types.serving import Key

_SHAPE = re.compile(r"sxt_([0-9a-f]{12})_[0-9a-f]{64}")
_NO_DIGEST = bytes(32)
_LONGEST = 256


def caller_of(key: Key) -> Caller:
    """Return who comes in with a key."""
    roles = roles_of(key.roles)
    personas = personas_of(key.personas, roles)
    name = f"key:{key.id}"
    return Caller(name, key.tenant, name, personas, roles, key.expires)


class Keys:
    """Makes keys, knows them again and ends them; several servers may share their book."""

    def __init__(self, book: KeyBook) -> None:
        self._book = book

    async def create(
        self,
        name: str,
        tenant: str,
        roles: Collection[Role],
        personas: Collection[str] = (),
        expires: float = 0.0,
    ) -> tuple[Key, str]:
        """Make a key, and return what is known of it and the key itself, which nobody keeps."""
        for what, value in (("tenant", tenant), *(("persona", one) for one in personas)):
            _check(what, value)
        if len(name) > _LONGEST or not name.isprintable():
            raise InvalidInput(
                f"The key's name has to be at most {_LONGEST} plain characters.",
                "Leave out line breaks, or shorten it.",
            )
        if name:
            check_name("key's name", name)
        if not roles:
            raise InvalidInput("The key allows nothing.", "Give it at least one role.")
        key_id = secrets.token_hex(6)
        text = f"sxt_{key_id}_{secrets.token_hex(32)}"
        key = Key(
            key_id,
            name,
            tenant,
            tuple(sorted({*personas})),
            tuple(sorted({*roles})),
            time.time(),
            expires,
            digest=_digest(text),
        )
        await self._book.add_key(key)
        return key, text

    async def all(self) -> Sequence[Key]:
        """Return all keys, the oldest first, those that no longer work too."""
        return await self._book.list_keys()

    async def revoke(self, key_id: str) -> Key:
        """Let a key work no more; it stays in the list."""
        shape = _SHAPE.fullmatch(key_id)
        key = await self._book.revoke_key(shape.group(1) if shape else key_id, time.time())
        if key is None:
            raise NotFound("There is no such key.", "`sextant keys list` shows their ids.")
        return key

    async def found(self, text: str) -> Key | None:
        """Return the key that a text is, also if it no longer works."""
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            return None
        key = await self._book.find_key(shape.group(1))
        # The same work for an id that nobody has as for a wrong secret.
        is_right = hmac.compare_digest(_digest(text), key.digest if key else _NO_DIGEST)
        return key if is_right else None

    async def note_use(self, key_id: str, at: float) -> None:
        """Note when a key was used last."""
        await self._book.note_use(key_id, at)


def _digest(text: str) -> bytes:
    # Plain SHA-256 is enough: nobody guesses 256 random bits.
    return hashlib.sha256(text.encode()).digest()


def _check(what: str, value: str) -> None:
    check_name(what, value)
    if not 0 < len(value) <= _LONGEST or not value.isprintable():
        raise InvalidInput(
            f"The key's {what} has to be 1 to {_LONGEST} plain characters.",
            "Leave out line breaks, or shorten it.",
        )
