"""Whether a saved answer still holds: what was changed, in documents or in the file, is said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sextant.ask.record.fields import digest_of
from sextant.ask.record.verify import Check, Verification, What, verify
from sextant.ask.route import route
from sextant.build import open_store
from sextant.settings import Settings
from sextant.types import (
    Answer,
    Change,
    Chunk,
    Citation,
    Document,
    Entity,
    Put,
    Relation,
    Remove,
    Scope,
    Statement,
    Verdict,
)

EDGE = Relation("process-x", "team-y", "owned_by", 0.9, 1.0, ("x#c0",))
OWNED = "Process X is owned by Team Y."
PAGE = Put(
    Document("x", "Process X", "https://wiki.example/x"),
    (
        Chunk("x#c0", f"It runs daily. {OWNED}", 100, 144),
        Chunk("x#c1", "hour | job\n05:10 | Process X", 146, 174),
    ),
    (Entity("process-x", "Process X"), Entity("team-y", "Team Y")),
    (EDGE,),
    key="v1",
)
RUNS = Citation(
    "Process X",
    "x#c0",
    "x",
    "Process X",
    "https://wiki.example/x",
    "It runs daily.",
    100,
    114,
    "v1",
)
OWNS = replace(RUNS, label="Process X, 2", quote=OWNED, start=115, end=144)
ROW = replace(
    RUNS, label="Process X, 3", chunk_id="x#c1", quote="05:10 | Process X", start=157, end=174
)
ANSWER = Answer(
    "How often does Process X run, and whose is it?",
    "It runs daily. [Process X]\n"
    "Process X is owned by Team Y. [Process X, 2]\n"
    "hour: 05:10; job: Process X. [Process X, 3]",
    Verdict(True, 0.9),
    (
        Statement("It runs daily.", ("Process X",)),
        Statement(OWNED, ("Process X, 2",), (EDGE,)),
        Statement("hour: 05:10; job: Process X.", ("Process X, 3",)),
    ),
    (RUNS, OWNS, ROW),
)


def checked(
    answer: Answer,
    *changes: Change,
    scope: Scope = Scope(),  # noqa: B008 - a frozen value
    digest: str = "",
) -> Verification:
    async def task() -> Verification:
        store = await open_store(Settings(store="memory:"))
        await store.truth.write(scope, [PAGE])
        for change in changes:
            await store.truth.write(scope, [change])
        return await verify(store, scope, answer, digest)

    return asyncio.run(task())


def complaints(found: Verification) -> list[tuple[str, str, str]]:
    assert found.ok == (not found.failed)
    return [(check.what, check.name, check.says) for check in found.failed]


def with_chunk(text: str, **more: Any) -> Put:
    chunk = replace(PAGE.chunks[0], text=text, end=100 + len(text))
    return replace(PAGE, chunks=(chunk, *PAGE.chunks[1:]), **{"key": "v2", **more})


def test_an_answer_that_nothing_was_done_to_holds() -> None:
    found = checked(ANSWER, digest=digest_of(ANSWER))
    assert complaints(found) == []
    assert found.checks == (
        Check(What.CITATION, "Process X", True, "the quote stands"),
        Check(What.CITATION, "Process X, 2", True, "the quote stands"),
        Check(What.CITATION, "Process X, 3", True, "the quote stands"),
        Check(What.STATEMENT, "1", True, "its source says it"),
        Check(What.STATEMENT, "2", True, "the graph says it"),
        Check(What.STATEMENT, "3", True, "its source says it"),
        Check(What.RECORD, digest_of(ANSWER), True, "it is as it was saved"),
    )


def test_a_sentence_may_stand_under_the_title_of_its_source_and_of_no_other() -> None:
    for title, holds in (("Process X", True), ("Process Y", False)):
        said = f"{title}: It runs daily."
        text = ANSWER.text.replace("It runs daily.", said)
        assert checked(replace(restated(0, text=said), text=text)).ok == holds


def test_a_sentence_may_stand_under_a_heading_over_it_and_under_no_other() -> None:
    page = "## Job 7\n\nIt runs hourly.\n\n## Job 9\n\nIt runs daily.\n\n## Job 8\n\nIt rests."
    at = 100 + page.index("It runs daily.")
    cited = replace(RUNS, start=at, end=at + len("It runs daily."), version="v2")
    for heading, holds in (("Job 9", True), ("Job 7", False), ("Job 8", False)):
        statement = Statement(f"{heading}: It runs daily.", ("Process X",))
        text = f"{statement.text} [Process X]"
        answer = Answer("What runs?", text, Verdict(True, 0.9), (statement,), (cited,))
        assert checked(answer, with_chunk(page)).ok == holds


def test_a_quote_that_is_gone_is_told_from_one_that_still_stands() -> None:
    found = checked(ANSWER, with_chunk("It runs daily. Process X was owned by Team Q."))
    says = {check.name: check.says for check in found.checks if check.what == "citation"}
    assert not found.ok
    assert says["Process X"] == "the document has changed, but the quote still stands in it"
    assert says["Process X, 2"] == "the document has changed, and the quote is gone"


def test_a_document_that_was_deleted_or_is_hidden_now_is_no_source() -> None:
    says = "there is no document 'x', or it is not for you to see"
    gone = ("citation", "Process X", says)
    hidden = replace(PAGE, document=replace(PAGE.document, personas=frozenset({"sre"})), key="v2")
    assert gone in complaints(checked(ANSWER, Remove("x")))
    assert gone in complaints(checked(ANSWER, hidden))
    assert gone not in complaints(checked(ANSWER, hidden, scope=Scope(personas=frozenset({"sre"}))))


def test_a_document_that_was_only_linked_anew_is_the_same_version() -> None:
    document = replace(PAGE.document, metadata={"sextant:fingerprint": "f1"})
    anew = replace(PAGE, document=document, key="f1/b")
    old = tuple(replace(one, version="f1/a") for one in ANSWER.citations)
    assert checked(replace(ANSWER, citations=old), anew).ok
    other = tuple(replace(one, version="f0/a") for one in ANSWER.citations)
    assert not checked(replace(ANSWER, citations=other), anew).ok
    by_hand = replace(PAGE, key="f1/b")
    assert not checked(replace(ANSWER, citations=old), by_hand).ok


def test_a_relation_must_still_be_said_by_what_said_it() -> None:
    lost = "nothing says process-x —owned_by→ team-y any more"
    unsaid = replace(PAGE, relations=(), key="v1b")
    assert ("statement", "2", lost) in complaints(checked(ANSWER, unsaid))
    elsewhere = Put(
        Document("z"), (Chunk("z#c0", OWNED),), relations=(replace(EDGE, evidence=("z#c0",)),)
    )
    assert ("statement", "2", lost) in complaints(checked(ANSWER, elsewhere, unsaid))


def test_a_source_that_only_speaks_of_both_ends_does_not_state_their_relation() -> None:
    said = replace(EDGE, evidence=("z#c0",))
    declared = Put(Document("z"), (Chunk("z#c0", OWNED),), relations=(said,))
    answer = restated(1, relations=(said,))
    apart = ("statement", "2", "no source that it rests on says process-x —owned_by→ team-y")
    assert apart not in complaints(checked(answer, declared))
    both = replace(PAGE.chunks[0], entity_ids=("process-x", "team-y"))
    quote = "It runs daily."
    elsewhere = replace(OWNS, quote=quote, start=100, end=100 + len(quote))
    mentioned = replace(answer, citations=(RUNS, elsewhere, ROW))
    page = replace(PAGE, chunks=(both, PAGE.chunks[1]), relations=(), key="v1b")
    assert apart in complaints(checked(mentioned, declared, page))


def test_a_relation_that_no_sentence_states_rests_on_the_record_that_declares_it() -> None:
    quote = "It runs daily."
    cited = replace(OWNS, quote=quote, start=100, end=100 + len(quote))
    answer = replace(ANSWER, citations=(RUNS, cited, ROW))
    apart = ("statement", "2", "no source that it rests on says process-x —owned_by→ team-y")
    assert apart in complaints(checked(answer))
    sure = replace(EDGE, confidence=1.0)
    declared = replace(PAGE, relations=(sure,), key="v1b")
    assert apart not in complaints(checked(answer, declared))


def test_a_renamed_entity_makes_a_statement_of_the_graph_false() -> None:
    names = (Entity("process-x", "Process X"), Entity("team-y", "Team Q"))
    sure = replace(EDGE, confidence=1.0)
    renamed = replace(PAGE, entities=names, relations=(sure,), key="v1b")
    found = checked(ANSWER, renamed)
    assert ("statement", "2", "that is not what its relations say") in complaints(found)


def replaced(at: int, **fields: Any) -> Answer:
    citations = list(ANSWER.citations)
    citations[at] = replace(citations[at], **fields)
    return replace(ANSWER, citations=tuple(citations))


def restated(at: int, **fields: Any) -> Answer:
    statements = list(ANSWER.statements)
    statements[at] = replace(statements[at], **fields)
    return replace(ANSWER, statements=tuple(statements))


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (
            replaced(0, quote="It runs hourly"),
            "the quote is not what stands at 100 to 114 in this version of the document",
        ),
        (
            replaced(0, start=101),
            "the quote is not what stands at 101 to 114 in this version of the document",
        ),
        (
            replaced(0, start=0, end=14),
            "the quote is not what stands at 0 to 14 in this version of the document",
        ),
        (
            replaced(0, quote="", start=100, end=100),
            "the quote is not what stands at 100 to 100 in this version of the document",
        ),
        (replaced(0, chunk_id="x#c9"), "the document has no chunk 'x#c9'"),
        (replaced(0, chunk_id=""), "the document has no chunk ''"),
        (replaced(0, document_id="y"), "there is no document 'y', or it is not for you to see"),
        (replaced(0, document_id=""), "there is no document '', or it is not for you to see"),
        (replaced(0, url="https://evil.example"), "the document has another title or address"),
        (replaced(0, title="Process Y"), "the document has another title or address"),
        (replaced(0, version="v0"), "the document has changed, but the quote still stands in it"),
        (replaced(1, label="Process X"), "another source has the same label"),
        (replaced(0, label="Process Z"), "no statement rests on it"),
        (restated(0, labels=()), "it rests on no source"),
        (restated(0, labels=("Process Z",)), "its label 'Process Z' belongs to no source"),
        (
            restated(0, text="It runs hourly."),
            "it does not stand in the answer like this, with its labels",
        ),
        (
            replace(
                restated(0, text="It runs hourly."), text=ANSWER.text.replace("daily", "hourly")
            ),
            "no source that it rests on says it in these words",
        ),
        (
            replace(
                restated(1, text=OWNED.replace("Y", "Q")),
                text=ANSWER.text.replace("Team Y", "Team Q"),
            ),
            "that is not what its relations say",
        ),
        (
            restated(1, relations=(replace(EDGE, evidence=("x#c1",)),)),
            "nothing says process-x —owned_by→ team-y any more",
        ),
        (
            replace(ANSWER, text=ANSWER.text + "\n\nTeam Q will be dissolved."),
            "the text says more than the statements do",
        ),
        (
            replace(ANSWER, text=ANSWER.text + "\nTeam Q it is. [Team Q]"),
            "the label 'Team Q' belongs to no source",
        ),
        (
            replace(ANSWER, text="", statements=(), citations=ANSWER.citations[:1]),
            "no statement rests on it",
        ),
    ],
)
def test_what_was_done_to_the_file_is_said(answer: Answer, complaint: str) -> None:
    assert complaint in [says for _, _, says in complaints(checked(answer))]
    record = ("record", digest_of(ANSWER), "it was changed after it was saved")
    assert record in complaints(checked(answer, digest=digest_of(ANSWER)))


def unknown(*missing: str) -> Answer:
    lines = ["The knowledge does not answer this."]
    if missing:
        lines += ["", "What would help to know:", *(f"- {one}" for one in missing)]
    return Answer("What is it?", "\n".join(lines), Verdict(False, 0.1, missing=missing))


@pytest.mark.parametrize("missing", [(), ("Which service is meant?", "Since *when*?")])
def test_an_answer_that_claims_nothing_holds(missing: Sequence[str]) -> None:
    told = unknown(*missing)
    told = replace(told, text=told.text.replace("*when*", r"\*when\*"))
    assert checked(told).ok
    assert not checked(replace(told, text=told.text + "\nTeam Q.")).ok


def test_a_file_that_names_very_many_or_very_long_ids_is_still_checked() -> None:
    many = tuple(
        replace(RUNS, label=f"{at}", document_id=f"d{at}", chunk_id="c" * 2_000)
        for at in range(2_000)
    )
    assert len(complaints(checked(replace(ANSWER, citations=many)))) >= 2_000


def test_a_reply_to_small_talk_holds_and_nothing_else_in_its_place() -> None:
    reply = route("Thank you!").reply
    assert reply
    assert checked(Answer("Thank you!", reply, Verdict(True, 1.0))).ok
    assert not checked(Answer("Thank you!", "Team Q owns it.", Verdict(True, 1.0))).ok
