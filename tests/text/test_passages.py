"""What an embedder reads of a chunk, and where the chunk's pieces stand in it."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.text.passages import embeddable, embedding_text
from sextant.text.prose.units import units_of
from sextant.types import Chunk, Document, Passage

WORDS = st.sampled_from(["Pods restart.", "# Title", "| a | b |", "- item", "key: value", "\n"])
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join) | st.text(min_size=1)


@given(st.text(max_size=5), st.lists(st.text(max_size=5), max_size=3), TEXTS, st.booleans())
def test_a_piece_reads_the_same_in_the_chunk_and_in_what_is_embedded(
    title: str, headings: list[str], text: str, is_code: bool
) -> None:
    document = Document("d", title, metadata={"sextant:format": "code"} if is_code else {})
    chunk = Chunk("d#1", text, headings=tuple(headings))
    found = embeddable(document, chunk)
    units = units_of(Passage(chunk, document, ""))
    assert found.text == embedding_text(title, headings, text)
    assert found.text[found.start :] == text
    assert list(found.spans) == [(unit.start, unit.end) for unit in units]
    assert [found.text[start:end] for start, end in found.places] == [
        text[start:end] for start, end in found.spans
    ]


def test_what_is_too_long_to_be_embedded_has_places_where_the_text_ends() -> None:
    chunk = Chunk("d#1", "A sentence that is not long. " * 1_000)
    found = embeddable(Document("d", "Title"), chunk)
    assert found.spans[-1][1] == found.spans[399][1]
    assert all(start <= end <= len(found.text) for start, end in found.places)
    cut = embeddable(Document("d", "Title"), Chunk("d#1", f"{'x' * 30_000}. The end."))
    assert cut.places[-1] == (len(cut.text), len(cut.text))


def test_code_has_other_pieces_than_prose() -> None:
    chunk = Chunk("d#1", "# Wait.\nsleep(1)\nstop()")
    prose, code = (
        embeddable(Document("d", metadata={"sextant:format": kind}), chunk)
        for kind in ("text", "code")
    )
    assert prose.text == code.text
    assert prose.spans != code.spans
