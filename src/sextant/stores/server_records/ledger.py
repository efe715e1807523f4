"""The jobs as rows: what is written down at each turn of a job's life. Knows no work.

Every function here is one transaction of a Book, so that several processes can share the file.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sextant.stores.server_records import refusals
from sextant.types import personas_as_json
from sextant.types.serving import MARKED_S, Bounds, Job, Kind, Order, Progress, State, Whose

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL, persona TEXT, user TEXT, caller TEXT NOT NULL,
    kind TEXT NOT NULL, what TEXT NOT NULL, lane TEXT NOT NULL, spec TEXT NOT NULL,
    state TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1, owner TEXT NOT NULL,
    bytes INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, retries INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0, is_unwanted INTEGER NOT NULL DEFAULT 0,
    created REAL NOT NULL, started REAL, ended REAL,
    done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,
    doing TEXT NOT NULL DEFAULT '',
    report TEXT, problem TEXT, mark TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS jobs_by_tenant ON jobs (tenant, number);
CREATE INDEX IF NOT EXISTS open_jobs ON jobs (state, tenant)
    WHERE state IN ('receiving', 'queued', 'running');
CREATE INDEX IF NOT EXISTS lanes ON jobs (lane, number) WHERE state IN ('queued', 'running');
CREATE INDEX IF NOT EXISTS marks ON jobs (mark) WHERE mark != '';
CREATE TABLE IF NOT EXISTS turns (tenant TEXT PRIMARY KEY, at INTEGER NOT NULL)
"""
_OPEN = "state IN ('receiving', 'queued', 'running')"
_OVER = "state IN ('done', 'failed', 'cancelled')"
# Who has least under way comes first, then who waited longest for a turn, then the oldest job.
_NEXT = """
SELECT * FROM jobs AS job WHERE state = 'queued' AND not_before <= ? AND NOT EXISTS (
    SELECT 1 FROM jobs AS other WHERE other.lane = job.lane AND other.number != job.number
    AND (other.state = 'running' OR (other.state = 'queued' AND other.number < job.number)))
AND (SELECT count(*) FROM jobs AS own
    WHERE own.state = 'running' AND own.tenant = job.tenant AND own.owner = ?) < ?
ORDER BY (SELECT count(*) FROM jobs AS own WHERE own.state = 'running' AND own.tenant = job.tenant),
    (SELECT at FROM turns WHERE turns.tenant = job.tenant), number LIMIT 1
"""
_LIST = '["'
"""What several personas start with in their column, which holds one by itself as it is."""
# The personas of a job that whoever asks does not act for.
_OTHERS = """
SELECT 1 FROM json_each(iif(substr(persona, 1, 2) = '["', persona, json_array(persona))) AS own
WHERE persona IS NOT NULL AND own.value NOT IN (SELECT value FROM json_each(?))
"""
_Rows = sqlite3.Connection


def reserve(db: _Rows, job_id: str, by: Whose, size: int, owner: str, bounds: Bounds) -> None:
    """Make room for a job whose files are about to come, if there is any."""
    waiting, size_of_all = db.execute(
        f"SELECT count(*), coalesce(sum(bytes), 0) FROM jobs WHERE tenant = ? AND {_OPEN}",  # noqa: S608
        (by.tenant,),
    ).fetchone()
    in_all = db.execute(f"SELECT count(*) FROM jobs WHERE {_OPEN}").fetchone()[0]  # noqa: S608
    refusals.check_room(waiting, size_of_all, in_all, size, bounds)
    db.execute(
        "INSERT INTO jobs (id, tenant, persona, user, caller, kind, what, lane, spec, state, owner,"
        " bytes, created) VALUES (?, ?, ?, ?, ?, '', '', '', '{}', ?, ?, ?, ?)",
        (
            *(job_id, by.tenant, _packed_personas(by.personas), by.user, by.caller),
            *(State.RECEIVING, owner, size, time.time()),
        ),
    )


def enqueue(db: _Rows, job_id: str, order: Order, size: int, mark: str) -> Job:
    """Let a job wait for its turn: from here on it is acknowledged, and known by its mark."""
    now = time.time()
    known = db.execute(
        "SELECT id FROM jobs WHERE mark = ?1 AND mark != '' AND created > ?2",
        (mark, now - MARKED_S),
    ).fetchone()
    if known:
        return _found(db, known["id"])
    db.execute(
        "UPDATE jobs SET state = ?, kind = ?, what = ?, lane = ?, spec = ?, bytes = ?, owner = '',"
        " created = ?, mark = ? WHERE id = ?",
        (
            *(State.QUEUED, order.kind, order.what, order.lane, json.dumps(dict(order.spec))),
            *(size, now, mark, job_id),
        ),
    )
    return _found(db, job_id)


