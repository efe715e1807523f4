"""Asking every question of a set under every setting, by the line as users call it.

What a store and an embedder answered once they answer again from memory until the next question:
names, neighbours and the first search are the same under all settings.
"""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bench.asking.sets import DATA, SCOPE, passage_id, store_of
from sextant.ask import flow
from sextant.ask.question import Means, Question
from sextant.core import Sextant
from sextant.ports import Embedder, Store
from sextant.query import Query
from sextant.retrieval.feedback.folding import Folded
from sextant.retrieval.tuning import Tuning
from sextant.text.words import Words
from sextant.types import Hit, Match

Scores = NDArray[np.float64]
_CHUNKS = 40
_GRADED = frozenset({"scifact"})
_READS = frozenset(
    [
        "embed",
        "entities",
        "facets",
        "feedback",
        "lookup",
        "neighbours",
        "passages",
        "search",
        "threads",
        "web",
    ]
)


@dataclass(frozen=True, slots=True)
class Scored:
    """What a set's questions score by words alone, and under each setting (a row each)."""

    words: Scores
    settings: Scores


def measure_of(name: str) -> str:
    """Return what a set is scored by."""
    return "nDCG@10" if name in _GRADED else "R@5"


async def scored(
    name: str, stores: Path, tunings: Sequence[Tuning], limit: int | None = None
) -> Scored:
    """Ask the questions of a set that have gold passages, and score what comes back, in percent."""
    scorer = _scorer()
    _, queries, gold = scorer.load(DATA, name)
    asked = [one for one in queries if gold.get(one["id"])][:limit]
    words, settings = [], []
    async with await store_of(name, stores) as opened:
        known: dict[bytes, Any] = {}
        store, embedder = _remembering(opened.store, known), _Remembering(opened.embedder, known)
        words_of = Words(opened.settings.keyword.language)
        means = Means(store, cast(Embedder, embedder), opened.settings, words_of)
        ways = [replace(means, tuning=own) for own in tunings]
        for one in asked:
            known.clear()
            score = partial(_score, scorer, name, one["id"], gold[one["id"]])
            words.append(score(await _by_words(opened, one["text"])))
            settings.append([score(await _found(way, one["text"])) for way in ways])
    return Scored(100 * np.array(words), 100 * np.array(settings).T)


def _remembering(store: Store, known: dict[bytes, Any]) -> Store:
    names = ("truth", "index", "graph", "records")
    parts: Any = {name: _Remembering(getattr(store, name), known) for name in names}
    return replace(store, **parts)


class _Remembering:
    """Passes everything on, and keeps what reading gave; what is asked with is its key."""

    def __init__(self, inner: object, known: dict[bytes, Any]) -> None:
        self._inner: Any = inner
        self._known = known

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._inner, name)
        return partial(self._read, name, own) if name in _READS else own

    async def _read(self, name: str, own: Any, *args: Any, **more: Any) -> Any:
        key = pickle.dumps((name, args, more))
        if key not in self._known:
            self._known[key] = await own(*args, **more)
        return self._known[key]


async def _found(means: Means, text: str) -> Sequence[Hit]:
    """Search as a user would, but for the numbers that passages are found by."""
    return (await flow.search(means, SCOPE, Question(text, k=_CHUNKS), Folded())).hits


async def _by_words(sextant: Sextant, text: str) -> Sequence[Match]:
    """Search by the store's keyword leg alone, which is plain BM25."""
    return (await sextant.store.index.search(SCOPE, Query(text, k=_CHUNKS))).matches


def _score(
    scorer: Any, name: str, own: str, gold: Mapping[str, float], found: Sequence[Hit | Match]
) -> float:
    """Score a ranking; a passage counts once, and a question's own text not at all."""
    ids = dict.fromkeys(passage_id(one.passage.document.id) for one in found)
    ranked = [one for one in ids if one != own]
    return float(scorer.ndcg(ranked, gold) if name in _GRADED else scorer.recall(ranked, gold, 5))


def _scorer() -> Any:
    """Return the functions that retrieval is scored by, wherever it is scored."""
    path = DATA.parents[1] / "eval" / "retrieval.py"
    spec = importlib.util.spec_from_file_location("scoring_retrieval", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
