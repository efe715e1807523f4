"""Sources that disagree on a value: who leads, who is named beside, and what is none."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from sextant.ask.phrases import ENGLISH
from sextant.ask.question import Question
from sextant.core import Sextant
from sextant.retrieval.events import Event, Text
from sextant.settings import Rule
from sextant.types import Answer, Scope
from tests.ask.model_steps.playing import in_place, playing, with_model
from tests.ingest.folders import Tree, workplace

NOW = datetime(2026, 10, 31, tzinfo=UTC)
QUESTION = "How long does Harbor Queue keep messages?"
TRUE = "# Harbor Queue\n\nHarbor Queue keeps messages for 72 hours.\n"
FALSE = "# Notes\n\nHarbor Queue keeps messages for 5 hours.\n"
DENIAL = "# Notes\n\nIt is no longer 72 hours. Harbor Queue keeps messages for 5 hours.\n"
RULES = (
    Rule("docs/manual/**", reputation=0.8),
    Rule("docs/drive/**", reputation=0.6),
    Rule("docs/wiki/**", reputation=0.3),
    Rule("docs/forum/**", reputation=0.1),
)


def asked(tree: Tree, question: str = QUESTION) -> Answer:
    async def run() -> Answer:
        async with workplace(*RULES) as place:
            await place.take_in(tree)
            answer = await place.sextant.ask(Scope(), Question(question, now=NOW))
            assert (await place.sextant.verify(Scope(), answer)).ok
            return answer

    return asyncio.run(run())


@pytest.mark.parametrize("place", ["drive", "wiki"])
@pytest.mark.parametrize("page", [FALSE, DENIAL], ids=["copy", "denial"])
def test_the_more_reputable_source_leads_and_the_other_one_is_named(place: str, page: str) -> None:
    answer = asked({"manual/queue.md": TRUE, f"{place}/notes.md": page})
    lead, *_, other = answer.text.split("\n")
    assert lead == "Harbor Queue keeps messages for 72 hours. [Harbor Queue]"
    assert ENGLISH.otherwise in answer.text
    assert other == "- Harbor Queue keeps messages for 5 hours. [Notes]"
    assert [one.otherwise for one in answer.statements] == [False, True]


def test_a_source_that_is_hardly_believed_is_not_repeated() -> None:
    answer = asked({"manual/queue.md": TRUE, "forum/notes.md": FALSE})
    assert "72 hours" in answer.text
    assert "5 hours" not in answer.text


def test_among_equals_both_are_told() -> None:
    answer = asked({"manual/queue.md": TRUE, "manual/notes.md": FALSE})
    assert "72 hours" in answer.text
    assert "5 hours" in answer.text
    assert ENGLISH.otherwise in answer.text


def test_many_pages_of_lower_standing_do_not_outvote_one() -> None:
    pages = {f"wiki/notes{at}.md": FALSE.replace("Notes", f"Notes {at}") for at in range(6)}
    answer = asked({"manual/queue.md": TRUE, **pages})
    assert "72 hours" in answer.text.split(ENGLISH.otherwise)[0]
    assert answer.text.split(ENGLISH.otherwise)[1].count("5 hours") == 1


def test_an_answer_in_dispute_is_less_sure() -> None:
    alone = asked({"manual/queue.md": TRUE})
    disputed = asked({"manual/queue.md": TRUE, "drive/notes.md": FALSE})
    assert disputed.verdict.confidence < alone.verdict.confidence
    assert disputed.verdict.sufficient


@pytest.mark.parametrize(
    "page",
    [
        "# Notes\n\nHarbor Queue keeps messages for 72 hours, as everybody knows.\n",
        "# Notes\n\nTide Scheduler keeps jobs for 5 hours.\n",
        "# Notes\n\nHarbor Queue was switched off for 5 hours.\n",
    ],
    ids=["same", "another", "other matter"],
)
def test_what_says_the_same_or_speaks_of_another_thing_is_no_dispute(page: str) -> None:
    answer = asked({"manual/queue.md": TRUE, "drive/notes.md": page})
    assert ENGLISH.otherwise not in answer.text


def test_two_parts_of_a_list_are_no_dispute() -> None:
    tree = {
        "manual/a.md": "# Service A\n\nService A depends on Harbor Queue.\n",
        "drive/b.md": "# Service B\n\nService B depends on Harbor Queue.\n",
    }
    answer = asked(tree, "Which services depend on Harbor Queue?")
    assert ENGLISH.otherwise not in answer.text


def test_what_a_model_tells_of_one_side_alone_is_followed_by_the_other() -> None:
    said = {
        "rerank": {
            "selected_chunk_texts": ["", ""],
            "selected_sources": ["Harbor Queue", "Notes"],
            "selected_rationales": ["", ""],
            "missing_info_questions": [],
        },
        "answer": {
            "answer_markdown": "Harbor Queue keeps messages for 5 hours. [Notes]",
            "sources": ["Notes"],
        },
    }

    async def task(sextant: Sextant) -> None:
        heard: list[str] = []
        told = with_model(sextant, playing(**said))
        question = Question(QUESTION, now=NOW)
        answer = await told.ask(Scope(), question, lambda e: hear(heard, e))
        assert answer.text.splitlines() == [
            "Harbor Queue keeps messages for 5 hours. [Notes]",
            "",
            ENGLISH.otherwise,
            "- Harbor Queue keeps messages for 72 hours. [Harbor Queue]",
        ]
        assert "".join(heard) == answer.text
        assert (await told.verify(Scope(), answer)).ok

    in_place(task, {"queue.md": TRUE, "notes.md": FALSE})


def hear(heard: list[str], event: Event) -> None:
    if isinstance(event, Text):
        heard.append(event.text)
