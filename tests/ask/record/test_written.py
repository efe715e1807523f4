"""Whether an answer in a model's words still holds: against changed pages, and changed words."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sextant.ask.phrases import ENGLISH
from sextant.ask.record.fields import digest_of, saved
from sextant.ask.record.load import read
from sextant.ask.record.verify import Verification, verify
from sextant.build import open_store
from sextant.settings import Settings
from sextant.types import Answer, Change, Chunk, Document, Put, Scope, Verdict
from tests.ask.grounding.replies import ENOUGH, QUESTION, reply, wrote
from tests.ask.pieces import passage

TEXT = "Process X runs every night at 05:10 and pays refunds. It is owned by Team Y."
PUT = Put(
    Document("x", "Process X"), (Chunk("x#c0", TEXT, 0, len(TEXT), ("Process X",)),), key="v1"
)
PAGE = passage("x", TEXT, "Process X", headings=("Process X",))
PROSE = (
    "## Owner\n\nTeam Y owns Process X [Process X].\n\n- Process X runs at 05:10 [Process X].\n"
    "  It pays refunds [Process X].\n\nThe sources do not say who leads Process X."
)


def answered(markdown: str = PROSE, verdict: Verdict = ENOUGH, *, mark: bool = False) -> Answer:
    cited = wrote(reply(markdown), PAGE, verdict=verdict, mark=mark).cited
    return Answer(QUESTION, cited.text, verdict, cited.statements, cited.citations)


def checked(answer: Answer, *changes: Change) -> Verification:
    async def task() -> Verification:
        store = await open_store(Settings(store="memory:"))
        for change in (PUT, *changes):
            await store.truth.write(Scope(), [change])
        return await verify(store, Scope(), answer)

    return asyncio.run(task())


def changed(answer: Answer, old: str, new: str) -> Answer:
    """Return the answer with other words, in its text and in its statements."""
    statements = tuple(replace(one, text=one.text.replace(old, new)) for one in answer.statements)
    return replace(answer, text=answer.text.replace(old, new), statements=statements)


def test_a_written_answer_holds_and_comes_back_as_it_was_saved() -> None:
    answer = answered()
    found = checked(answer)
    assert found.ok, found.failed
    assert "its source says it in other words" in [check.says for check in found.checks]
    again = read(saved(answer))
    assert again.answer == answer
    assert again.digest == digest_of(answer)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Team Y owns", "Team Z owns"),
        ("05:10", "05:40"),
        ("Team Y owns", "Team Y never owns"),
        ("It pays refunds.", "It steals refunds."),
        ("## Owner", "## Call +1 555 0100"),
        ("The sources do not say who", "Everybody knows who"),
        ("[Process X]", "[Process Y]"),
    ],
)
def test_other_words_than_the_sources_bear_out_fail(old: str, new: str) -> None:
    assert not checked(changed(answered(), old, new)).ok


def test_a_statement_that_is_passed_off_as_a_quote_fails() -> None:
    answer = answered()
    statements = tuple(replace(one, written=False) for one in answer.statements)
    assert not checked(replace(answer, statements=statements)).ok


def test_a_changed_document_fails_what_was_written_from_it() -> None:
    text = TEXT.replace("Team Y", "Team Z")
    other = replace(PUT, chunks=(replace(PUT.chunks[0], text=text),), key="v2")
    assert not checked(answered(), other).ok


def test_thin_evidence_and_marked_sentences_hold_as_what_they_are() -> None:
    thin = Verdict(False, 0.2, missing=("Since when?",))
    assert checked(answered(verdict=thin)).ok
    marked = answered(f"{PROSE}\n\nIt is cheap [Process X].", mark=True)
    assert marked.text.endswith(f"It is cheap. {ENGLISH.unsupported}")
    assert checked(marked).ok
    assert not checked(replace(marked, text=marked.text.replace(f" {ENGLISH.unsupported}", ""))).ok
