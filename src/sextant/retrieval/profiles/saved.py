"""Saved ranking profiles, by tenant and persona. They are kept as the state of a reserved user.

A scope sees the profiles of its personas, in the order of their names, and behind them those that
its tenant has for all. Each profile is saved for one persona, or for all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sextant.errors import Conflict, InvalidInput, NotFound, TooLarge
from sextant.limits import check_profile
from sextant.ports import Recall, Records
from sextant.retrieval.scoring.recency import HALF_LIFE_DAYS
from sextant.types import OWN, Scope, Thread, Weights

_KEEPER = f"{OWN}profiles"
_MOST = 100
_TRIES = 20
USUAL = Weights()


@dataclass(frozen=True, slots=True)
class Profile:
    """How somebody wants hits to be ranked. No persona: for all of the tenant."""

    name: str
    weights: Weights = USUAL
    half_life_days: float = HALF_LIFE_DAYS
    persona: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """The profiles that a scope sees, its own before those for all."""

    profiles: tuple[Profile, ...] = field(default=())

    def find(self, name: str) -> Profile:
        """Return the profile of a name."""
        for profile in self.profiles:
            if profile.name == name:
                return profile
        raise NotFound(f"There is no ranking profile {name[:80]!r}.", "Save it first.")

    @property
    def default(self) -> Profile | None:
        """The profile that ranks where none is asked for."""
        return next((profile for profile in self.profiles if profile.default), None)


async def read_profiles(records: Recall, scope: Scope) -> Saved:
    """Return what was saved for the scope's personas, then for its tenant, each by name."""
    personas = [*sorted(scope.personas), ""]
    found = await records.threads(_keeper(scope), [_thread_id(persona) for persona in personas])
    sets = [_profiles(found.get(_thread_id(persona)), persona) for persona in personas]
    return Saved(tuple(own[name] for own in sets for name in sorted(own)))


Check = Callable[[Profile | None], None]
"""Called with what is there before it is changed; it may refuse the change."""


def agree(_: Profile | None) -> None:
    """Let any state be changed."""


async def save_profile(
    records: Records, scope: Scope, profile: Profile, check: Check = agree
) -> Profile:
    """Save a profile for the scope's persona in place of one of its name; one is the default."""
    check_profile(profile.name, profile.weights, profile.half_life_days)
    profile = replace(profile, persona=_owner(scope))

    def add(known: Mapping[str, Profile]) -> Mapping[str, Profile]:
        check(known.get(profile.name))
        others = {
            name: replace(one, default=one.default and not profile.default)
            for name, one in known.items()
        }
        return others | {profile.name: profile}

    await _change(records, scope, add)
    return profile


async def delete_profile(records: Records, scope: Scope, name: str, check: Check = agree) -> None:
    """Delete a profile of the scope's persona."""

    def drop(known: Mapping[str, Profile]) -> Mapping[str, Profile]:
        check(Saved(tuple(known.values())).find(name))
        return {other: one for other, one in known.items() if other != name}

    await _change(records, scope, drop)


async def _change(
    records: Records,
    scope: Scope,
    task: Callable[[Mapping[str, Profile]], Mapping[str, Profile]],
) -> None:
    """Change the profiles of a persona; whoever was faster is read again."""
    keeper, persona = _keeper(scope), _owner(scope)
    name = _thread_id(persona)
    for _ in range(_TRIES):
        thread = (await records.threads(keeper, [name])).get(name, Thread(name))
        changed = task(_profiles(thread, persona))
        if len(changed) > _MOST:
            raise TooLarge(f"More than {_MOST} ranking profiles are too many.", "Delete some.")
        try:
            await records.save_thread(keeper, replace(thread, state=_state(changed)))
        except Conflict:
            continue
        return
    raise Conflict("Others keep changing the ranking profiles.", "Try again.")


def _keeper(scope: Scope) -> Scope:
    return replace(scope, user=_KEEPER)


def _owner(scope: Scope) -> str:
    """Return the persona whose profiles are changed; empty is all of the tenant."""
    if len(scope.personas) > 1:
        raise InvalidInput("A ranking profile is for one persona, or for all.", "Name one persona.")
    return next(iter(scope.personas), "")


def _thread_id(persona: str) -> str:
    """Return where a persona's profiles are kept; a long name would not fit."""
    if not persona:
        return "profiles"
    return f"profiles:{hashlib.sha256(persona.encode('utf-8', 'replace')).hexdigest()}"


def _state(profiles: Mapping[str, Profile]) -> str:
    return json.dumps([asdict(profiles[name]) for name in sorted(profiles)])


def _profiles(thread: Thread | None, persona: str) -> dict[str, Profile]:
    """Read a state. What is no profile any more, since rules changed, is left out."""
    found: dict[str, Profile] = {}
    for one in _rows(thread.state) if thread else ():
        try:
            weights = Weights(**one.pop("weights"))
            profile = replace(Profile(**one, weights=weights), persona=persona)
            check_profile(profile.name, profile.weights, profile.half_life_days)
        except (AttributeError, KeyError, TypeError, InvalidInput):
            continue
        found[profile.name] = profile
    return found


def _rows(state: str) -> list[Any]:
    try:
        rows = json.loads(state or "[]")
    except (ValueError, RecursionError):
        return []
    return rows if isinstance(rows, list) else []
