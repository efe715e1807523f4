"""Rounds of a server under faults: killed while it reads, cancelled at any moment, few descriptors.

Each round ends by itself and says what went wrong; the same seed plans the same.
"""

from __future__ import annotations

import random
import shutil
import socket
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import httpx2

from tests.attacks.test_stalled_readers import UNDERLINES
from tests.ingest.test_isolate import is_gone
from tests.torture.server import PATIENCE_S, Server, Workplace, job_of, living

TENANTS = ("a", "b")
OTHER = "other"
FEW_FILES = 256
_DELAY_S = 0.4
"""A small file is received, read and written in about half of this."""
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Effort:
    """How much one round does."""

    facts: int = 8
    cancels: int = 12
    tenants: int = 300


SHORT = Effort(facts=4, cancels=5, tenants=40)


@dataclass(slots=True)
class ServedTally:
    """The outcome so far."""

    rounds: int = 0
    kills: int = 0
    cancels: int = 0
    tenants: int = 0
    acknowledged: int = 0
    complaints: int = 0

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds of servers: {self.kills} killed, {self.cancels} jobs cancelled, "
            f"{self.tenants} tenants on {FEW_FILES} descriptors, {self.acknowledged} jobs "
            f"acknowledged, {self.complaints} complaints"
        )


