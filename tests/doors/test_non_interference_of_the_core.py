"""Nothing that the core gives a tenant tells whether there is another one, or what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sextant.build import open_sextant
from sextant.core import Sextant
from sextant.types import Scope
from tests.doors.verbs import Verb, verbs
from tests.doors.worlds import OURS, THEIRS, Held, held
from tests.ingest.folders import lay_out
from tests.serve.rest.knowing import page
from tests.serve.running import small

_numbers = count()


@dataclass(frozen=True)
class Cores:
    """One that only we use, and one that others use, too."""

    loop: Held
    alone: Sextant
    shared: Sextant
    folder: Path

    async def differences(self, ours: list[Verb], theirs: list[Verb], number: int) -> list[Any]:
        """Do the same with both, and return what was not the same."""
        us, them = Scope(f"us-{number}", user="we"), Scope(f"them-{number}", user="we")
        for sextant in (self.alone, self.shared):
            await sextant.write(us, [page(one, f"Hub of {one} is in our town.") for one in OURS])
        await self.shared.write(them, [page(one, f"{one} is in theirs.") for one in THEIRS])
        busy = asyncio.create_task(self._busy(theirs, them))
        different = []
        for verb in ours:
            here = await verb.outcome(self.shared, us)
            there = await verb.outcome(self.alone, us)
            if here != there:
                different.append((verb, there, here))
        await busy
        return different

    async def _busy(self, theirs: list[Verb], them: Scope) -> None:
        for verb in theirs:
            await verb.outcome(self.shared, them)


@pytest.fixture(scope="module")
def cores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cores]:
    """Two cores for all examples; each example has tenants of its own."""
    folder = tmp_path_factory.mktemp("cores")
    lay_out(folder / "docs", {"new.md": "# New Hall\n\nNew Hall depends on Hub.\n"})
    with held() as loop:
        alone, shared = [
            loop.open(loop.run(open_sextant(small(folder / name), cached_searches=2)))
            for name in ("alone", "shared")
        ]
        yield Cores(loop, alone, shared, folder / "docs")


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[*HealthCheck],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(choice=st.data())
def test_every_value_is_the_same_whether_or_not_others_are_there(
    cores: Cores, choice: st.DataObject
) -> None:
    some = st.lists(verbs(cores.folder), min_size=8, max_size=16)
    ours, theirs = choice.draw(some, "ours"), choice.draw(some, "theirs")
    assert cores.loop.run(cores.differences(ours, theirs, next(_numbers))) == []
