"""Processes that embed the same store, and one that is killed while it does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from sextant.build import open_sextant
from sextant.ingest.flow import Options
from tests.ingest.embedding.at_once import Embedding
from tests.ingest.folders import SCOPE, dump, fresh, lay_out, settings_at

PAGES = 600
"""More than one commit holds."""

MANY = {f"{at:03}.md": f"# Page {at}\n\nIt is number {at}.\n" for at in range(PAGES)}


def taken_in(home: Path) -> None:
    """Let a store hold all pages, and no vector."""

    async def run() -> None:
        async with await open_sextant(settings_at(home / "store")) as opened:
            await opened.ingest(SCOPE, [str(home / "docs")], Options(words_only=True))

    lay_out(home / "docs", MANY)
    asyncio.run(run())


def ended(home: Path) -> tuple[int, list[str]]:
    """Return how many chunks wait, and what the store holds once none does."""

    async def run() -> tuple[int, list[str]]:
        async with await open_sextant(settings_at(home / "store")) as opened:
            left = (await opened.store.admin.status(SCOPE)).unembedded_chunks
            await opened.ingest(SCOPE, [str(home / "docs")])
            assert not await opened.store.admin.check(SCOPE)
            return left, await dump(opened)

    return asyncio.run(run())


def heard(processes: Sequence[Embedding]) -> Counter[str]:
    """Let processes begin at once, and return how often each text was embedded."""
    for one in processes:
        one.begin()
    with ThreadPoolExecutor() as pool:  # whoever is not heard would stand still
        return Counter(chain.from_iterable(pool.map(Embedding.texts, processes)))


def test_two_processes_embed_every_text_once(tmp_path: Path) -> None:
    taken_in(tmp_path)
    texts = heard([Embedding(tmp_path), Embedding(tmp_path)])
    assert (len(texts), max(texts.values())) == (PAGES, 1)
    assert ended(tmp_path) == (0, asyncio.run(fresh(MANY)))


def test_who_is_killed_while_vectors_come_in_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    taken_in(tmp_path)
    killed = Embedding(tmp_path)
    killed.begin()
    assert len(killed.texts(most=400)) == 400
    left, held = ended(tmp_path)
    assert 0 < left < PAGES
    assert held == asyncio.run(fresh(MANY))


def test_after_a_kill_another_process_goes_on_at_once(tmp_path: Path) -> None:
    taken_in(tmp_path)
    killed, other = Embedding(tmp_path), Embedding(tmp_path)
    killed.begin()
    killed.texts(most=400)
    texts = heard([other])
    assert max(texts.values()) == 1
    assert ended(tmp_path) == (0, asyncio.run(fresh(MANY)))