@dataclass(slots=True)
class Round:
    """One round in a folder of its own: what was acknowledged there, and what went wrong."""

    place: Workplace
    rng: random.Random
    effort: Effort
    tally: ServedTally
    kept: dict[tuple[str, str], str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def check(self, holds: object, complaint: str) -> None:
        """Note what does not hold."""
        if not holds:
            self.complaints.append(complaint)

    def bring(self, server: Server, tenant: str, number: int) -> str:
        """Send a fact, and return the job that was acknowledged."""
        job = job_of(server.upload(tenant, f"fact-{number}.md", fact(tenant, number)))
        self.kept[tenant, job] = f"keeper{number}"
        self.tally.acknowledged += 1
        return job

    def settle(self, server: Server) -> None:
        """See that every job that was acknowledged ends well and that its fact is known."""
        for (tenant, job), keeper in self.kept.items():
            told = server.ended(tenant, job)
            self.check(told["state"] == "done", f"{tenant}: an acknowledged job is {told}.")
            answer = server.answer(tenant, f"Who keeps the lantern of {keeper}?")
            self.check(keeper in answer, f"{tenant} does not know {keeper}: {answer}")


def fact(tenant: str, number: int) -> bytes:
    """Return a page that only one tenant has."""
    keeper = f"keeper{number}"
    return f"# Lantern of {keeper}\n\nThe lantern of {keeper} is kept by {tenant}.\n".encode()


def kill_while_reading(one: Round) -> None:
    """Kill a server whose readers are at work; the next life does what was acknowledged."""
    with living(one.place) as server:
        stalled = server.stall("a")
        reading = {one.place.reader()}
        for number in range(one.effort.facts):
            tenant = one.rng.choice(TENANTS)
            job = one.bring(server, tenant, number)
            # What "a" sends waits behind what never ends.
            if tenant == "b" and one.rng.random() < 0.5:
                server.ended(tenant, job)
        one.bring(server, "b", one.effort.facts)
        Event().wait(one.rng.uniform(0.0, _DELAY_S))
        reading |= server.readers()
        server.kill()
        one.tally.kills += 1
    for process in reading:
        one.check(is_gone(process), f"The reader {process} outlives its server.")
    with living(one.place) as server:
        Event().wait(one.rng.uniform(0.0, _DELAY_S))
        server.cancel("a", stalled)
        state = server.ended("a", stalled)["state"]
        one.check(state == "cancelled", f"A job that was taken over and cancelled is {state}.")
        one.settle(server)
        one.complaints += server.stop()


def cancel_at_any_moment(one: Round) -> None:
    """Cancel jobs at any moment; the tenant goes on, and another one never notices."""
    with living(one.place) as server:
        server.ended(OTHER, one.bring(server, OTHER, 0))
        for number in range(one.effort.cancels):
            _cancel_one(one, server, number)
            answer = server.answer(OTHER, "Who keeps the lantern of keeper0?")
            one.check("keeper0" in answer, f"Another tenant hears {answer}")
            one.bring(server, "a", number + 1)
        one.settle(server)
        one.complaints += server.stop()


def _cancel_one(one: Round, server: Server, number: int) -> None:
    kind = one.rng.choice(["begun", "stalled", "lines", "fact"])
    delay = one.rng.uniform(0.0, _DELAY_S)
    if kind in ("begun", "stalled"):
        job = server.stall("a")
    else:
        data = UNDERLINES if kind == "lines" else fact("a", 1_000 + number) * 500
        job = job_of(server.upload("a", f"{kind}-{number}.md", data))
    reader = one.place.reader() if kind == "begun" else 0
    Event().wait(delay)
    server.cancel("a", job)
    state = server.ended("a", job)["state"]
    may = ("cancelled",) if kind in ("begun", "stalled") else ("cancelled", "done")
    one.check(state in may, f"A job ({kind}) that was cancelled after {delay:.3f} s is {state}.")
    one.check(not reader or is_gone(reader), f"The reader {reader} outlives its job.")
    one.tally.cancels += 1


def exhaust_descriptors(one: Round) -> None:
    """Serve more tenants than descriptors, and meanwhile leave none for a while."""
    numbers = list(range(one.effort.tenants))
    one.rng.shuffle(numbers)
    third = len(numbers) // 3
    with living(one.place, FEW_FILES) as server:
        jobs = _bring_all(one, server, numbers[:third])
        with _crowd(server):
            jobs |= _bring_all(one, server, numbers[third : 2 * third], is_crowded=True)
        jobs |= _bring_all(one, server, numbers[2 * third :])
        for number, job in jobs.items():
            one.kept[f"t{number}", job] = f"keeper{number}"
        one.tally.acknowledged += len(jobs)
        one.tally.tenants += len(jobs)
        one.settle(server)
        one.complaints += server.stop()


def _bring_all(
    one: Round, server: Server, numbers: list[int], *, is_crowded: bool = False
) -> dict[int, str]:
    """Send a fact for each tenant, several at once; return the jobs that were acknowledged."""

    def bring(number: int) -> httpx2.Response | None:
        tenant = f"t{number}"
        try:
            return server.upload(tenant, f"fact-{number}.md", fact(tenant, number))
        except httpx2.TransportError:
            if not is_crowded:
                raise
            return None

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        replies = dict(zip(numbers, pool.map(bring, numbers), strict=True))
    for number, reply in replies.items():
        if reply is not None and reply.status_code != 202:
            names_limit = reply.status_code in (503, 507) and _is_problem(reply)
            one.check(is_crowded and names_limit, f"t{number}: {reply.status_code} {reply.text}")
    return {
        number: job_of(reply) for number, reply in replies.items() if reply and reply.is_success
    }


def _is_problem(reply: httpx2.Response) -> bool:
    told: dict[str, Any] = reply.json()
    return bool(told.get("detail") and told.get("hint"))


@contextmanager
def _crowd(server: Server) -> Iterator[None]:
    """Connect until the server has no descriptor left."""
    with ExitStack() as opened:
        for _ in range(FEW_FILES):
            with suppress(OSError):
                address = (server.host, server.port)
                opened.enter_context(socket.create_connection(address, PATIENCE_S))
        yield


ROUNDS: dict[str, Callable[[Round], None]] = {
    "readers": kill_while_reading,
    "cancels": cancel_at_any_moment,
    "descriptors": exhaust_descriptors,
}


@dataclass(slots=True)
class ServedTorture:
    """Rounds of every kind in turn, each in a folder of its own."""

    workplace: Path
    seed: int
    tell: Callable[[str], None]
    effort: Effort = Effort()
    tally: ServedTally = field(default_factory=ServedTally)

    def run(self, enough: Callable[[ServedTally], bool]) -> ServedTally:
        """Go on until it is enough."""
        while not enough(self.tally):
            kinds = list(ROUNDS)
            self.run_round(kinds[self.tally.rounds % len(kinds)])
        return self.tally

    def run_round(self, kind: str) -> None:
        """Run one round, and tell what went wrong; then its folder is kept."""
        number = self.tally.rounds
        folder = self.workplace / f"served-{number}"
        place = Workplace(folder)
        rng = random.Random(f"{self.seed}/{kind}/{number}")
        one = Round(place, rng, self.effort, self.tally)
        try:
            ROUNDS[kind](one)
        except Exception:
            one.complaints.append(traceback.format_exc())
        finally:
            place.close()
        self.tally.rounds += 1
        self.tally.complaints += len(one.complaints)
        for complaint in one.complaints:
            self.tell(f"{folder} ({kind}): {complaint}")
        if not one.complaints:
            shutil.rmtree(folder)
