"""Chunks along the structure of a text: exact spans, nothing lost, nothing too long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sextant.ingest.read.prose.markdown import scan
from sextant.ingest.shaping.split import split
from sextant.ingest.values import Block, Kind, Reading

SIZE = 200
WORDS = ("pod", "Service", "A.", "restart!", "日本語。", "naïve", "—", "|", "x" * 70, "y" * 450)
Part = tuple[Kind, int, str]


def reading(parts: Sequence[Part], gap: str = "\n\n", pages: bool = False) -> Reading:
    """Return a reading of these blocks, one under the other."""
    text, blocks = "", []
    for number, (kind, level, body) in enumerate(parts):
        start = len(text) + len(gap) if text else 0
        text += (gap if text else "") + body
        name = " ".join(body.split()) if kind is Kind.HEADING else ""
        page = number // 3 if pages else None
        blocks.append(Block(kind, start, len(text), level, name, page))
    return Reading(text, tuple(blocks))


bodies = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).flatmap(
    lambda words: st.sampled_from((" ", "\n", "  \n")).map(lambda blank: blank.join(words))
)
parts = st.one_of(
    st.tuples(st.just(Kind.HEADING), st.integers(1, 4), st.sampled_from(("Setup", "Use", "B 日"))),
    st.tuples(st.sampled_from([kind for kind in Kind if kind != Kind.HEADING]), st.just(0), bodies),
)
readings = st.builds(reading, st.lists(parts, max_size=8), st.just("\n\n"), st.booleans())


@given(readings)
def test_chunks_are_exact_spans_in_order_that_never_overlap(read: Reading) -> None:
    at = 0
    for number, chunk in enumerate(split(read, "doc", SIZE)):
        assert chunk.id == f"doc#c{number}"
        assert chunk.text == read.text[chunk.start : chunk.end] == chunk.text.strip()
        assert at <= chunk.start < chunk.end
        assert re.search(r"[^\W_]", chunk.text)
        at = chunk.end


@given(readings)
def test_every_word_outside_headings_is_in_a_chunk_and_every_heading_somewhere(
    read: Reading,
) -> None:
    chunks = split(read, "doc", SIZE)
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    for block in read.blocks:
        if block.kind is Kind.HEADING:
            places = [(*chunk.headings, *chunk.text.split("\n")) for chunk in chunks]
            assert any(block.name in place for place in places)
        else:
            letters = re.finditer(r"[^\W_]", read.text[block.start : block.end])
            assert {block.start + one.start() for one in letters} <= covered


@given(readings)
def test_no_chunk_is_longer_than_twice_the_size(read: Reading) -> None:
    whole = {block.start: block.kind for block in read.blocks}
    for chunk in split(read, "doc", SIZE):
        kept = whole.get(chunk.start) in (Kind.CODE, Kind.TABLE)
        assert len(chunk.text) <= (2 * SIZE if kept else SIZE)


@given(readings)
def test_a_chunk_is_on_the_page_that_it_starts_on(read: Reading) -> None:
    for chunk in split(read, "doc", SIZE):
        inside = [one for one in read.blocks if chunk.start < one.end and one.start < chunk.end]
        body = [one.page for one in inside if one.kind is not Kind.HEADING]
        assert chunk.page in {inside[0].page, *body[:1]}


@given(st.text(max_size=1_000))
def test_any_text_without_blocks_is_split_exactly(text: str) -> None:
    chunks = split(Reading(text), "doc", SIZE)
    assert all(text[one.start : one.end] == one.text for one in chunks)
    kept = "".join("".join(one.text for one in chunks).split())
    assert not chunks or kept.endswith("".join(text.split())[-1:])


def cut(parts: Sequence[Part], size: int = SIZE) -> list[tuple[tuple[str, ...], str]]:
    return [(one.headings, one.text) for one in split(reading(parts), "d", size)]


def head(level: int, name: str) -> Part:
    return (Kind.HEADING, level, name)


def text(body: str) -> Part:
    return (Kind.TEXT, 0, body)


LONG = " ".join(["Restart the pods one by one and wait for each."] * 3)


def test_headings_are_the_path_of_what_stands_under_them() -> None:
    found = cut(
        [
            text(LONG),
            head(1, "Guide"),
            text(LONG),
            head(2, "Setup"),
            text(LONG),
            head(3, "Linux"),
            text(LONG),
            head(2, "Use"),
            text(LONG),
        ]
    )
    assert [path for path, _ in found] == [
        (),
        ("Guide",),
        ("Guide", "Setup"),
        ("Guide", "Setup", "Linux"),
        ("Guide", "Use"),
    ]
    assert {body for _, body in found} == {LONG}


def test_levels_may_be_left_out() -> None:
    deep, top, inner = head(3, "Deep"), head(1, "Top"), head(4, "In")
    found = cut([deep, text(LONG), top, text(LONG), inner, text(LONG)])
    assert [path for path, _ in found] == [("Deep",), ("Top",), ("Top", "In")]


def test_blocks_of_a_section_are_put_together_up_to_the_size() -> None:
    found = cut([head(1, "Guide"), text("One pod."), text("Two pods."), text(LONG), text("Last.")])
    assert found == [
        (("Guide",), f"One pod.\n\nTwo pods.\n\n{LONG}\n\nLast."),
    ]


def test_a_tiny_section_joins_the_next_and_both_headings_are_in_the_text() -> None:
    one, two = head(2, "One"), head(2, "Two")
    found = cut([head(1, "G"), text(LONG), one, text("Yes."), two, text("No.")])
    assert found == [(("G",), LONG), (("G",), "One\n\nYes.\n\nTwo\n\nNo.")]


def test_a_tiny_rest_of_a_section_never_loses_its_heading() -> None:
    whole = f"{LONG} {LONG}"[: SIZE - 1]
    found = cut([head(1, "One"), text(whole.strip()), text("Rest."), head(1, "Two"), text("No.")])
    assert [path for path, _ in found] == [("One",), ("One",), ("Two",)]


def test_a_heading_with_nothing_under_it_is_kept() -> None:
    found = cut([head(1, "Guide"), text(LONG), head(2, "Later"), head(2, "Never")])
    assert "\n\n".join(body for _, body in found).endswith("Later\n\nNever")


def test_long_text_is_cut_between_sentences() -> None:
    sentence = "Restart the pods one by one and wait for each of them to come up again."
    found = cut([text(" ".join([sentence] * 7))])
    assert [body for _, body in found] == [f"{sentence} {sentence}"] * 3 + [sentence]


def test_a_paragraph_goes_with_the_code_that_it_leads_into() -> None:
    code = "\n".join(["kubectl rollout restart deployment/checkout"] * 4)
    found = cut([text(LONG), text("Then restart it:"), (Kind.CODE, 0, code)])
    assert [body for _, body in found] == [LONG, f"Then restart it:\n\n{code}"]


def test_numbered_steps_are_kept_whole_up_to_twice_the_size() -> None:
    steps = "\n".join(
        f"{number}. Restart the pod, and wait until it is ready." for number in range(1, 8)
    )
    assert cut([(Kind.LIST, 0, steps)]) == [((), steps)]
    points = steps.replace("1. ", "- ", 1)
    assert len(cut([(Kind.LIST, 0, points)])) > 1


def test_code_is_kept_whole_up_to_twice_the_size_and_then_cut_between_lines() -> None:
    line = "kubectl rollout restart deployment/checkout"
    short = "\n".join([line] * 8)
    assert cut([(Kind.CODE, 0, short)]) == [((), short)]
    long = "\n".join([line] * 20)
    found = [body for _, body in cut([(Kind.CODE, 0, long)])]
    assert "\n".join(found) == long
    assert all(set(body.split("\n")) == {line} for body in found)


def test_a_table_is_cut_where_its_reader_says() -> None:
    rows = [f"row {number}\nstill row {number} with more words in it" for number in range(20)]
    body = "\n".join(rows)
    cuts, at = [], 0
    for row in rows[:-1]:
        at += len(row) + 1
        cuts.append(at)
    block = Block(Kind.TABLE, 0, len(body), cuts=tuple(cuts))
    chunks = split(Reading(body, (block,)), "d", SIZE)
    assert len(chunks) > 1
    assert all(chunk.text.startswith("row") for chunk in chunks)


def test_what_goes_on_with_a_table_stands_under_its_heads() -> None:
    rows = "".join(f"| Desk of ward {number} | {number} |\n" for number in range(60))
    table = f"# Phones\n| Desk | Ext |\n|---|---|\n{rows}\nThe end."
    chunks = split(Reading(table, scan(table)), "d", SIZE)
    assert chunks[0].headings == ("Phones",)
    assert {chunk.headings for chunk in chunks[1:-1]} == {("Phones", "| Desk | Ext |")}
    assert chunks[-1].headings == ("Phones",)


def test_a_word_without_end_is_cut_hard() -> None:
    found = cut([text("x" * 1_000)])
    assert [len(body) for _, body in found] == [SIZE] * 5


def test_a_document_without_a_word_has_no_chunk() -> None:
    assert cut([text("— … |")]) == []
    assert split(Reading("  \n "), "d", SIZE) == ()
