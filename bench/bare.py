"""What a leg costs by itself: what is ranked or walked, without a thread and without passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import reference
from bench.clock import Figures, time_each_call
from bench.growth import SCOPE
from bench.reads import QUIET, TENTH, quiet_seeds, unused
from bench.real import three_words, without_common_words
from sextant.query import Filter
from sextant.settings import Settings
from sextant.stores.arrays.search_legs.best import best
from sextant.stores.arrays.search_legs.keyword import keyword_candidates
from sextant.stores.arrays.search_legs.terms import weigh
from sextant.stores.arrays.search_legs.vectors import vector_candidates
from sextant.stores.arrays.snapshots.masks import Resolved, allow
from sextant.stores.arrays.snapshots.view import Sights
from sextant.stores.sqlite.reads.graph import walk_from
from sextant.stores.sqlite.tenant import Rules, Tenant, tenant_folder
from sextant.types import Walk

_K = 10
_NONE = Resolved({}, {})

Ask = Callable[[Any], object]


async def bare(root: str, size: int) -> Figures:
    """Time the legs that have bars: what is new to a store in use, and the same again."""
    asked = reference.load_queries(root, size)
    texts = [text for text, _ in asked]
    vectors = [np.asarray(vector, np.float32) for _, vector in asked]
    legs: dict[str, tuple[Callable[[Tenant], Ask], Sequence[Any]]] = {
        "keyword": (_by_words, texts),
        "keyword, no common words": (_by_words, [without_common_words(text) for text in texts]),
        "keyword, three words": (_by_words, [three_words(text) for text in texts]),
        "vector": (_by_vector, [(vector, None) for vector in vectors]),
        "vector, 10 % filter": (_by_vector, [(vector, TENTH) for vector in vectors]),
        "vector, 10 % filter, a new one each time": (
            _by_vector,
            [(vector, unused(at)) for at, vector in enumerate(vectors)],
        ),
        QUIET: (_by_walk, quiet_seeds(reference.load(root, size))),
    }
    return {name: await _twice(root, size, *leg) for name, leg in legs.items()}


async def _twice(
    root: str, size: int, leg: Callable[[Tenant], Ask], items: Sequence[Any]
) -> Figures:
    folder = tenant_folder(Path(root, str(size)), SCOPE.tenant)
    tenant = Tenant(folder, SCOPE.tenant, Rules(Settings()))
    ask = leg(tenant)
    for item in items[1::2]:
        ask(item)
    new = await time_each_call(ask, items[::2])
    again = await time_each_call(ask, items[::2])
    tenant.close()
    return again | {"new": new}


def _sights(tenant: Tenant) -> Sights:
    return tenant.read(lambda _, snapshot: snapshot).sights(SCOPE.personas)


def _by_words(tenant: Tenant) -> Ask:
    sights, words = _sights(tenant), tenant.analysis.words

    def ask(text: str) -> object:
        weighed = weigh(sights, words.terms(text))
        return best(sights, *keyword_candidates(weighed, None, _K), _K)

    return ask


def _by_vector(tenant: Tenant) -> Ask:
    sights = _sights(tenant)

    def ask(query: tuple[np.ndarray, Filter | None]) -> object:
        vector, tree = query
        allowed = allow(sights, tree, lambda: _NONE)
        return best(sights, *vector_candidates(sights, allowed, vector, _K), _K)

    return ask


def _by_walk(tenant: Tenant) -> Ask:
    walk = Walk(hops=2)

    def ask(seed: str) -> object:
        return tenant.read(
            lambda connection, snapshot: walk_from(
                connection, snapshot, SCOPE.personas, [seed], walk
            )
        )

    return ask
