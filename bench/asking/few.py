"""The public sets in small: stores of about a hundred passages, with a dozen questions each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.asking.rows import Row, row_of
from bench.asking.sets import SCOPE, Asked, corpus, filled, passage_id, questions, store_of

_QUESTIONS, _STORES, _NEAR = 12, 8, 10
"""Questions of a store, stores of a set, and passages that lie near each of the questions."""


async def few_rows_of(name: str, folder: Path) -> list[Row]:
    """Ask the first questions of a set of small stores, with the gold passages and without."""
    asked = questions(name)
    groups = [asked[at * _QUESTIONS :][:_QUESTIONS] for at in range(_STORES)]
    near = await _near(name, folder, [one for group in groups for one in group])
    known = {str(one["id"]): one for one in corpus(name)}
    rows: list[Row] = []
    for number, group in enumerate(groups):
        gold = {own for one in group for own in one.gold}
        every = gold.union(*(near[one.id] for one in group))
        for held in (True, False):
            kept = sorted(one for one in every if one in known and (held or one not in gold))
            own = folder / f"{name}-few" / f"{number}-{'with' if held else 'without'}-gold"
            async with await filled([known[one] for one in kept], own) as sextant:
                rows += [await row_of(sextant, few(name), one, held) for one in group]
    return rows


def few(name: str) -> str:
    """Return what a set is called in small."""
    return f"{name}, few"


def whole(name: str) -> str:
    """Return what a set is called whose questions are these."""
    return name.partition(",")[0]


async def _near(name: str, folder: Path, asked: Sequence[Asked]) -> dict[str, list[str]]:
    async with await store_of(name, folder) as sextant:
        found = {one.id: (await sextant.search(SCOPE, one.text)).hits[:_NEAR] for one in asked}
    return {
        own: [passage_id(hit.passage.document.id) for hit in hits] for own, hits in found.items()
    }