def discard(db: _Rows, job_id: str) -> None:
    """Forget a job whose files did not all come."""
    db.execute("DELETE FROM jobs WHERE id = ? AND state = ?", (job_id, State.RECEIVING))


def claim(db: _Rows, owner: str, of_one: int = 1) -> Job | None:
    """Take the job whose turn it is, so that nobody else does; so many of a tenant, no more."""
    row = db.execute(_NEXT, (time.time(), owner, of_one)).fetchone()
    if row is None:
        return None
    db.execute(
        "INSERT INTO turns SELECT ?, coalesce(max(at), 0) + 1 FROM turns WHERE true"
        " ON CONFLICT (tenant) DO UPDATE SET at = excluded.at",
        (row["tenant"],),
    )
    db.execute(
        "UPDATE jobs SET state = ?, owner = ?, attempts = attempts + 1, version = version + 1,"
        " started = coalesce(started, ?) WHERE number = ?",
        (State.RUNNING, owner, time.time(), row["number"]),
    )
    return _found(db, row["id"])


def note(db: _Rows, job_id: str, progress: Progress) -> None:
    """Write down how far a job is."""
    db.execute(
        "UPDATE jobs SET done = ?, total = ?, doing = ?, version = version + 1 WHERE id = ?",
        (progress.done, progress.total, progress.what, job_id),
    )


def finish(
    db: _Rows,
    job_id: str,
    state: State,
    report: Mapping[str, Any] | None,
    problem: Mapping[str, Any] | None,
    bounds: Bounds,
) -> None:
    """Write down how a job ended, and forget those that ended long ago."""
    db.execute(
        "UPDATE jobs SET state = ?, report = ?, problem = ?, ended = ?, owner = '', bytes = 0,"
        " doing = '', version = version + 1 WHERE id = ?",
        (state, _packed(report), _packed(problem), time.time(), job_id),
    )
    tenant = db.execute("SELECT tenant FROM jobs WHERE id = ?", (job_id,)).fetchone()["tenant"]
    db.execute(
        f"DELETE FROM jobs WHERE tenant = ?1 AND {_OVER} AND (ended < ?2 OR number <= coalesce("  # noqa: S608
        f"(SELECT number FROM jobs WHERE tenant = ?1 AND {_OVER} ORDER BY number DESC"
        " LIMIT 1 OFFSET ?3), 0))",
        (tenant, time.time() - bounds.kept_seconds, bounds.kept),
    )


