"""The right answers, found by brute force over the whole corpus: what recall is measured against.

Shares with the store only how text becomes terms. Every chunk is scored, in float64.
"""

from __future__ import annotations

import pickle
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import corpus
from bench.real import questions, three_words, without_common_words
from sextant.settings import Settings
from sextant.text.words import Words
from sextant.types import Put

K = 10
KEYWORD_SAMPLE = 50
_K1, _B = 1.2, 0.75
_BLOCK_DOCUMENTS = 1_000

Ranking = list[tuple[str, float]]
"""Ids with their scores, best first."""

Search = Callable[[tuple[str, corpus.Vectors]], Ranking]
"""A search as a peer does it, by text or by vector."""


@dataclass(frozen=True, slots=True)
class Answers:
    """For each question the best ids with their scores, by kind of search; and the quiet entities.

    ``vector`` and ``keyword`` are as nobody in particular sees, ``… all`` as the operator sees.
    """

    rankings: dict[str, list[Ranking]]
    quiet: list[str]
    documents: int


class _Counts:
    """How often each chunk holds each term of the questions, and what else BM25 and filters ask."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self.wanted = frozenset(wanted)
        self.ids: list[str] = []
        self.lengths, self.open, self.tenth = array("l"), array("b"), array("b")
        self.chunks: dict[str, array[int]] = defaultdict(lambda: array("l"))
        self.times: dict[str, array[int]] = defaultdict(lambda: array("l"))

    def take(self, put: Put, words: Words) -> None:
        """Count a document's terms; those of its title as often as its weight says."""
        weight = Settings().keyword.title_weight
        title = words.terms(put.document.title)
        for chunk in put.chunks:
            terms = words.terms(chunk.text) + title * weight
            for term, times in Counter(terms).items():
                if term in self.wanted:
                    self.chunks[term].append(len(self.ids))
                    self.times[term].append(times)
            self.ids.append(chunk.id)
            self.lengths.append(len(terms))
            self.open.append(not put.document.personas)
            self.tenth.append(corpus.TENTH in put.document.tags)

    def best(self, terms: Sequence[str], *, everyone: bool, tenth: bool = False) -> Ranking:
        """Rank every chunk that holds a term."""
        visible = np.ones(len(self.ids), bool) if everyone else np.array(self.open, bool)
        lengths = np.array(self.lengths, np.float64)
        norms = _K1 * (1 - _B + _B * lengths / lengths[visible].mean())
        scores = np.zeros(len(self.ids))
        for term in terms:
            chunks, times = np.array(self.chunks[term]), np.array(self.times[term], np.float64)
            holding = visible[chunks].sum() if len(chunks) else 0
            rarity = np.log(1 + (visible.sum() - holding + 0.5) / (holding + 0.5))
            if len(chunks):
                scores[chunks] += rarity * times * (_K1 + 1) / (times + norms[chunks])
        scores[~visible | (tenth & ~np.array(self.tenth, bool))] = 0.0
        found = np.flatnonzero(scores > 0)
        floor = np.sort(scores[found])[-K:][0] if len(found) else 0.0
        level = [(self.ids[at], float(scores[at])) for at in found if scores[at] >= floor]
        return sorted(level, key=lambda one: (-one[1], one[0].encode()))[:K]


async def answer(root: str, size: int) -> None:
    """Find the right answers for a corpus of this size and save them."""
    documents = corpus.count_documents(size)
    texts = questions(KEYWORD_SAMPLE)
    words = Words(Settings().keyword.language)
    asked = [words.terms(text) for text in texts]
    counts = _Counts(term for terms in asked for term in terms)
    nearest = _Nearest(corpus.query_vectors(documents, corpus.QUERIES))
    ends = array("l")
    for block in _blocks(size):
        nearest.take(block)
        for put in block:
            counts.take(put, words)
            for relation in put.relations:
                ends.extend((int(relation.source[1:]), int(relation.target[1:])))
    plain = [words.terms(without_common_words(text)) for text in texts]
    few = [words.terms(three_words(text)) for text in texts]
    rankings = nearest.best | {
        "keyword": [counts.best(terms, everyone=False) for terms in asked],
        "keyword, no common words": [counts.best(terms, everyone=False) for terms in plain],
        "keyword all, no common words": [counts.best(terms, everyone=True) for terms in plain],
        "keyword, three words": [counts.best(terms, everyone=False) for terms in few],
        "keyword all, three words": [counts.best(terms, everyone=True) for terms in few],
        "keyword, 10 % filter": [counts.best(terms, everyone=False, tenth=True) for terms in asked],
        "keyword all": [counts.best(terms, everyone=True) for terms in asked],
        "keyword all, 10 % filter": [
            counts.best(terms, everyone=True, tenth=True) for terms in asked
        ],
    }
    answers = Answers(rankings, _quiet(np.array(ends).reshape(-1, 2), documents), documents)
    _save(root, size, answers)


