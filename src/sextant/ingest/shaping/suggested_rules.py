"""Which rules to propose for documents that were seen: what counts less, and how many it covers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sextant.ingest.shaping.globs import git_spec
from sextant.ingest.shaping.shape import SOURCE
from sextant.retrieval.scoring.page_sorts import OLDER, PageSort, page_sorts, path_of
from sextant.retrieval.scoring.versions import version_folder
from sextant.types import Document

_AUTHORS = ("owner", "owners", "author", "authors", "team", "maintainer", "maintainers")
_MOST_AUTHORS = 3
_SIGNS = re.compile(r"([\\*?\[\]])")


@dataclass(frozen=True, slots=True)
class SuggestedRule:
    """A rule for the settings, why it is proposed, and what is known of what it covers."""

    match: str
    source_type: str
    reputation: float
    why: str
    documents: int
    written: tuple[datetime, datetime] | None = None
    authors: tuple[str, ...] = ()


def suggested_rules(documents: Sequence[Document]) -> list[SuggestedRule]:
    """Return rules for what counts less and has none, those that cover most first."""
    sorts = page_sorts(documents)
    found: dict[tuple[str, str], tuple[PageSort, list[Document]]] = {}
    for document in documents:
        if sort := sorts.get(document.id):
            match = _match(document, sort)
            found.setdefault((match, sort.name), (sort, []))[1].append(document)
    rules = [_rule(match, sort, own, documents) for (match, _), (sort, own) in found.items()]
    return sorted(rules, key=lambda rule: (-rule.documents, rule.match))


def _rule(
    match: str, sort: PageSort, own: Sequence[Document], documents: Sequence[Document]
) -> SuggestedRule:
    if len(own) == 1 and match.endswith("*") and not match.endswith("/**"):
        match = _escaped(_path(own[0], sort))
    spec = git_spec([f"**/{match}"], "a proposed rule")
    covered = [one for one in documents if spec.match_file(path_of(one.id))]
    return SuggestedRule(
        match,
        sort.name.replace(" ", "-"),
        sort.reputation,
        sort.why,
        len(covered),
        _span(one.created for one in covered),
        _authors(covered),
    )


def _match(document: Document, sort: PageSort) -> str:
    """Return the pattern of the folder, or of the files of one name, that tell the sort."""
    path = _path(document, sort)
    if sort is OLDER:
        return f"{_escaped(version_folder(path))}/**"
    found = sort.path.search(path)
    if not found:
        return _escaped(path)
    named = {name: end for name in found.groupdict() if (end := found.end(name)) >= 0}
    ((name, end),) = named.items()
    endings = {"place": "/**", "numbered": "/*[0-9]*", "file": "*"}
    return f"{_escaped(path[:end])}{endings[name]}"


def _path(document: Document, sort: PageSort) -> str:
    """Return a document's path below its source, unless only the source's name tells its sort."""
    path = path_of(document.id)
    below = path.removeprefix(f"{document.metadata.get(SOURCE, '')}/")
    tells = bool(version_folder(below)) if sort is OLDER else bool(sort.path.search(below))
    return below if tells else path


def _escaped(path: str) -> str:
    return _SIGNS.sub(r"\\\1", path)


def _span(moments: Iterable[datetime | None]) -> tuple[datetime, datetime] | None:
    known = sorted((one for one in moments if one), key=datetime.isoformat)
    return (known[0], known[-1]) if known else None


def _authors(documents: Iterable[Document]) -> tuple[str, ...]:
    """Return who is named most often as having written documents."""
    counts = Counter(
        author
        for document in documents
        for name, value in document.metadata.items()
        if name.casefold() in _AUTHORS
        for author in {" ".join(one.split()) for one in value.split(",")}
        if author
    )
    ordered = sorted(counts, key=lambda author: (-counts[author], author))
    return tuple(ordered[:_MOST_AUTHORS])
