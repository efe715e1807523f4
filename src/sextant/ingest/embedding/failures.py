"""Which documents of a tenant the embedder failed on, kept for whoever asks how the store is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from sextant.errors import Conflict
from sextant.ports import Records, Store
from sextant.types import OWN, Scope, Thread

_USER, _NAME = f"{OWN}embedding", "failures"
_MOST, _CHARACTERS = 100, 500


async def note_failures(records: Records, scope: Scope, failed: Mapping[str, str]) -> None:
    """Keep which documents failed, and why, in place of those that failed before."""
    user = replace(scope, user=_USER)
    known = (await records.threads(user, [_NAME])).get(_NAME)
    if not failed and known is None:
        return
    kept = {name: failed[name][:_CHARACTERS] for name in sorted(failed)[:_MOST]}
    thread = replace(known or Thread(_NAME), state=json.dumps(kept))
    with suppress(Conflict):  # another run says what it found
        await records.save_thread(user, thread)


async def read_failures(store: Store, scope: Scope) -> dict[str, str]:
    """Return the documents that failed and still have no vectors, and why."""
    found = await store.records.threads(replace(scope, user=_USER), [_NAME])
    failed = _failed_in(found[_NAME].state) if _NAME in found else {}
    units = await store.truth.units(scope, sorted(failed)) if failed else {}
    return {name: failed[name] for name, unit in units.items() if unit.vectors is None}


def _failed_in(state: str) -> dict[str, str]:
    try:
        kept = json.loads(state)
    except ValueError:
        return {}
    return {str(name): str(why) for name, why in kept.items()} if isinstance(kept, dict) else {}
