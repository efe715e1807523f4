"""Keyword engines: SQLite FTS5 and tantivy, given the same words as the store."""

from __future__ import annotations

import importlib
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import corpus
from bench.real import three_words, without_common_words
from bench.reference import K, Ranking, Search
from sextant.types import Put

_WORD = re.compile(r"\w+")
_TABLE = """CREATE VIRTUAL TABLE passages
USING fts5 (id UNINDEXED, body, tokenize = 'porter unicode61')"""


def _body(title: str, text: str) -> str:
    """Return the words that the store counts: those of the title count twice."""
    return f"{title}\n{title}\n{text}"


class Fts5:
    """SQLite's own full-text table, holding the text."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._connection = sqlite3.connect(folder / "fts5.db")
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            _TABLE,
            "CREATE TABLE tenth (row INTEGER PRIMARY KEY)",
        ):
            self._connection.execute(statement)

    def add(self, puts: Sequence[Put]) -> None:
        """Insert rows and commit."""
        insert = "INSERT INTO passages VALUES (?, ?)"
        for put in puts:
            for chunk in put.chunks:
                row = (chunk.id, _body(put.document.title, chunk.text))
                at = self._connection.execute(insert, row).lastrowid
                if corpus.TENTH in put.document.tags:
                    self._connection.execute("INSERT INTO tenth VALUES (?)", (at,))
        self._connection.commit()

    def settle(self) -> None:
        """Merge the index's parts."""
        self._connection.execute("INSERT INTO passages(passages) VALUES ('optimize')")
        self._connection.commit()

    def searches(self) -> dict[str, Search]:
        """Keyword searches, by bm25."""
        filtered = "AND +rowid IN (SELECT row FROM tenth)"
        return {
            "keyword": lambda pair: self._search(pair[0], ""),
            "keyword, no common words": lambda pair: self._search(
                without_common_words(pair[0]), ""
            ),
            "keyword, three words": lambda pair: self._search(three_words(pair[0]), ""),
            "keyword, 10 % filter": lambda pair: self._search(pair[0], filtered),
        }

    def _search(self, text: str, condition: str) -> Ranking:
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(text))
        rows = self._connection.execute(
            "SELECT id, -rank, body FROM passages WHERE passages MATCH ? "
            f"{condition} ORDER BY rank LIMIT {K}",
            (words,),
        )
        return [(name, score) for name, score, _ in rows.fetchall()]


class Tantivy:
    """The Rust library, with stems."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._tantivy: Any = importlib.import_module("tantivy")
        builder = self._tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
        builder.add_text_field("tag", tokenizer_name="raw")
        self._schema = builder.build()
        self._index = self._tantivy.Index(self._schema, path=str(folder))
        self._writer = self._index.writer(num_threads=1)

    def add(self, puts: Sequence[Put]) -> None:
        """Add documents and commit."""
        for put in puts:
            for chunk in put.chunks:
                document = self._tantivy.Document()
                document.add_text("id", chunk.id)
                document.add_text("body", _body(put.document.title, chunk.text))
                for tag in put.document.tags:
                    document.add_text("tag", tag)
                self._writer.add_document(document)
        self._writer.commit()

    def settle(self) -> None:
        """Wait for merges."""
        self._writer.wait_merging_threads()
        self._index.reload()

    def searches(self) -> dict[str, Search]:
        """Keyword searches, by BM25."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        tenth = query.term_query(self._schema, "tag", corpus.TENTH)
        free = query.const_score_query(tenth, 0.0)

        def filtered(text: Any) -> Any:
            return query.boolean_query([(occur.Must, text), (occur.Must, free)])

        return {
            "keyword": lambda pair: self._search(self._parsed(pair[0])),
            "keyword, no common words": lambda pair: self._search(
                self._parsed(without_common_words(pair[0]))
            ),
            "keyword, three words": lambda pair: self._search(self._parsed(three_words(pair[0]))),
            "keyword, 10 % filter": lambda pair: self._search(filtered(self._parsed(pair[0]))),
        }

    def _parsed(self, text: str) -> Any:
        return self._index.parse_query(" ".join(_WORD.findall(text.lower())), ["body"])

    def _search(self, query: Any) -> Ranking:
        searcher = self._index.searcher()
        found = []
        for score, address in searcher.search(query, K).hits:
            document = searcher.doc(address)
            document.get_first("body")
            found.append((document.get_first("id"), score))
        return found
