"""The agentic workflow, to the letter: what each agent is told, its gates, rounds and answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sextant.ask.model_steps.chat import Chat
from sextant.ask.workflow.load import load
from sextant.core import Sextant
from sextant.testing.scripted import Scripted
from sextant.types import Answer, Prompt, Retrieval, RetrievalRequest, Scope, Step
from tests.ask.model_steps.playing import NOW, QUIET, ask, asked, in_place, playing, with_model
from tests.seeds.requirement import requirement

QUESTION = "Who owns Harbor Queue?"
NO_RAG = '{"should_run_rag": false, "route": "no_rag", "assistant_message": "Hello to you."}'
THREE = (
    '{"queries": ["Harbor Queue owner", "Team Keel lead", "Service A limit"],'
    ' "retrieval_goals": ["who owns it", "who leads it", "the limit"], "filter": ""}'
)
LACKING = (
    '{"is_sufficient": false, "confidence": 0.3, "key_points": ["Harbor Queue is owned by'
    ' Team Keel."], "key_point_sources": ["Harbor Queue"], "missing_info_questions": ["Who leads'
    ' Team Keel?"], "followup_queries": ["Team Keel lead", "Wilhe Dorn"],'
    ' "followup_retrieval_goals": ["who leads it", "who that is"]}'
)
RERANKED = {
    "selected_chunk_texts": ["Harbor Queue is owned by Team Keel."],
    "selected_sources": ["Harbor Queue"],
    "selected_rationales": ["names the owner"],
    "missing_info_questions": ["Who leads Team Keel?"],
}
Check = Callable[[Answer, Scripted], None]


def checked(check: Check, question: str = QUESTION, **said: Any) -> None:
    """Ask with agents that say these things, and look at the answer and at what they were told."""

    async def task(sextant: Sextant) -> None:
        model = playing(**said)
        check(await ask(with_model(sextant, model), question), model)

    in_place(task)


def steps(answer: Answer, name: str) -> list[Step]:
    return [one for one in answer.trace.steps if one.name == name]


def agents(model: Scripted) -> list[str]:
    names = [one.schema.name for one in model.prompts if one.schema]
    return [name.removeprefix("rag-").removesuffix("-schema") for name in names]


def table(name: str, **changed: object) -> dict[str, object]:
    value = QUIET[f"rag-{name}-schema"]
    assert isinstance(value, dict)
    return {**value, **changed}


@requirement("004-001", "004-004", "004-005", "004-046")
def test_router_planner_reranker_judge_and_writer_are_asked_in_this_order() -> None:
    def check(_: Answer, model: Scripted) -> None:
        assert agents(model) == ["intent-router", "query-plan", "rerank", "evidence", "answer"]
        (told,) = asked(model, "intent-router")
        assert NOW.date().isoformat() in told
        assert QUESTION in told
        assert QUESTION in asked(model, "query-plan")[0]

    checked(check)


@requirement("004-003")
@pytest.mark.parametrize("question", [QUESTION, "Hello!"])
def test_where_no_search_is_needed_the_routers_message_is_sent_and_the_run_ends(
    question: str,
) -> None:
    def check(answer: Answer, model: Scripted) -> None:
        assert answer.text.splitlines()[0] == "Hello to you."
        assert agents(model) == ["intent-router"]
        assert not steps(answer, "retrieve")
        assert not answer.citations
        assert not answer.verdict.sufficient

    checked(check, question, intent_router=NO_RAG)


@requirement("004-007")
def test_the_planned_queries_are_what_is_retrieved_for() -> None:
    def check(answer: Answer, _: Scripted) -> None:
        (plan,) = steps(answer, "plan")
        told = json.loads(THREE)
        pairs = zip(told["queries"], told["retrieval_goals"], strict=True)
        assert plan.facts["queries"] == [{"query": one, "goal": goal} for one, goal in pairs]
        assert len(steps(answer, "retrieve")) == 3

    checked(check, query_plan=THREE)


@requirement("004-007")
def test_where_none_is_planned_the_question_itself_is_retrieved_for() -> None:
    def check(answer: Answer, _: Scripted) -> None:
        assert len(steps(answer, "retrieve")) == 1
        assert steps(answer, "link")[0].facts["query"] == QUESTION

    checked(check)


@requirement("004-006")
def test_a_plan_of_four_queries_is_asked_for_again() -> None:
    four = json.dumps({"queries": ["a"] * 4, "retrieval_goals": ["b"] * 4, "filter": ""})

    def check(answer: Answer, model: Scripted) -> None:
        assert len(asked(model, "query-plan")) == 2
        assert len(steps(answer, "retrieve")) == 3

    replies = iter([four, THREE])
    checked(check, query_plan=lambda _: next(replies))


@requirement("004-010")
def test_a_filter_narrows_what_our_own_store_finds() -> None:
    def check(answer: Answer, _: Scripted) -> None:
        assert "entityIds/any" in str(steps(answer, "retrieve")[0].facts["filter"])
        assert "filter_dropped" not in steps(answer, "plan")[0].facts

    told = {"queries": [], "retrieval_goals": [], "filter": "entityIds/any(e: e eq 'Team Keel')"}
    checked(check, query_plan=told)


@requirement("004-015")
def test_the_reranker_is_told_every_passage_with_the_query_that_found_it() -> None:
    def check(_: Answer, model: Scripted) -> None:
        (told,) = asked(model, "rerank")
        assert QUESTION in told
        first, second = told.index("Query: Harbor Queue owner"), told.index("Query: Team Keel lead")
        assert first < told.index("It keeps messages for 72") < second
        assert "Goal: who leads it\nFound by it, too: " in told
        assert "Team Keel" in told[second:]
        for text in ("It keeps messages for 72", "sits in Oslo", "40 a second"):
            assert text in told

    checked(check, query_plan=_unlike())


def _unlike() -> dict[str, object]:
    """Return a plan whose queries find one page each, by its name."""
    queries = ["Harbor Queue owner", "Team Keel lead"]
    return {"queries": queries, "retrieval_goals": ["who owns it", "who leads it"], "filter": ""}


class Shelf:
    """An outside retriever that finds as many chunks for every query as it is told."""

    def __init__(self, chunks: int) -> None:
        self.chunks = chunks
        self.heard: list[RetrievalRequest] = []

    async def retrieve(self, ask: RetrievalRequest) -> Retrieval:
        """Return chunks that no other query has."""
        self.heard.append(ask)
        texts = [f"{ask.query} says {one} things about it." for one in range(self.chunks)]
        sources = [f"{ask.query} {one}" for one in range(self.chunks)]
        return Retrieval(f"used {ask.query}", tuple(texts), tuple(sources))

    async def close(self) -> None:
        """Nothing is held open."""


def from_shelf(shelf: Shelf, check: Check, **said: Any) -> None:
    async def task(sextant: Sextant) -> None:
        model = playing(**said)
        chat = Chat(model, load(), retriever=shelf)
        check(await ask(replace(sextant, chat=chat)), model)

    in_place(task)


def first_of(prompt: Prompt) -> dict[str, object]:
    """Select whatever was shown first."""
    told = prompt.messages[-1].text
    label = next(line for line in told.splitlines() if " passage " in line).partition("passage ")[2]
    return {**RERANKED, "selected_sources": [label]}


@requirement("004-016")
def test_the_reranker_sees_sixty_passages_of_three_queries_and_120_after_a_further_round() -> None:
    def check(_: Answer, model: Scripted) -> None:
        first, second = asked(model, "rerank")
        assert first.count(" end of ") == 60
        assert second.count(" end of ") == 120

    lacking = json.loads(LACKING)
    lacking |= {"followup_queries": ["x", "y", "z"], "followup_retrieval_goals": ["1", "2", "3"]}
    from_shelf(Shelf(20), check, query_plan=THREE, rerank=first_of, evidence=lacking)


@requirement("004-008", "004-009", "004-011", "004-012")
def test_the_retriever_is_given_question_query_goal_and_filter() -> None:
    shelf = Shelf(1)

    def check(answer: Answer, _: Scripted) -> None:
        written = "category eq 'queues'"
        assert shelf.heard == [
            RetrievalRequest(QUESTION, "Harbor Queue owner", "who owns it", written),
            RetrievalRequest(QUESTION, "Team Keel lead", "who leads it", written),
        ]
        assert steps(answer, "retrieve")[0].facts["query"] == "used Harbor Queue owner"

    plan = {**_unlike(), "filter": "category eq 'queues'"}
    from_shelf(shelf, check, query_plan=plan, rerank=first_of)


@requirement("004-009", "004-028")
@pytest.mark.parametrize(
    ("written", "passed"),
    [
        ("category eq 'a) or (b'", "category eq 'a) or (b'"),
        ("category eq 'a') or (true", ""),
        ("category eq 'a", ""),
    ],
)
def test_a_filter_goes_with_every_query_unless_it_gets_out_of_its_parentheses(
    written: str, passed: str
) -> None:
    shelf = Shelf(1)

    def check(_: Answer, __: Scripted) -> None:
        goals = [(one.query, one.goal) for one in shelf.heard]
        assert goals[1:] == [("Team Keel lead", "who leads it"), ("Wilhe Dorn", "who that is")]
        assert {one.filter for one in shelf.heard} == {passed}

    plan = {"queries": ["owner"], "retrieval_goals": ["who owns it"], "filter": written}
    from_shelf(shelf, check, query_plan=plan, rerank=first_of, evidence=LACKING)


@requirement("004-013")
def test_more_than_twenty_chunks_are_cut_with_a_note() -> None:
    def check(answer: Answer, model: Scripted) -> None:
        assert asked(model, "rerank")[0].count(" end of ") == 20
        (found,) = steps(answer, "retrieve")
        assert found.facts["candidates"] == 20
        assert "5 passages" in str(found.facts["note"])

    from_shelf(Shelf(25), check, rerank=first_of)


@requirement("004-018", "004-017")
def test_a_selection_is_by_the_sources_and_of_at_most_eight() -> None:
    def select(prompt: Prompt) -> dict[str, object]:
        labels = [
            line.partition("passage ")[2]
            for line in prompt.messages[-1].text.splitlines()
            if " passage " in line
        ]
        return {
            "selected_chunk_texts": ["t"] * 8,
            "selected_sources": labels[:8],
            "selected_rationales": [f"reason {one}" for one in range(8)],
            "missing_info_questions": [],
        }

    def check(answer: Answer, model: Scripted) -> None:
        kept = steps(answer, "rerank")[0].facts["kept"]
        assert isinstance(kept, list)
        assert len(kept) == 8
        assert "reason 7" in str(kept[7])
        assert asked(model, "evidence")[0].count(" end of ") == 8

    from_shelf(Shelf(20), check, rerank=select)


@requirement("004-020", "004-021")
def test_the_judge_is_told_chunks_sources_rationales_and_what_is_missing() -> None:
    def check(_: Answer, model: Scripted) -> None:
        (told,) = asked(model, "evidence")
        assert QUESTION in told
        assert "Harbor Queue is owned by Team Keel." in told
        assert "passage Harbor Queue" in told
        assert "names the owner" in told
        assert "sits in Oslo" not in told

    checked(check, rerank={**RERANKED, "missing_info_questions": []})

    def also(_: Answer, model: Scripted) -> None:
        assert "Who owns Mallow Quay?" in asked(model, "evidence")[0]

    unknown = {**RERANKED, "missing_info_questions": ["Who owns Mallow Quay?"]}
    checked(also, "Who owns Mallow Quay?", rerank=unknown)


@requirement("004-025")
def test_a_yes_of_the_judge_leads_to_the_answer_with_its_confidence() -> None:
    def check(answer: Answer, model: Scripted) -> None:
        assert agents(model).count("evidence") == 1
        assert (answer.verdict.sufficient, answer.verdict.confidence) == (True, 0.55)
        assert "Evidence: sufficient (confidence 0.55)" in asked(model, "answer")[0]

    checked(check, evidence=table("evidence", confidence=0.55, followup_queries=["Wilhe Dorn"]))


@requirement("004-026", "004-028", "004-029", "004-031", "004-032", "004-033")
def test_a_no_of_the_judge_leads_to_one_further_round_and_then_to_the_answer() -> None:
    def check(answer: Answer, model: Scripted) -> None:
        again = ["rerank", "evidence"]
        assert agents(model) == ["intent-router", "query-plan", *again, *again, "answer"]
        assert len(steps(answer, "retrieve")) == 3
        first, second = asked(model, "rerank")
        assert "Query: Wilhe Dorn" not in first
        assert second.startswith(first[:60])
        assert len(second) >= len(first)
        (told,) = asked(model, "answer")
        assert QUESTION in told
        assert "Harbor Queue is owned by Team Keel." in told
        assert "not sufficient" in told
        assert "confidence 0.30" in told
        assert (answer.verdict.sufficient, answer.verdict.confidence) == (False, 0.3)
        assert "Team Keel" in answer.text

    checked(check, evidence=LACKING)


@requirement("004-027")
def test_a_no_without_follow_up_queries_leads_to_the_answer_at_once() -> None:
    def check(_: Answer, model: Scripted) -> None:
        assert agents(model).count("evidence") == 1
        assert agents(model)[-1] == "answer"

    lacking = {**json.loads(LACKING), "followup_queries": [], "followup_retrieval_goals": []}
    checked(check, evidence=lacking)


@requirement("004-026")
def test_a_yes_after_the_further_round_is_the_verdict() -> None:
    replies = iter([LACKING, json.dumps(table("evidence", confidence=0.8))])

    def check(answer: Answer, model: Scripted) -> None:
        assert agents(model).count("evidence") == 2
        assert (answer.verdict.sufficient, answer.verdict.confidence) == (True, 0.8)

    checked(check, evidence=lambda _: next(replies))


@requirement("004-024")
def test_key_points_are_kept_with_the_source_of_each() -> None:
    def check(answer: Answer, _: Scripted) -> None:
        points = [(one.text, one.chunk_id) for one in answer.verdict.key_points]
        assert points == [
            ("Harbor Queue is owned by Team Keel.", "docs/queue.md#c0"),
            ("Team Keel is led by Wilhe Dorn.", "docs/keel.md#c0"),
        ]

    points = ["Harbor Queue is owned by Team Keel.", "Team Keel is led by Wilhe Dorn."]
    sources = ["Harbor Queue", "Team Keel"]
    checked(check, evidence=table("evidence", key_points=points, key_point_sources=sources))


@requirement("004-019", "004-033", "004-038")
def test_what_the_judge_finds_missing_is_told_to_the_writer_and_asked_back() -> None:
    lacking = {
        **json.loads(LACKING),
        "missing_info_questions": ["Who owns Mallow Quay?"],
        "followup_queries": [],
        "followup_retrieval_goals": [],
    }

    def check(answer: Answer, model: Scripted) -> None:
        assert "Who owns Mallow Quay?" in asked(model, "answer")[0]
        assert "The knowledge does not answer this." in answer.text
        assert answer.text.endswith("- Who owns Mallow Quay?")

    checked(check, "Who owns Mallow Quay?", evidence=lacking)


@requirement("004-035", "004-036", "004-037", "004-034")
def test_an_answer_is_what_the_chunks_say_with_its_sources_in_brackets() -> None:
    said = (
        "Harbor Queue is owned by Team Keel. [Harbor Queue]\n\n"
        "It was painted red in 1999. [Harbor Queue]\n\n"
        "Team Keel is led by Wilhe Dorn. [Made Up]"
    )

    async def task(sextant: Sextant) -> None:
        own = with_model(
            sextant, playing(answer={"answer_markdown": said, "sources": ["Made Up", "Team Keel"]})
        )
        answer = await ask(own)
        assert answer.text == "Harbor Queue is owned by Team Keel. [Harbor Queue]"
        assert [one.label for one in answer.citations] == ["Harbor Queue"]
        assert (await own.verify(Scope(), answer)).ok

    in_place(task)
