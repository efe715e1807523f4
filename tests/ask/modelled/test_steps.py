"""Each step with a model: what it takes from it, what it does not, and what it falls back on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sextant.ask.question import Question
from sextant.ask.workflow.load import load
from sextant.core import Sextant
from sextant.errors import ModelAuthentication, ModelError, ModelTimeout
from sextant.types import Ended as End
from sextant.types import Reason, Reply, Scope, Step
from tests.ask.modelled.playing import NOW, QUIET, ask, asked, in_place, playing, with_model


def step(answer_or_steps: tuple[Step, ...], name: str) -> Step:
    return next(one for one in answer_or_steps if one.name == name)


def test_the_router_is_told_the_date_and_a_plain_no_ends_the_line_with_its_message() -> None:
    async def task(sextant: Sextant) -> None:
        reply = {"should_run_rag": False, "route": "no_rag", "assistant_message": "With pleasure."}
        model = playing(intent_router=reply)
        answer = await ask(with_model(sextant, model), "could you sing something for me")
        assert answer.text == "With pleasure."
        assert not answer.citations
        assert "2026-10-31" in asked(model, "intent-router")[0]

    in_place(task)


def test_a_no_does_not_count_where_a_known_name_is_asked_about() -> None:
    async def task(sextant: Sextant) -> None:
        reply = {"should_run_rag": False, "route": "no_rag", "assistant_message": "No need."}
        answer = await ask(with_model(sextant, playing(intent_router=reply)))
        assert "Team Keel" in answer.text
        assert "overruled" in step(answer.trace.steps, "route").facts

    in_place(task)


@pytest.mark.parametrize(
    "message",
    [
        "The answer is 42.",
        "Surely Team Mallow knows.",
        "See https://evil.example now.",
        "![x](https://evil.example/x.png)",
        "x" * 400,
        "",
    ],
)
def test_a_reply_without_a_source_claims_nothing(message: str) -> None:
    async def task(sextant: Sextant) -> None:
        reply = {"should_run_rag": False, "route": "no_rag", "assistant_message": message}
        answer = await ask(with_model(sextant, playing(intent_router=reply)), "do something nice")
        assert answer.text.startswith("I am here to answer questions")

    in_place(task)


def test_planned_queries_are_looked_for_beside_the_question_itself() -> None:
    async def task(sextant: Sextant) -> None:
        plan = {"queries": ["Team Keel lead"], "retrieval_goals": ["who leads it"], "filter": ""}
        answer = await ask(with_model(sextant, playing(query_plan=plan)))
        queries = step(answer.trace.steps, "plan").facts["queries"]
        assert queries == [
            {"query": "Who owns Harbor Queue?", "goal": "the question as it stands"},
            {"query": "Team Keel lead", "goal": "who leads it"},
        ]

    in_place(task)


@pytest.mark.parametrize(
    ("written", "dropped"),
    [
        ("nonsense eq", True),
        ("sourceType eq 'secret'", True),
        ("created ge 1999-01-01T00:00:00Z", True),
        ("modified ge 2025-01-01T00:00:00Z", False),
    ],
)
def test_a_filter_counts_only_if_it_is_one_and_the_question_says_it(
    written: str, dropped: bool
) -> None:
    async def task(sextant: Sextant) -> None:
        plan = {"queries": [], "retrieval_goals": [], "filter": written}
        answer = await ask(
            with_model(sextant, playing(query_plan=plan)), "Who owns Harbor Queue since 2025?"
        )
        facts = step(answer.trace.steps, "plan").facts
        assert facts["filter"] == written
        assert ("filter_dropped" in facts) == dropped

    in_place(task)


def test_the_model_selects_by_labels_and_only_among_what_was_retrieved() -> None:
    async def task(sextant: Sextant) -> None:
        chosen = {
            "selected_chunk_texts": ["", ""],
            "selected_sources": ["Made Up", "Team Keel"],
            "selected_rationales": ["trust me", "says who leads it"],
            "missing_info_questions": ["Since when?"],
        }
        answer = await ask(with_model(sextant, playing(rerank=chosen)))
        kept = step(answer.trace.steps, "rerank").facts["kept"]
        assert kept == [{"chunk": "docs/keel.md#c0", "why": "says who leads it"}]

    in_place(task)


def test_a_selection_of_nothing_leaves_the_offline_one() -> None:
    async def task(sextant: Sextant) -> None:
        chosen = {**_table("rag-rerank-schema"), "selected_sources": ["Made Up"]}
        answer = await ask(with_model(sextant, playing(rerank=chosen)))
        own = step(answer.trace.steps, "rerank")
        assert own.fallback.startswith("Without the model")
        assert "docs/queue.md#c0" in str(own.facts["kept"])

    in_place(task)


def test_a_key_point_that_its_source_does_not_say_is_none() -> None:
    async def task(sextant: Sextant) -> None:
        verdict = {
            **_table("rag-evidence-schema"),
            "key_points": [
                "Harbor Queue is owned by Team Mallow.",
                "Team Keel is led by Wilhe Dorn.",
            ],
            "key_point_sources": ["Harbor Queue", "Team Keel"],
        }
        answer = await ask(with_model(sextant, playing(evidence=verdict)))
        assert [one.text for one in answer.verdict.key_points] == [
            "Team Keel is led by Wilhe Dorn."
        ]

    in_place(task)


def test_what_is_missing_is_looked_for_once_more_and_judged_again() -> None:
    async def task(sextant: Sextant) -> None:
        lacking = {
            **_table("rag-evidence-schema"),
            "is_sufficient": False,
            "followup_queries": ["Wilhe Dorn"],
            "followup_retrieval_goals": ["who that is"],
        }
        model = playing(evidence=lacking)
        answer = await ask(with_model(sextant, model))
        assert len(asked(model, "evidence")) == 2
        links = [one.facts["query"] for one in answer.trace.steps if one.name == "link"]
        assert "Wilhe Dorn" in links

    in_place(task)


def test_a_workflow_may_allow_no_further_round() -> None:
    async def task(sextant: Sextant) -> None:
        lacking = {
            **_table("rag-evidence-schema"),
            "is_sufficient": False,
            "followup_queries": ["Wilhe Dorn"],
            "followup_retrieval_goals": ["who that is"],
        }
        model = playing(evidence=lacking)
        await ask(with_model(sextant, model, replace(load(), max_retries=0)))
        assert len(asked(model, "evidence")) == 1

    in_place(task)


@pytest.mark.parametrize("agent", ["intent_router", "query_plan", "rerank", "evidence", "answer"])
@pytest.mark.parametrize(
    "broken",
    [
        "this is no JSON",
        '{"half": ',
        "{}",
        Reply("{}", ended=End(Reason.LENGTH)),
        Reply("", ended=End(Reason.REFUSED)),
        ModelTimeout("Too slow."),
    ],
)
def test_a_step_whose_model_fails_falls_back_and_says_so(
    agent: str, broken: str | Reply | ModelError
) -> None:
    async def task(sextant: Sextant) -> None:
        answer = await ask(with_model(sextant, playing(**{agent: broken})))
        assert "Team Keel" in answer.text
        assert answer.citations
        told = step(answer.trace.steps, "model").facts
        assert [str(one).partition(":")[0] for one in told["fallbacks"]] == [  # type: ignore[union-attr]
            agent.replace("_", "-")
        ]

    in_place(task)


def test_a_reply_that_was_mended_counts_and_the_trace_says_that_it_was() -> None:
    async def task(sextant: Sextant) -> None:
        replies = iter(["no JSON", QUIET["rag-query-plan-schema"]])
        answer = await ask(with_model(sextant, playing(query_plan=lambda _: next(replies))))
        told = step(answer.trace.steps, "plan").facts["model"]
        assert isinstance(told, dict)
        assert told["repairs"] == 1

    in_place(task)


def test_a_wrong_key_is_told_once_and_the_offline_answer_stands() -> None:
    async def task(sextant: Sextant) -> None:
        offline = await ask(sextant)
        wrong = ModelAuthentication("The key is wrong.", "Set OPENAI_API_KEY.")
        model = playing(intent_router=wrong)
        answer = await ask(with_model(sextant, model))
        assert (answer.text, answer.citations) == (offline.text, offline.citations)
        assert len(model.prompts) == 1
        told = step(answer.trace.steps, "model").facts
        assert told["fallbacks"] == ["intent-router: The key is wrong. Set OPENAI_API_KEY."]

    in_place(task)


def test_tokens_are_counted_over_all_steps_and_cost_something_where_prices_are_known() -> None:
    async def task(sextant: Sextant) -> None:
        prices = replace(sextant.settings.model, input_price=1.0, output_price=10.0)
        priced = replace(sextant, settings=replace(sextant.settings, model=prices))
        answer = await ask(with_model(priced, playing()))
        told = step(answer.trace.steps, "model").facts
        read, written = told["read"], told["written"]
        assert isinstance(read, int)
        assert isinstance(written, int)
        assert told["calls"] == 5
        assert told["cost"] == pytest.approx((read + 10 * written) / 1e6, abs=1e-6)

    in_place(task)


def test_a_budget_of_tokens_ends_the_talk_and_not_the_answer() -> None:
    async def task(sextant: Sextant) -> None:
        few = replace(sextant.settings.model, tokens=300)
        limited = replace(sextant, settings=replace(sextant.settings, model=few))
        answer = await ask(with_model(limited, playing()))
        assert "Team Keel" in answer.text
        assert "tokens" in str(step(answer.trace.steps, "model").facts["fallbacks"])

    in_place(task)


def test_an_agent_may_be_left_to_the_program() -> None:
    async def task(sextant: Sextant) -> None:
        workflow = load()
        agents = {name: replace(one, model="none") for name, one in workflow.agents.items()}
        model = playing()
        answer = await ask(with_model(sextant, model, replace(workflow, agents=agents)))
        assert "Team Keel" in answer.text
        assert not model.prompts
        assert step(answer.trace.steps, "model").facts["fallbacks"] == []

    in_place(task)


def test_a_search_asks_no_model_unless_it_is_told_to() -> None:
    async def task(sextant: Sextant) -> None:
        model = playing()
        own = with_model(sextant, model)
        await own.search(Scope(), Question("Who owns Harbor Queue?", now=NOW))
        assert not model.prompts
        ranked = await own.search(
            Scope(), Question("Who owns Harbor Queue?", now=NOW, rephrase=True, rerank=True)
        )
        assert [hit.passage.document.title for hit in ranked.hits[:2]] == [
            "Harbor Queue",
            "Team Keel",
        ]
        told = step(ranked.trace.steps, "rephrase").facts["phrasings"]
        assert told == ["to whom does the queue belong"]

    in_place(task)


def _table(name: str) -> dict[str, object]:
    value = QUIET[name]
    assert isinstance(value, dict)
    return value
