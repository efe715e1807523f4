"""Texts of outside retrievers as hits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.outside import FOREIGN, hits_of
from sextant.types import Retrieval


def test_the_earlier_a_text_came_the_better_it_ranks() -> None:
    one = Retrieval("a", ("first", "second " * 30, "third"), ("A", "B", "C"))
    hits = hits_of([one])
    assert [hit.passage.document.title for hit in hits] == ["A", "B", "C"]
    assert all(0 < hit.scores.total <= 1 for hit in hits)
    assert hits[0].scores.total > hits[1].scores.total > hits[2].scores.total


def test_a_text_that_two_queries_find_is_one_hit_at_its_better_place() -> None:
    hits = hits_of([Retrieval("a", ("x", "y"), ("S", "S")), Retrieval("b", ("y",), ("S",))])
    assert sorted(hit.passage.chunk.text for hit in hits) == ["x", "y"]
    assert {hit.scores.relevancy for hit in hits} == {1.0}


def test_the_same_text_of_another_source_is_another_passage_of_the_same_version() -> None:
    one, other = hits_of([Retrieval("a", ("x", "x"), ("S", "T"))])
    assert one.passage.chunk.id != other.passage.chunk.id
    assert one.passage.version == other.passage.version


@pytest.mark.parametrize(
    ("source", "title", "url"),
    [
        ("Refund policy", "Refund policy", ""),
        ("https://wiki.example/a/Refund%20policy", "Refund policy", "same"),
        ("https://wiki.example", "wiki.example", "same"),
        ("[Refunds](https://wiki.example/r)", "Refunds", "https://wiki.example/r"),
        ("Refunds - https://wiki.example/r", "Refunds", "https://wiki.example/r"),
        ("Refunds (https://wiki.example/r)", "Refunds", "https://wiki.example/r"),
        ("javascript:alert(1)", "javascript:alert(1)", ""),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))", ""),
        ("https://a\u2100b/x", "https://a\u2100b/x", "same"),
        ("", "", ""),
    ],
)
def test_title_and_address_come_from_the_source(source: str, title: str, url: str) -> None:
    (hit,) = hits_of([Retrieval("q", ("text",), (source,))])
    document = hit.passage.document
    assert document.title == title
    assert document.url == (source if url == "same" else url)


@given(st.lists(st.tuples(st.text(min_size=1, max_size=9), st.text(max_size=9)), max_size=20))
def test_ids_are_stable_and_unique(found: list[tuple[str, str]]) -> None:
    texts, sources = zip(*found, strict=True) if found else ((), ())
    clean = Retrieval("q", tuple(map(_whole, texts)), tuple(map(_whole, sources)))
    hits = hits_of([clean])
    ids = [hit.passage.chunk.id for hit in hits]
    assert len(set(ids)) == len(ids) == len(set(zip(clean.texts, clean.sources, strict=True)))
    assert all(one.startswith(FOREIGN) for one in ids)
    assert hits == hits_of([clean, clean])
    for hit in hits:
        chunk = hit.passage.chunk
        assert (chunk.start, chunk.end) == (0, len(chunk.text))


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
