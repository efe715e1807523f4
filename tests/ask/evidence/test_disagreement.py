"""Sources that disagree on a value: who leads, who is named beside, and what is none."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from sextant.ask.answer import claims_of
from sextant.ask.evidence.claim import Claim
from sextant.ask.evidence.read import Reader
from sextant.ask.phrases import ENGLISH
from sextant.ask.question import Question
from sextant.core import Sextant
from sextant.retrieval.events import Event, Text
from sextant.settings import Rule
from sextant.text.prose.units import units_of
from sextant.types import Answer, Passage, Scope
from tests.ask.evidence.pieces import WORDS, claims, day, hits, part, passage
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


def claims_with_odds(question: str, *odds: tuple[Passage, float]) -> tuple[Claim, ...]:
    """Return the claims where it is known how likely each text is what is asked for."""
    known = {
        (one.chunk.id, unit.start, unit.end): own for one, own in odds for unit in units_of(one)
    }
    return claims_of(
        [part(question)], hits(*(one for one, _ in odds)), NOW, Reader(WORDS), lambda _: known
    )


def dated(name: str, text: str, when: str, reputation: float) -> Passage:
    return passage(name, text, modified=day(when), reputation=reputation)


@pytest.mark.parametrize("place", ["drive", "wiki"])
@pytest.mark.parametrize("page", [FALSE, DENIAL], ids=["copy", "denial"])
def test_the_more_reputable_source_leads_and_the_other_one_is_named(place: str, page: str) -> None:
    answer = asked({"manual/queue.md": TRUE, f"{place}/notes.md": page})
    lead, *_, other = answer.text.split("\n")
    assert lead == "Harbor Queue keeps messages for 72 hours. [Harbor Queue]"
    assert ENGLISH.otherwise in answer.text
    assert other == "- Harbor Queue keeps messages for 5 hours. [Notes]"
    assert [one.otherwise for one in answer.statements] == [False, True]


def test_what_is_said_of_another_name_in_the_same_words_is_no_dispute() -> None:
    delta = "# Delta relay\n\nThe Delta relay listens on port 8100.\n"
    notes = "# Notes\n\nThe Epsilon relay listens on port 8200.\n"
    tree = {"manual/delta.md": delta, "drive/notes.md": notes}
    answer = asked(tree, "What port does the Delta relay listen on?")
    assert answer.text == "The Delta relay listens on port 8100. [Delta relay]"


def test_a_page_that_mentions_what_is_asked_and_speaks_of_itself_is_no_dispute() -> None:
    queue = "# Harbor Queue\n\nHarbor Queue is owned by Team Keel.\n"
    hooks = "# Gull Webhooks\n\nIt reads events from Harbor Queue and is owned by Team Lantern.\n"
    tree = {"manual/queue.md": queue, "manual/hooks.md": hooks}
    answer = asked(tree, "Who owns the Harbor Queue?")
    assert answer.text == "Harbor Queue is owned by Team Keel. [Harbor Queue]"


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


def test_the_year_of_a_date_is_no_count_that_another_text_shares() -> None:
    question = "How many messages a second does Harbor Queue send?"
    since = "From 1 October 2026 Harbor Queue may send 200 messages a second."
    found = claims_with_odds(
        question,
        (dated("update", since, "2026-10-01", 0.9), 4.0),
        (dated("queue", "Harbor Queue sends 120 messages a second.", "2026-05-01", 0.8), 1.0),
        (dated("plan", "Harbor Queue comes first, in August 2026.", "2026-01-01", 0.8), 3.5),
    )
    others = [claim.otherwise.text for claim in found if claim.otherwise]
    assert others == ["Harbor Queue sends 120 messages a second."]


def test_two_parts_of_a_list_are_no_dispute() -> None:
    tree = {
        "manual/a.md": "# Service A\n\nService A depends on Harbor Queue.\n",
        "drive/b.md": "# Service B\n\nService B depends on Harbor Queue.\n",
    }
    answer = asked(tree, "Which services depend on Harbor Queue?")
    assert ENGLISH.otherwise not in answer.text


DRIVER = "The `{}` driver is the default driver of the kubelet."


def test_of_the_better_ones_the_one_that_answers_leads_and_not_the_newest() -> None:
    false, true = DRIVER.format("brine"), DRIVER.format("reef")
    newer = "Configure `shoal` as the driver of the kubelet, which is not the default."
    found = claims_with_odds(
        "What is the default driver of the kubelet?",
        (dated("notes", false, "2026-10-01", 0.6), 12.0),
        (dated("kubelet", true, "2026-01-01", 0.8), 9.0),
        (dated("runtime", newer, "2026-09-01", 0.8), 6.0),
    )
    (claim,) = [one for one in found if one.otherwise]
    assert claim.text == true
    assert claim.otherwise
    assert claim.otherwise.text == false


def test_a_source_with_another_code_is_not_cited_for_a_claim() -> None:
    found = claims(
        "What is the default driver of the kubelet?",
        dated("a", DRIVER.format("reef"), "2026-10-01", 0.8),
        dated("b", DRIVER.format("brine"), "2026-10-01", 0.8),
    )
    assert all(len(claim.quotes) == 1 for claim in found)


def test_texts_in_like_words_disagree_though_they_share_a_value() -> None:
    says = "A chair commits at least 5 hours a week to the role for a minimum of {} months.\n"
    tree = {
        "manual/a.md": f"# Chairs\n\n{says.format(6)}",
        "drive/b.md": f"# Chair\n\n{says.format(20)}",
    }
    answer = asked(tree, "For how long does a chair commit to the role?")
    first, other = answer.text.split(ENGLISH.otherwise)
    assert "6 months" in first
    assert "20 months" in other


def test_who_contradicts_a_text_contradicts_all_that_give_its_value() -> None:
    says = "For an image without hostname, Kubernetes assumes that you mean the {} registry."
    reworded = "An image that has no registry hostname comes from the Harbor mirror."
    found = claims_with_odds(
        "Which registry is used if an image has no registry hostname?",
        (dated("a", reworded, "2026-10-01", 0.6), 10.0),
        (dated("b", says.format("Harbor mirror"), "2026-10-01", 0.6), 2.0),
        (dated("c", says.format("Docker public"), "2026-01-01", 0.8), -2.0),
    )
    assert "Docker public" in found[0].text
    assert found[0].otherwise
    assert found[0].otherwise.text == reworded


def test_of_yes_or_no_a_denial_disagrees_with_a_text_in_like_words() -> None:
    tree = {
        "manual/a.md": "# Settings\n\nA frozen setting cannot be changed back by its owner.\n",
        "drive/b.md": "# Notes\n\nA frozen setting can always be changed back by its owner.\n",
    }
    answer = asked(tree, "Can a frozen setting be changed back?")
    first, other = answer.text.split(ENGLISH.otherwise)
    assert "cannot" in first
    assert "can always" in other


SPONSORS = "# Sponsors\n\nSIG Docs {} can sponsor new contributors.\n"


def test_a_name_in_plain_words_is_put_in_doubt_by_a_better_source() -> None:
    tree = {
        "manual/a.md": SPONSORS.format("reviewers"),
        "drive/b.md": SPONSORS.format("translators"),
    }
    answer = asked(tree, "Who can sponsor new contributors?")
    first, other = answer.text.split(ENGLISH.otherwise)
    assert "reviewers" in first
    assert "translators" in other


def test_among_equals_other_plain_words_are_no_dispute() -> None:
    tree = {
        "manual/a.md": SPONSORS.format("reviewers"),
        "manual/b.md": SPONSORS.format("translators"),
    }
    answer = asked(tree, "Who can sponsor new contributors?")
    assert ENGLISH.otherwise not in answer.text


def test_a_row_is_not_worded_like_a_sentence() -> None:
    tree = {
        "manual/a.md": "# Calls\n\n| Tier | Page | Command Desk | Director |\n|---|---|---|---|\n"
        "| 2 | at once | called after 120 minutes | not called |\n",
        "drive/b.md": "# Notice\n\nSince 1 April the Command Desk is called after 40 minutes.\n",
    }
    answer = asked(tree, "After how many minutes is the Command Desk called?")
    assert ENGLISH.otherwise not in answer.text


MARKED = passage("a", "Issues are closed as stale after 90 days.", reputation=0.8)
NOTED = passage("b", "Without activity for 45 days an old ticket goes away.", reputation=0.6)
HOW_LONG = "After how long is an issue stale?"


def test_two_measures_that_are_likely_meant_disagree_in_any_words() -> None:
    (claim,) = claims_with_odds(HOW_LONG, (NOTED, 7.0), (MARKED, 6.0))
    assert "90 days" in claim.text
    assert claim.otherwise
    assert "45 days" in claim.otherwise.text


def test_what_is_hardly_meant_does_not_put_another_text_in_doubt() -> None:
    assert not any(
        claim.otherwise for claim in claims_with_odds(HOW_LONG, (NOTED, 7.0), (MARKED, -6.0))
    )


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
