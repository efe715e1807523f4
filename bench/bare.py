"""What a leg costs by itself: ranked chunk ids, without a thread, a transaction or the passages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import reference
from bench.clock import Figures, time_each_call
from bench.growth import SCOPE
from bench.reads import TENTH
from bench.real import without_common_words
from sextant.query import Filter
from sextant.settings import Settings
from sextant.stores.arrays.best import best
from sextant.stores.arrays.keyword import keyword_candidates
from sextant.stores.arrays.masks import Resolved, allow
from sextant.stores.arrays.terms import weigh
from sextant.stores.arrays.vectors import vector_candidates
from sextant.stores.arrays.view import Sights
from sextant.stores.sqlite.tenant import Rules, Tenant, tenant_folder
from sextant.text.words import Words

_K = 10
_NONE = Resolved({}, {})


async def bare(root: str, size: int) -> Figures:
    """Time the legs that have bars."""
    folder = tenant_folder(Path(root, str(size)), SCOPE.tenant)
    tenant = Tenant(folder, SCOPE.tenant, Rules(Settings()))
    sights = tenant.read(lambda _, snapshot: snapshot).sights(SCOPE.persona)
    asked = reference.load_queries(root, size)
    texts = [text for text, _ in asked]
    vectors = [np.asarray(vector, np.float32) for _, vector in asked]
    short = [without_common_words(text) for text in texts]
    figures = {
        "keyword": await time_each_call(_by_words(sights, tenant.analysis.words), texts),
        "keyword, no common words": await time_each_call(
            _by_words(sights, tenant.analysis.words), short
        ),
        "vector": await time_each_call(_by_vector(sights, None), vectors),
        "vector, 10 % filter": await time_each_call(_by_vector(sights, TENTH), vectors),
    }
    tenant.close()
    return figures


def _by_words(sights: Sights, words: Words) -> Callable[[str], object]:
    def ask(text: str) -> object:
        weighed = weigh(sights, words.terms(text))
        return best(sights, *keyword_candidates(weighed, None, _K), _K)

    return ask


def _by_vector(sights: Sights, tree: Filter | None) -> Callable[[np.ndarray], object]:
    def ask(vector: np.ndarray) -> object:
        allowed = allow(sights, tree, lambda: _NONE)
        return best(sights, *vector_candidates(sights, allowed, vector, _K), _K)

    return ask
