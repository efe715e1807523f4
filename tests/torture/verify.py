"""After a kill: does the store hold what was acknowledged, wholly, and do its arrays agree?"""

from __future__ import annotations

import difflib
import itertools
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sextant.ports import Store
from sextant.query import Query
from sextant.types import Put
from tests.torture.model import (
    ALL,
    FLUSH_CHUNKS,
    Model,
    Operation,
    Save,
    Say,
    Write,
    make_put,
    mark,
    observe,
    operation,
    revision,
    wrong_searches,
)

_SEARCHES = 12


@dataclass(slots=True)
class Account:
    """What one writer did in one life, by its own words."""

    done: list[tuple[Operation, int]] = field(default_factory=list)
    pending: Operation | None = None
    next_number: int = 0
    recovery_cpu_s: float = 0.0
    lost: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Finding:
    """What came of a look at the store; the model is what it turned out to hold."""

    model: Model
    lost: list[str] = field(default_factory=list)
    disagreements: list[str] = field(default_factory=list)


def account(said: Sequence[dict[str, Any]], seed: int, writer: str, model: Model) -> Account:
    """Apply to the model what a writer's lines say was acknowledged."""
    told = Account()
    for line in said:
        if "ready" in line:
            told.recovery_cpu_s = line["ready"]
        elif "intent" in line:
            told.next_number = line["intent"] + 1
            told.pending = operation(seed, writer, line["intent"])
            if isinstance(told.pending, Save):
                known = model.version(told.pending.thread_id)
                if known != line["version"]:
                    told.lost.append(f"A thread was at {line['version']} instead of {known}.")
        elif "done" in line and told.pending is not None:
            told.done.append((told.pending, line["given"]))
            model.apply(told.pending)
            told.pending = None
    return told


async def verify(
    store: Store, before: Model, model: Model, told: Sequence[Account], rng: random.Random
) -> Finding:
    """Compare the store with the model; each pending operation may be there or not."""
    seen = await observe(store)
    possible = _possible(model, [one.pending for one in told if one.pending is not None])
    fits = [candidate for candidate in possible if candidate.lines() == seen]
    finding = Finding(fits[0] if fits else model)
    if not fits:
        difference = difflib.unified_diff(model.lines(), seen, "acknowledged", "found", n=0)
        finding.lost.append("\n".join(line[:300] for line in difference))
        return finding
    finding.lost += [sentence for one in told for sentence in one.lost]
    finding.lost += [line async for line in _lost_numbers(store, told)]
    finding.disagreements += await store.admin.check(ALL)
    finding.disagreements += await _wrong_answers(store, before, finding.model, rng)
    return finding


def sweeping(number: int) -> Put:
    """Return a document that is large enough for maintenance to begin."""
    return make_put(random.Random(number), "sweep-0", number, FLUSH_CHUNKS)


def strays(folder: Path) -> list[str]:
    """Name the files of a closed, tidy store that should not be there, or should be and are not."""
    found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    expected = {Path("sextant-store.json")}
    for truth in folder.glob("tenants/*/truth.db"):
        home = truth.parent.relative_to(folder)
        with closing(sqlite3.connect(f"{truth.as_uri()}?immutable=1", uri=True)) as connection:
            listed = connection.execute("SELECT file FROM segments").fetchall()
        locks = ("turn.lock", "turn-next.lock", "next.lock", "write.lock")
        expected |= {home / name for name in ("truth.db", "tenant.json", *locks)}
        expected |= {home / "segments" / file for (file,) in listed}
    return [f"A stray file is left: {path}" for path in sorted(found - expected)] + [
        f"A file is missing: {path}" for path in sorted(expected - found)
    ]


def _possible(model: Model, pending: Sequence[Operation]) -> Iterator[Model]:
    for size in range(len(pending) + 1):
        for chosen in itertools.combinations(pending, size):
            candidate = model.copy()
            for act in chosen:
                candidate.apply(act)
            yield candidate


async def _lost_numbers(store: Store, told: Sequence[Account]) -> Any:
    """Yield a sentence for every number given out that means something else now."""
    feedback = {item.number: item for item in await store.records.feedback(ALL, 0, 10_000)}
    status = await store.admin.status(ALL)
    for act, given in (pair for one in told for pair in one.done):
        if isinstance(act, Write) and given > status.commit:
            yield f"Commit {given} was given, but the store is at {status.commit}."
        if isinstance(act, Say):
            item = feedback.get(given)
            if item is None or (item.user, item.comment) != (
                act.items[-1].user,
                act.items[-1].comment,
            ):
                yield f"Feedback {given} is not what was acknowledged under that number."


async def _wrong_answers(
    store: Store, before: Model, after: Model, rng: random.Random
) -> list[str]:
    """Search for new versions, which must be found, and for old ones, which must not."""
    fresh = [put for name, put in after.documents.items() if before.documents.get(name) is not put]
    gone = [put for name, put in before.documents.items() if after.documents.get(name) is not put]
    wrong: list[str] = []
    for put in rng.sample(fresh, min(_SEARCHES, len(fresh))):
        wrong += await wrong_searches(store, put)
    for put in rng.sample(gone, min(_SEARCHES, len(gone))):
        word = mark(put.document.id, revision(put.document))
        if (await store.index.search(ALL, Query(word))).matches:
            wrong.append(f"The word {word} is found, though its document is gone.")
    return wrong
