"""What a page's path says of its worth, where no rule does: a changelog is not the manual.

It counts for a question about now; one about releases, proposals or the past finds such pages as
before. The words of questions are English: in other languages every question is about now, unless
it has the number of a version or a year in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sextant.retrieval.scoring.superseded import DEDUCTION, SOURCE
from sextant.retrieval.scoring.versions import older_versions
from sextant.types import Document

RATED = "sextant:rated"
"""Where a document keeps that a rule gave it the reputation that others have without one."""

_USUAL = Document("").reputation
_LESS = (1.0 + DEDUCTION) / 2
"""Halfway to what had its day. Of 21 questions about now over Argo CD's documents, six found a
proposal first; with this four do, and the manual's page is among the best three for 16 instead of
14 of 18. Over the documents of Celery and Fastify no right page moved between 1 and 0.6."""


@dataclass(frozen=True, slots=True)
class PageSort:
    """A sort of page that counts less: how paths call it, and which questions are about it."""

    name: str
    why: str
    path: re.Pattern[str]
    asked: re.Pattern[str]
    factor: float = _LESS
    reputation: float = 0.3  # for a rule, as those of the sample rate a wiki

    @property
    def note(self) -> str:
        """What the ledger of such a page says."""
        return f"{self.why}: total times {self.factor:g}"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_VERSION = r"\bv?\d+\.(?:\d+|x)|\bv\d+\b|\bversions?\b"
_RELEASE = (
    r"\breleas|\bchange ?logs?\b|\bnew in\b|\bnew(?:est)? features?\b"
    r"|\bwhat(?:\W?s| is| was) new\b|\bwhat changed\b|\bchange[sd]? (?:in|since|between|from)\b"
    r"|\bsince when\b|\bwhen (?:was|were|did)\b"
    r"|\b(?:was|were|been|got) (?:added|removed|renamed|dropped|changed|fixed)\b"
    r"|\bintroduc|\bdeprecat|\bupgrad|\bmigrat|\bbreaking\b|\bhistory\b|\bno longer\b"
)
_PAST = (
    r"\bused to\b|\bformer|\bprevious|\bold(?:er)?\b|\boutdated\b|\bsuperseded\b|\bwithdrawn\b"
    r"|\barchiv|\blegacy\b|\bobsolete\b|\bdeprecat|\b(?:19|20)\d\d\b"
)
_NUMBERED = r"(?:[-_.]?v?\d[\w.-]*)?"

SORTS = (
    PageSort(
        "proposal",
        "a proposal counts less than the manual",
        _pattern(
            r"(?:^|/)(?P<place>proposals?|rfcs?|keps?|enhancements|design-?(?:docs|proposals))/"
        ),
        _pattern(
            r"\bpropos|\brfcs?\b|\benhancement|\bdesign|\bwhy\b|\brationale\b|\bmotivat"
            r"|\balternatives?\b|\bplan(?:s|ned)?\b|\broadmap\b|\bfuture\b"
        ),
    ),
    PageSort(
        "changelog",
        "a changelog counts less than the manual",
        _pattern(
            r"(?:^|/)(?P<place>change-?logs?|changes|releases|release-?notes?|what-?s-?new)/",
            r"(?:^|/)(?P<file>change-?log|changes|history|news|release-?notes?|what-?s-?new)"
            rf"{_NUMBERED}(?:\.\w+)?$",
        ),
        _pattern(_VERSION, _RELEASE),
    ),
    PageSort(
        "upgrade note",
        "a note on one upgrade counts less than the manual",
        _pattern(
            r"(?:^|/)(?P<numbered>upgrad(?:es?|ing)|migrat(?:ions?|ing))/(?:[^/]*[-_.])?v?\d+[^/]*$",
            r"(?:^|/)(?P<file>(?:[^/]*[-_.])?(?:upgrad|migrat)[a-z]*)[-_.](?:[^/]*[-_.])?v?\d+[^/]*$",
        ),
        _pattern(_VERSION, _RELEASE),
    ),
    PageSort(
        "blog post",
        "a blog post counts less than the manual",
        _pattern(r"(?:^|/)(?P<place>blogs?|posts|news|announcements?)/"),
        _pattern(_VERSION, _RELEASE, _PAST, r"\bblog|\bposts?\b|\bnews\b|\bannounc"),
    ),
    PageSort(
        "archived page",
        "an archived page counts less than the manual",
        _pattern(r"(?:^|/)(?P<place>archived?|archives|old|legacy|deprecated|obsolete|attic)/"),
        _pattern(_PAST),
        reputation=0.2,  # as those of the sample rate an archive
    ),
)
"""Of several that fit a path, the first counts."""

OLDER = PageSort(
    "older version",
    "a page of an older version counts less than the newer one",
    _pattern(r"(?!)"),
    _pattern(_VERSION, _RELEASE, _PAST),
    DEDUCTION,
    reputation=0.2,
)
"""Told by a newer version of the page that is found with it, which replaces it."""


def deductions(documents: Iterable[Document], question: str) -> Mapping[str, PageSort]:
    """Return which documents count less for a question, each with why; none without a question.

    Where all of them would, there is no manual that they count less than.
    """
    documents = list(documents)
    if not question:
        return {}
    less = {
        name: sort
        for name, sort in page_sorts(documents).items()
        if not sort.asked.search(question)
    }
    return less if len(less) < len(documents) else {}


def page_sorts(documents: Iterable[Document]) -> Mapping[str, PageSort]:
    """Return the sort of each document that is of one and that no rule or curator rated."""
    documents = list(documents)
    older = _older(documents)
    found = {
        one.id: OLDER if one.id in older else sort_of(path_of(one.id))
        for one in documents
        if one.reputation == _USUAL and RATED not in one.metadata
    }
    return {name: sort for name, sort in found.items() if sort}


def _older(documents: Iterable[Document]) -> frozenset[str]:
    """Return the documents of which a newer version is there.

    It counts only from the same source and owner, and if it is worth as much: else anybody could
    put others' pages behind their own.
    """
    paths: dict[tuple[str, str], dict[str, str]] = {}
    for one in documents:
        if one.reputation >= _USUAL:
            group = paths.setdefault((one.metadata.get(SOURCE, ""), one.owner), {})
            group[path_of(one.id)] = one.id
    return frozenset(group[path] for group in paths.values() for path in older_versions(group))


@lru_cache(maxsize=10_000)
def sort_of(path: str) -> PageSort | None:
    """Return of which sort a path says that its page is."""
    return next((sort for sort in SORTS if sort.path.search(path)), None)


def path_of(document_id: str) -> str:
    """Return the path in a document's id; the host of an address says nothing."""
    scheme, found, rest = document_id.partition("#")[0].partition("://")
    return rest.partition("/")[2] if found else scheme