def put_back(db: _Rows, job_id: str, wait: float, bounds: Bounds, *, is_retry: bool) -> None:
    """Let a job that was begun wait for another turn; it did not take the process with it.

    One that is to end by now does.
    """
    row = db.execute("SELECT is_unwanted FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row["is_unwanted"]:
        finish(db, job_id, State.CANCELLED, None, None, bounds)
        return
    db.execute(
        "UPDATE jobs SET state = ?, owner = '', not_before = ?, retries = retries + ?,"
        " attempts = attempts - 1, version = version + 1 WHERE id = ?",
        (State.QUEUED, time.time() + wait, is_retry, job_id),
    )


def owners(db: _Rows) -> Sequence[str]:
    """Name the processes that say that they are at work on something."""
    rows = db.execute(f"SELECT DISTINCT owner FROM jobs WHERE {_OPEN} AND owner != ''")  # noqa: S608
    return [row["owner"] for row in rows]


def disown(db: _Rows, owner: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
    """Let what a dead process was at wait again; what many died of fails with this problem."""
    db.execute("DELETE FROM jobs WHERE owner = ? AND state = ?", (owner, State.RECEIVING))
    for job_id in claimed(db, owner):
        let_go(db, job_id, problem, bounds)


def let_go(db: _Rows, job_id: str, problem: Mapping[str, Any], bounds: Bounds) -> None:
    """Let a job that nobody is at wait again; what was begun too often fails with this problem."""
    row = db.execute("SELECT attempts, is_unwanted FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row["is_unwanted"]:
        finish(db, job_id, State.CANCELLED, None, None, bounds)
    elif row["attempts"] >= bounds.attempts:
        finish(db, job_id, State.FAILED, None, problem, bounds)
    else:
        db.execute(
            "UPDATE jobs SET state = ?, owner = '', version = version + 1 WHERE id = ?",
            (State.QUEUED, job_id),
        )


def unwant(db: _Rows, by: Whose, job_id: str) -> Job:
    """Say that a job is to end; one that waits for its turn ends at once."""
    job = seen(db, by, job_id)
    if job.state == State.QUEUED:
        db.execute(
            "UPDATE jobs SET state = ?, ended = ?, bytes = 0, version = version + 1 WHERE id = ?",
            (State.CANCELLED, time.time(), job_id),
        )
    elif job.state == State.RUNNING:
        db.execute("UPDATE jobs SET is_unwanted = 1 WHERE id = ?", (job_id,))
    return _found(db, job_id)


def claimed(db: _Rows, owner: str) -> Mapping[str, bool]:
    """Name the jobs that a process took, and whether each of them is to end."""
    rows = db.execute(
        "SELECT id, is_unwanted FROM jobs WHERE state = 'running' AND owner = ?", (owner,)
    )
    return {row["id"]: bool(row["is_unwanted"]) for row in rows}


def seen(db: _Rows, by: Whose, job_id: str) -> Job:
    """Return a job if it is there for whoever asks."""
    row = _row(db, by, job_id)
    if row is None:
        raise refusals.no_such_job()
    return _job(row)


def listed(db: _Rows, by: Whose, after: str, limit: int) -> Sequence[Job]:
    """Return jobs, the newest first, from after a job on."""
    before = 2**62
    if after:
        row = _row(db, by, after)
        if row is None:
            raise refusals.no_job_to_go_on_from()
        before = row["number"]
    where, values = _theirs(by)
    rows = db.execute(
        f"SELECT * FROM jobs WHERE {where} AND number < ? ORDER BY number DESC LIMIT ?",  # noqa: S608
        (*values, before, limit),
    )
    return [_job(row) for row in rows]


def with_files(db: _Rows, job_ids: Iterable[str]) -> set[str]:
    """Return those of the jobs whose files are still needed."""
    needed = db.execute(f"SELECT id FROM jobs WHERE {_OPEN}")  # noqa: S608
    return {row["id"] for row in needed} & set(job_ids)


def _theirs(by: Whose) -> tuple[str, tuple[str, ...]]:
    """Return which rows are there for whoever asks."""
    there, values = "tenant = ? AND state != 'receiving'", [by.tenant]
    if by.sees_all:
        return there, (by.tenant,)
    if by.acts_for is not None:
        there += f" AND NOT EXISTS ({_OTHERS})"
        values.append(json.dumps(sorted(by.acts_for)))
    if by.user is not None:
        return f"{there} AND user = ?", (*values, by.user)
    return f"{there} AND caller = ?", (*values, by.caller)


def _row(db: _Rows, by: Whose, job_id: str) -> sqlite3.Row | None:
    where, values = _theirs(by)
    row: sqlite3.Row | None = db.execute(
        f"SELECT * FROM jobs WHERE id = ? AND {where}",  # noqa: S608
        (job_id, *values),
    ).fetchone()
    return row


def _found(db: _Rows, job_id: str) -> Job:
    return _job(db.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone())


def _job(row: sqlite3.Row) -> Job:
    return Job(
        row["id"],
        Whose(row["tenant"], _unpacked_personas(row["persona"]), row["user"], row["caller"]),
        Order(Kind(row["kind"]), row["what"], row["lane"], json.loads(row["spec"])),
        State(row["state"]),
        row["version"],
        row["created"],
        row["started"],
        row["ended"],
        Progress(row["done"], row["total"], row["doing"]),
        _unpacked(row["report"]),
        _unpacked(row["problem"]),
        row["retries"],
    )


def _packed_personas(personas: frozenset[str]) -> str | None:
    """Return the column of a job's personas: nothing, one name, or a list as JSON."""
    kept = personas_as_json(personas)
    if kept is None or (isinstance(kept, str) and not kept.startswith(_LIST)):
        return kept
    return json.dumps(sorted(personas))


def _unpacked_personas(column: str | None) -> frozenset[str]:
    if column is None:
        return frozenset()
    return frozenset(json.loads(column) if column.startswith(_LIST) else [column])


def _packed(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value)


def _unpacked(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)
