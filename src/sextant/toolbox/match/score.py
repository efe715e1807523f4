"""How well each tool fits a request: by its words, field by field, and by its meaning.

Knows neither relations nor uses. A request of several clauses is scored whole and clause by clause.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sextant.text.words import Words
from sextant.toolbox.match.postings import Postings, common_terms
from sextant.toolbox.match.texts import NAME

Scores = NDArray[np.float32]

# Fitted listwise on the train splits of ultratool and toollinkos, then rounded: the three cosines
# together are worth 1, and the fields are in the order of FIELDS.
_FIELD_WEIGHTS = np.array([0.1, 0.15, 0.05, 0.1], np.float32)
_NAME, _TEXT, _NEARER = 0.4, 0.15, 0.45
_CLAUSE = 0.04
"""What a clause counts: for each standard deviation by which a tool stands out in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """A request with its clauses, and the vectors of them all, the whole first."""

    text: str
    clauses: tuple[str, ...]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Matchable:
    """What is known of tools for matching: words, and vectors of names and of whole texts."""

    postings: Postings
    names: NDArray[np.float32]
    texts: NDArray[np.float32]


WEAK = 0.5
"""A match below is no good one. The best tools of 150 train requests of ultratool have 0.67 or more
in 99 of 100 cases; those that are nearest to 100 questions of hotpotqa have less in 95 of 100."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """How well each tool fits a request, which one fits each of its clauses best, and which clause
    each fits best.
    """

    scores: Scores
    firsts: frozenset[int] = frozenset()
    clauses: NDArray[np.intp] | None = None

    def clause_of(self, place: int) -> int:
        """Return the number of the clause that a tool fits best."""
        return 0 if self.clauses is None else int(self.clauses[place])


def match_tools(
    tools: Matchable, wanted: Wanted, allowed: NDArray[np.bool_], words: Words
) -> Match:
    """Return for each tool how well it fits; those that are not allowed count as not there.

    A tool that stands out in a clause gains as much there as the one of any other clause.
    """
    meaning = _meaning(tools, wanted.vectors)
    texts = (wanted.text, *wanted.clauses)
    each = [_by_words(tools.postings, one, allowed, words) for one in texts]
    scores = np.array(each, np.float32) + meaning
    if len(texts) == 1 or not allowed.any():
        return Match(_only(scores[0], allowed))
    standing = _stand_out(scores[1:], allowed)
    whole = scores[0] + _CLAUSE * standing.max(axis=0)
    firsts = frozenset(_only(scores[1:], allowed).argmax(axis=1).tolist())
    return Match(_only(whole, allowed), firsts, standing.argmax(axis=0))


def _only(scores: Scores, allowed: NDArray[np.bool_]) -> Scores:
    return np.where(allowed, scores, -np.inf).astype(np.float32)


def _stand_out(scores: Scores, allowed: NDArray[np.bool_]) -> Scores:
    """Return by how many standard deviations each score is above the mean of its row."""
    own = scores if allowed.all() else scores[:, allowed]
    spread = np.maximum(own.std(axis=1, keepdims=True), 1e-6)
    return np.asarray((scores - own.mean(axis=1, keepdims=True)) / spread)


def _meaning(tools: Matchable, vectors: NDArray[np.float32]) -> Scores:
    """Return a row for each vector: how near each tool is by its name and its whole text."""
    # Tools times vectors takes half the time of vectors times tools (OpenBLAS, few vectors).
    names, texts = tools.names @ vectors.T, tools.texts @ vectors.T
    nearness = _NAME * names + _TEXT * texts + _NEARER * np.maximum(names, texts)
    return np.ascontiguousarray(nearness.T)


def _by_words(postings: Postings, text: str, allowed: NDArray[np.bool_], words: Words) -> Scores:
    """Return what the words of a text count, each field beside the best one; names as they are."""
    terms = dict.fromkeys(words.terms(text))
    found = postings.score(term for term in terms if term not in common_terms(words))
    own = found if allowed.all() else found[:, allowed]
    highest = own.max(axis=1, initial=0.0)
    highest[NAME] = 1.0
    weights = np.divide(_FIELD_WEIGHTS, highest, out=np.zeros_like(highest), where=highest > 0)
    return np.asarray(weights @ found)
