"""Handing documents over from one owner to another, for example when a key is replaced.

What the documents say stays as it is; only whose they are changes, and with that their version.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial

from sextant.errors import Conflict, Forbidden, InvalidInput, NotFound, Outdated
from sextant.ingest.keeping.keep import Keeper
from sextant.ingest.keeping.paging import pages
from sextant.limits import Limits, check_name
from sextant.types import OPERATOR, Put, Scope, is_own

_PAGE = 1_000
_TRIES = 20
"""As often as a single entry is tried again; see core/entries.py."""


async def hand_over(keeper: Keeper, scope: Scope, old: str, new: str, limits: Limits) -> int:
    """Make all documents of one owner another's, and return how many there were.

    Up to the limit of a batch they change under one commit, or none of them does; a larger number
    takes a commit for each batch, and a run that was cut off is finished by the next.
    """
    _check_owners(scope, old, new, limits)
    change = partial(_handed_over, _owner(old), _owner(new))
    owned = [name async for name in _owned_by(keeper, _owner(old))]
    if not owned:
        raise NotFound(
            f"{old} owns no documents in the tenant {scope.tenant}.",
            "`sextant documents show ID` tells whose a document is.",
        )
    handed = 0
    for page in pages(owned, limits.batch):
        handed += await _rewrite(keeper, page, change)
    return handed


def _check_owners(scope: Scope, old: str, new: str, limits: Limits) -> None:
    if not scope.curates:
        raise Forbidden("Only an admin hands documents over.", "Ask whoever runs the store.")
    for owner in (old, new):
        check_name("owner", owner, limits.id)
    if old == new:
        raise InvalidInput("Both owners are the same.", "Name who has them, then who gets them.")


def _owner(name: str) -> str:
    """Return an owner as documents keep it: whoever runs the store has no name there."""
    return "" if name == OPERATOR else name


async def _owned_by(keeper: Keeper, owner: str) -> AsyncIterator[str]:
    after = ""
    while page := await keeper.store.truth.documents(keeper.scope, after, _PAGE):
        for document in page:
            if document.owner == owner and not is_own(document.id):
                yield document.id
        after = page[-1].id


async def _rewrite(
    keeper: Keeper, document_ids: Sequence[str], change: Callable[[Put], Put | None]
) -> int:
    """Change documents under one commit; where somebody was faster, what is there by then."""
    for _ in range(_TRIES):
        try:
            return await keeper.rewrite(document_ids, change)
        except Outdated:
            continue
    raise Conflict("Others keep changing these documents.", "Try again.")


def _handed_over(old: str, new: str, unit: Put) -> Put | None:
    """Return a unit as the new owner's, or nothing if it is no longer the old one's."""
    if unit.document.owner != old:
        return None
    fingerprint, _, version = unit.key.partition("/")
    own = hashlib.blake2b(repr((fingerprint, new)).encode(), digest_size=16).hexdigest()
    # What was linked here keeps how it was linked in its key, so that it is not linked anew.
    key = f"{own}/{version}" if version else ""
    return replace(unit, document=replace(unit.document, owner=new), key=key)
