"""What is remembered of the rows of the index."""

import pytest

from sextant.stores.azure.search import remembered
from sextant.stores.azure.search.remembered import Remembered
from sextant.types import Facets


def row(name: str, version: str = "1", pieces: str | None = "p") -> dict[str, str | None]:
    return {"chunkId": name, "version": version, "pieces": pieces}


def test_rows_come_back_for_the_view_and_the_version_that_they_were_seen_at() -> None:
    known = Remembered()
    known.note_rows("one", [row("a"), row("b", pieces=None)])
    assert known.rows("one", {"a": "1", "b": "1", "c": "1"}) == {
        "a": {"pieces": "p"},
        "b": {"pieces": None},
    }
    assert known.rows("one", {"a": "2"}) == {}
    assert known.rows("other", {"a": "1"}) == {}


def test_facets_belong_to_a_view() -> None:
    known = Remembered()
    known.note_facets("one", Facets({"t": 1}, {}))
    assert known.facets("one") == Facets({"t": 1}, {})
    assert known.facets("other") is None


def test_there_is_an_end_to_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_MOST_PIECES", 2)
    known = Remembered()
    known.note_rows("one", [row("a"), row("b"), row("a"), row("c")])
    assert set(known.rows("one", {"a": "1", "b": "1", "c": "1"})) == {"a", "c"}
