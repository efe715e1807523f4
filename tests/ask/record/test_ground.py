"""Whether a block of a saved answer still is how its page looks, under the headings of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sextant.ask.cite import lines_of
from sextant.types import Answer, Chunk, Citation, Document, Put, Statement, Verdict
from tests.ask.record.test_verify import checked, complaints

CODE = "Run this:\n\n```sh\nworker --drain 5\n```\n\nIt takes 5 minutes."
PAGE = Put(
    Document("w", "Worker", metadata={"sextant:format": "markdown"}),
    (Chunk("w#c0", CODE, 40, 40 + len(CODE), ("Worker", "Drain it")),),
    key="v1",
)
SOURCE = Citation("Worker", "w#c0", "w", "Worker", "", CODE, 40, 40 + len(CODE), "v1")
BLOCK = Statement(
    CODE,
    ("Worker",),
    block=True,
    headings=("Drain it",),
    marked=(CODE.index("It takes"), len(CODE)),
)
UNSHOWN = "no source that it rests on has this block"


def answer_of(block: Statement) -> Answer:
    text = lines_of(block)
    return Answer("How is it drained?", text, Verdict(True, 0.9), (block,), (SOURCE,))


def test_a_block_that_nothing_was_done_to_holds() -> None:
    assert complaints(checked(answer_of(BLOCK), PAGE)) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda one: replace(one, text=one.text.replace("--drain 5", "--drain 9"), marked=()),
        lambda one: replace(one, text=one.text.replace("```sh", "```python"), marked=()),
        lambda one: replace(one, text=one.text.replace("It takes", "It needs")),
        lambda one: replace(one, headings=("Delete it",)),
        lambda one: replace(one, headings=()),
    ],
    ids=["code", "language", "words", "heading", "no heading"],
)
def test_a_block_with_other_words_code_or_headings_is_not_its_pages(
    change: Callable[[Statement], Statement],
) -> None:
    found = complaints(checked(answer_of(change(BLOCK)), PAGE))
    assert UNSHOWN in [says for _, _, says in found]


@pytest.mark.parametrize("marked", [(1,), (1, 2, 3), (-4, 2), (5, 5), (0, 9_999)])
def test_a_mark_that_is_no_part_of_its_block_is_found(marked: tuple[int, ...]) -> None:
    (complaint,) = complaints(checked(answer_of(replace(BLOCK, marked=marked)), PAGE))
    assert "what is marked in it is no part of it" in complaint


def test_a_line_put_between_the_lines_of_a_block_is_found() -> None:
    answer = answer_of(BLOCK)
    forged = replace(answer, text=answer.text.replace("--drain 5", "--drain 5\nrm -r /data"))
    assert not checked(forged, PAGE).ok


def test_a_block_of_a_page_that_was_changed_no_longer_holds() -> None:
    text = CODE.replace("--drain 5", "--drain 7")
    changed = replace(PAGE, chunks=(replace(PAGE.chunks[0], text=text),), key="v2")
    assert not checked(answer_of(BLOCK), PAGE, changed).ok
