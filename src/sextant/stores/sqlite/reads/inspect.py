"""Looking at a tenant's store as its operator does: status, check, dump."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import numpy as np

from sextant.stores.arrays.graph.columns import all_edges
from sextant.stores.arrays.segments.merge import merge, same, settle
from sextant.stores.arrays.snapshots.view import Snapshot, View, Viewer
from sextant.stores.dump import dump_lines, record_lines
from sextant.stores.sqlite.reads import graph
from sextant.stores.sqlite.reads.entities import entities_of
from sextant.stores.sqlite.reads.visible import viewer_of
from sextant.stores.sqlite.tenant import Tenant
from sextant.stores.sqlite.truth import records, rows, threads
from sextant.stores.sqlite.truth.schema import FORMAT
from sextant.stores.sqlite.truth.unembedded import count_unembedded
from sextant.stores.sqlite.truth.units import unit
from sextant.stores.sqlite.upkeep.folder import bytes_in
from sextant.types import IndexStatus, Scope, StoreStatus

_EVERY_EVIDENCE = 2**31


def status(tenant: Tenant, viewer: Viewer, problem: str) -> StoreStatus:
    """Say how a tenant's store is."""

    def task(connection: sqlite3.Connection, snapshot: Snapshot) -> StoreStatus:
        lag = sum(len(view.segment) for view in snapshot.views if not view.file)
        indexes = tuple(
            IndexStatus(name, snapshot.generation, len(snapshot.views), lag)
            for name in ("keyword", "vector", "graph")
        )
        return StoreStatus(
            tenant.name,
            snapshot.commit,
            graph.count_all(snapshot.sights(viewer)),
            tenant.identity,
            tenant.analysis.words.language,
            indexes,
            bytes_in(tenant.folder),
            (problem,) if problem else (),
            FORMAT,
            unembedded_chunks=count_unembedded(connection),
        )

    return tenant.read(task)


def check(tenant: Tenant) -> list[str]:
    """Derive everything anew from the truth and compare it with what queries use."""

    def task(connection: sqlite3.Connection, snapshot: Snapshot) -> list[str]:
        fresh = tenant.derived(connection, 1, rows.last_document_row(connection))
        views = snapshot.views or (View(tenant.derived(connection, 1, 0), (1, 0)),)
        used = settle(merge([(view.segment, view.living) for view in views]))
        found = [
            f"The derived array {name} disagrees with the truth." for name in same(fresh, used)
        ]
        damaged = connection.execute("PRAGMA quick_check").fetchall()
        found += [f"The database says: {line}" for (line,) in damaged if line != "ok"]
        return found

    return tenant.read(task)


def dump(connection: sqlite3.Connection, snapshot: Snapshot, scope: Scope) -> Iterator[str]:
    """Yield everything that the scope can see, as canonical lines."""
    viewer = viewer_of(scope)
    sights = snapshot.sights(viewer)
    units = (
        unit(connection, document.id)
        for document in rows.documents_after(connection, "")
        if scope.sees(document)
    )
    entities = entities_of(connection, snapshot, viewer, graph.defined(sights).tolist())
    edges = all_edges(sights)
    relations = graph.relations(
        sights,
        edges.listed(np.arange(len(edges))),
        lambda numbers: rows.values_of(connection, list(numbers), snapshot.rows),
        _EVERY_EVIDENCE,
    )
    yield from dump_lines(units, entities.values(), relations)
    if scope.sees_all:
        feedback = records.read_feedback(connection, 0, -1)
        counters = records.all_counters(connection)
        all_threads, all_entries = threads.all_threads(connection), threads.all_entries(connection)
        yield from record_lines(counters, all_threads, all_entries, feedback)
