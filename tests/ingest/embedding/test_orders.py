"""Words, vectors, changes and interruptions in any order end as one clean run does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sextant.ingest.flow import Options
from tests.ingest.embedding.slow import Watched, watched
from tests.ingest.folders import SCOPE, Workplace, fresh, lay_out

TEXTS = (
    "# Harbor Queue\n\nHarbor Queue feeds the ledger.\n",
    "# Ledger\n\nThe ledger calls Harbor Queue.\n",
    "# Ledger\n\nThe dock crane and the ledger are down.\n",
    "# Dock Crane\n\nHeavy, and owned by nobody.\n",
)
NAMES = ("a.md", "b.md", "c.md")
SYNC = Options(sync=True)
Act = tuple[str, int, int]
acts = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 2), st.integers(0, 3)),
        st.tuples(st.just("delete"), st.integers(0, 2), st.just(0)),
        st.tuples(st.sampled_from(("ingest", "embed")), st.just(0), st.just(0)),
        st.tuples(st.just("cancelled"), st.integers(0, 2), st.integers(1, 2)),
        st.tuples(st.just("remove"), st.integers(0, 2), st.just(0)),
    ),
    max_size=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts)
@example([("write", 0, 0), ("write", 1, 1), ("cancelled", 1, 1), ("write", 1, 2), ("embed", 0, 0)])
@example([("write", 2, 2), ("ingest", 0, 0), ("write", 0, 3), ("cancelled", 0, 1)])
def test_any_order_ends_as_one_clean_run(order: Sequence[Act]) -> None:
    async def run() -> None:
        tree: dict[str, str] = {}
        async with watched() as (place, embedder):
            for what, name, number in order:
                await _act(place, embedder, tree, what, NAMES[name], number)
            lay_out(place.docs, tree)
            await place.ingest(options=SYNC)
            assert not await place.sextant.store.truth.unembedded(SCOPE)
            assert not await place.sextant.store.admin.check(SCOPE)
            assert await place.dump() == await fresh(tree)

    asyncio.run(run())


async def _act(
    place: Workplace, embedder: Watched, tree: dict[str, str], what: str, name: str, number: int
) -> None:
    if what == "write":
        tree[name] = TEXTS[number]
    elif what == "delete":
        tree.pop(name, None)
    elif what == "remove":
        await place.sextant.remove(SCOPE, [f"docs/{name}"])
    elif what == "embed":
        await place.sextant.embed_waiting(SCOPE)
    elif what == "cancelled":
        await _cancelled(place, embedder, tree, number)
    else:
        lay_out(place.docs, tree)
        await place.ingest(options=SYNC)


async def _cancelled(
    place: Workplace, embedder: Watched, tree: dict[str, str], number: int
) -> None:
    """Ingest, and be stopped before so many texts are embedded, if there are as many."""
    lay_out(place.docs, tree)
    embedder.most = len(embedder.seen) + number - 1
    embedder.is_stuck.clear()
    running = asyncio.create_task(_ingest(place))
    stuck = asyncio.create_task(embedder.is_stuck.wait())
    await asyncio.wait([running, stuck], return_when=asyncio.FIRST_COMPLETED)
    for task in (running, stuck):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    embedder.most = None


async def _ingest(place: Workplace) -> None:
    await place.ingest(options=SYNC)
