"""Kill writers at random moments and look at what is left, in one folder after another."""

from __future__ import annotations

import asyncio
import itertools
import random
import shutil
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.children import Child, listen_until
from tests.torture.model import ALL, Model, Write, open_here
from tests.torture.verify import Account, Finding, account, strays, sweeping, verify
from tests.torture.worker import READER

_PATIENCE_S = 120.0
_LIVES_IN_A_FOLDER = 15


@dataclass(slots=True)
class Tally:
    """The outcome so far."""

    kills: int = 0
    lost: int = 0
    disagreements: int = 0
    acknowledged: int = 0
    recovery_cpu_s: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.lost} lost, {self.disagreements} disagreements, "
            f"{self.acknowledged} acknowledged"
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """One round: who lives in it, and when they die: so long after so much is acknowledged."""

    folder: Path
    names: tuple[str, ...]
    acknowledged: int
    delay_s: float
    gaps_s: tuple[float, ...]
    sweep: bool


def plan_rounds(workplace: Path, rng: random.Random) -> Iterator[Plan]:
    """Plan rounds without end. The first ones in a folder often end while the store is made."""
    for number in itertools.count():
        life = number % _LIVES_IN_A_FOLDER
        during_start = rng.random() < (0.5 if life < 3 else 0.15)
        yield Plan(
            workplace / f"store-{number // _LIVES_IN_A_FOLDER}",
            ("a", "b", READER) if rng.random() < (0.5 if life < 3 else 0.25) else ("a",),
            0 if during_start else rng.randint(1, 60),
            rng.uniform(0.0, 0.1 if during_start else 0.03),
            tuple(rng.choice([0.0, rng.uniform(0.0, 0.03)]) for _ in range(3)),
            rng.random() < 0.3 or life == _LIVES_IN_A_FOLDER - 1,
        )


@dataclass(slots=True)
class Torture:
    """Rounds of life and death, over one folder after another."""

    workplace: Path
    seed: int
    tell: Callable[[str], None]
    tally: Tally = field(default_factory=Tally)
    _model: Model = field(default_factory=Model)
    _numbers: dict[str, int] = field(default_factory=dict)
    _folder: Path | None = None
    _left: Path | None = None

    def run(self, enough: Callable[[Tally], bool]) -> Tally:
        """Go on until it is enough."""
        rng = random.Random(self.seed)
        for plan in plan_rounds(self.workplace, random.Random(f"plans {self.seed}")):
            if enough(self.tally):
                break
            if plan.folder != self._left:
                self._round(plan, rng)
        return self.tally

    def _round(self, plan: Plan, rng: random.Random) -> None:
        if plan.folder != self._folder:
            self._move(plan.folder)
        children = [
            Child(plan.folder, self.seed, name, self._numbers.get(name, 0)) for name in plan.names
        ]
        try:
            in_time = self._await_moment(plan, children)
        finally:
            complaints = self._kill(plan, children, rng)
        complaints += [] if in_time else ["The writers stopped, or hung."]
        before, told = self._model.copy(), [self._hear(child) for child in children]
        try:
            finding = asyncio.run(self._look(plan, before, told, rng))
        except Exception:
            finding = Finding(self._model, lost=[traceback.format_exc()])
        finding.disagreements += complaints
        if plan.sweep and not finding.lost:
            finding.disagreements += strays(plan.folder)
        self._count(finding)

    def _await_moment(self, plan: Plan, children: list[Child]) -> bool:
        """Wait for the moment to kill; return False if it never came."""

        def acknowledged() -> bool:
            return sum(child.acknowledged for child in children) >= plan.acknowledged

        listen_until(children, acknowledged, _PATIENCE_S)
        in_time = acknowledged()
        listen_until(children, lambda: False, plan.delay_s)
        return in_time

    def _kill(self, plan: Plan, children: list[Child], rng: random.Random) -> list[str]:
        """Kill all in any order, some a little later, and return what they complained of."""
        complaints: list[str] = []
        living = rng.sample(children, len(children))
        for gap in plan.gaps_s[: len(children)]:
            child = living.pop()
            self.tally.kills += child.kill()
            wrong = [line["wrong"] for line in child.said() if "wrong" in line]
            complaints += [f"{child.name} says: " + "\n".join(wrong)] if wrong else []
            listen_until(living, lambda: False, gap)
        return complaints

    def _hear(self, child: Child) -> Account:
        told = account(child.said(), self.seed, child.name, self._model)
        self._numbers[child.name] = max(self._numbers.get(child.name, 0), told.next_number)
        self.tally.acknowledged += len(told.done)
        self.tally.recovery_cpu_s = max(self.tally.recovery_cpu_s, told.recovery_cpu_s)
        return told

    async def _look(
        self, plan: Plan, before: Model, told: list[Account], rng: random.Random
    ) -> Finding:
        store = await open_here(plan.folder)
        try:
            finding = await verify(store, before, self._model, told, rng)
            if plan.sweep and not finding.lost:
                put = sweeping(self.tally.kills)
                await store.truth.write(ALL, [put])
                finding.model.apply(Write((put,)))
        finally:
            await store.admin.close()
        return finding

    def _count(self, finding: Finding) -> None:
        self._model = finding.model
        self.tally.lost += bool(finding.lost)
        self.tally.disagreements += len(finding.disagreements)
        for sentence in [*finding.lost, *finding.disagreements]:
            self.tell(f"{self._folder}: {sentence}")
        if finding.lost:
            self._left = self._folder

    def _move(self, folder: Path) -> None:
        """Go on in a new folder; throw the old one away, unless there is something to see in it."""
        if self._folder is not None and not (self.tally.lost or self.tally.disagreements):
            shutil.rmtree(self._folder)
        self._folder, self._model = folder, Model()