def _save(root: str, size: int, answers: Answers) -> None:
    Path(root, f"answers-{size}").write_bytes(pickle.dumps(answers))
    vectors = corpus.query_vectors(answers.documents, corpus.QUERIES)
    pairs = list(zip(questions(corpus.QUERIES), vectors, strict=True))
    Path(root, f"queries-{size}").write_bytes(pickle.dumps(pairs))


def load_queries(root: str, size: int) -> list[tuple[str, corpus.Vectors]]:
    """Read the saved questions and vectors; unlike making them, it takes no memory."""
    pairs: list[tuple[str, corpus.Vectors]] = pickle.loads(
        Path(root, f"queries-{size}").read_bytes()
    )
    return pairs


def load(root: str, size: int) -> Answers:
    """Read saved answers."""
    answers: Answers = pickle.loads(Path(root, f"answers-{size}").read_bytes())
    return answers


def _blocks(size: int) -> Iterator[list[Put]]:
    block: list[Put] = []
    for put in corpus.documents(0, size):
        block.append(put)
        if len(block) == _BLOCK_DOCUMENTS:
            yield block
            block = []
    yield block


class _Nearest:
    """Keeps the nearest chunks of each query while blocks of vectors go by."""

    def __init__(self, queries: corpus.Vectors) -> None:
        self._queries = queries.astype(np.float64)
        self.best: dict[str, list[Ranking]] = {
            name: [[] for _ in queries] for name in _VECTOR_SEARCHES
        }

    def take(self, block: list[Put]) -> None:
        """Score a block against every query."""
        ids = [chunk.id for put in block for chunk in put.chunks]
        rows = np.concatenate([put.vectors for put in block if put.vectors is not None])
        scores = self._queries @ rows.astype(np.float64).T
        for name, (tag, everyone) in _VECTOR_SEARCHES.items():
            allowed = np.array(
                [
                    (everyone or not put.document.personas)
                    and (tag is None or tag in put.document.tags)
                    for put in block
                    for _ in put.chunks
                ]
            )
            self._keep(self.best[name], ids, np.where(allowed, scores, -np.inf))

    def _keep(self, best: list[Ranking], ids: list[str], scores: NDArray[np.float64]) -> None:
        for at, own in enumerate(scores):
            places = np.argpartition(-own, min(K, len(own) - 1))[:K]
            fresh = [(ids[place], float(own[place])) for place in places if own[place] > -np.inf]
            best[at] = sorted(best[at] + fresh, key=lambda one: (-one[1], one[0].encode()))[:K]


_VECTOR_SEARCHES: dict[str, tuple[str | None, bool]] = {
    "vector": (None, False),
    "vector, 10 % filter": (corpus.TENTH, False),
    "vector, 1 % filter": (corpus.HUNDREDTH, False),
    "vector all": (None, True),
    "vector all, 10 % filter": (corpus.TENTH, True),
}


def _quiet(pairs: NDArray[np.int64], documents: int) -> list[str]:
    """Return entities of three edges or more that are no hubs (one in a hundred) and touch none."""
    degree = np.bincount(pairs.ravel(), minlength=corpus.entity_count(documents))
    beside = np.zeros(len(degree), np.int64)
    np.maximum.at(beside, pairs[:, 0], degree[pairs[:, 1]])
    np.maximum.at(beside, pairs[:, 1], degree[pairs[:, 0]])
    hub = np.percentile(degree, 99)
    calm = np.flatnonzero((degree >= 3) & (degree <= hub) & (beside <= hub))
    return [corpus.entity_id(int(number)) for number in calm]
