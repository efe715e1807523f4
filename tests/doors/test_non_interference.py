"""Nothing that a tenant can see tells whether there is another one, or what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from tests.doors import requests
from tests.doors.sending import Bare, Names, Sent, send
from tests.doors.worlds import OURS, THEIRS, Held, World, held, world

_numbers = count()
_STATUS = Sent("GET", "/api/status")
_SEARCH = Sent("POST", "/api/search", {"query": "Where is the Hub?"})
_few = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[*HealthCheck],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@dataclass(frozen=True)
class Turn:
    """What we ask, and what they are at meanwhile."""

    ours: Sent
    theirs: list[Sent]


_FIRST = (
    Turn(requests.ingest("new", "New Hall depends on Hub."), []),
    Turn(
        requests.ask("Where is the Hub?", "talk"),
        [
            requests.ingest("new", "New Hall is a Hub.", key="key-1"),
            _SEARCH,
            requests.save_profile("fresh", 0.9),
            requests.ask("What depends on Hub?", "talk"),
        ],
    ),
)
"""So that there are jobs, conversations and profiles of both that can be spoken of."""


@dataclass(frozen=True)
class Worlds:
    """One in which we are alone, and one which we share."""

    loop: Held
    alone: World
    shared: World

    def differences(self, turns: list[Turn]) -> list[tuple[Sent, Bare, Bare]]:
        """Take turns in both worlds, and return what was not the same."""
        return self.loop.run(self._taken(turns, next(_numbers)))

    async def _taken(self, turns: list[Turn], number: int) -> list[tuple[Sent, Bare, Bare]]:
        us, them = f"us-{number}", f"them-{number}"
        async with (
            self.alone.tenant(us, OURS) as alone,
            self.shared.tenant(us, OURS, alone.key) as shared,
            self.shared.tenant(them, THEIRS) as other,
        ):
            names = Names(them, lambda: other.jobs)
            their_names = Names(us, lambda: shared.jobs)
            busy: list[asyncio.Task[None]] = []

            async def work(sent: list[Sent], at: int) -> None:
                for one in sent:
                    await send(other, one, their_names, at)

            different = []
            for at, turn in enumerate([*_FIRST, *turns]):
                if at == len(_FIRST):
                    await asyncio.gather(*busy)
                busy.append(asyncio.create_task(work(turn.theirs, at)))
                here = await send(shared, turn.ours, names, at)
                there = await send(alone, turn.ours, names, at)
                if here != there:
                    different.append((turn.ours, there, here))
            await asyncio.gather(*busy)
            return different


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    """Two servers for all examples; each example has tenants of its own."""
    folder = tmp_path_factory.mktemp("worlds")
    with held() as loop:
        yield Worlds(loop, loop.open(world(folder / "alone")), loop.open(world(folder / "shared")))


def _turns(
    ours: st.SearchStrategy[Sent], theirs: st.SearchStrategy[Sent]
) -> st.SearchStrategy[list[Turn]]:
    one = st.builds(Turn, ours, st.lists(theirs, max_size=2))
    return st.lists(one, min_size=8, max_size=16)


_SPEAKING_OF_THEM = [
    Turn(sent, [requests.ask("Where is the Hub?", "talk")])
    for sent in (
        _SEARCH,
        requests.ingest("newer", "Newer Hall depends on Hub.", key="key-1"),
        *(Sent("GET", f"/api/jobs{query}") for query in ("", "?after=THEIR-JOB-0", "?limit=1")),
        Sent("GET", "/api/jobs/THEIR-JOB-0"),
        Sent("GET", "/api/jobs/THEIR-JOB-0/events"),
        Sent("DELETE", "/api/jobs/THEIR-JOB-0"),
        Sent("GET", "/metrics"),
        Sent("GET", "/api/status?all=true"),
        Sent("GET", "/api/profiles"),
        Sent("GET", "/api/conversations/talk"),
        Sent("GET", "/api/documents/theirs.md"),
        Sent("GET", "/api/documents?limit=1&after=same.md"),
        requests.ask("And what depends on it?", "talk"),
        requests.ask("Where is the Hub?", rankingPrefs="fresh"),
        Sent("POST", "/api/search", {"query": "Thing theirs.md"}),
    )
]


@_few
@example(turns=_SPEAKING_OF_THEM)
@given(turns=_turns(requests.rest, requests.rest))
def test_over_rest_every_byte_is_the_same_whether_or_not_others_are_there(
    worlds: Worlds, turns: list[Turn]
) -> None:
    assert worlds.differences(turns) == []


@_few
@given(turns=_turns(requests.mcp, requests.rest | requests.mcp))
def test_over_mcp_every_byte_is_the_same_whether_or_not_others_are_there(
    worlds: Worlds, turns: list[Turn]
) -> None:
    assert worlds.differences(turns) == []


def test_who_asks_too_often_takes_nothing_of_what_others_may_ask(tmp_path: Path) -> None:
    async def task() -> list[tuple[str, int]]:
        async with (
            world(tmp_path, requests_per_minute=2) as one,
            one.tenant("us", OURS) as us,
            one.tenant("them", THEIRS) as them,
        ):
            turns = [("them", them)] * 4 + [("us", us)] * 4
            names = Names("them", list)
            replies = [(who, await send(of, _STATUS, names, 0)) for who, of in turns]
            return [(who, reply.status) for who, reply in replies]

    each = (200, 200, 429, 429)
    assert asyncio.run(task()) == [(who, status) for who in ("them", "us") for status in each]
