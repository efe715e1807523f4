"""From questions to queries: how many, for what, and how narrow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.parts import split_parts
from sextant.ask.plan import narrowed, plan
from sextant.query import MAX_DEPTH, AllOf, Filter, Not, SourceTypes, TagsAny, walk


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "If Service A fails, what breaks and who owns escalation?",
            ["If Service A fails, what breaks?", "Service A: who owns escalation?"],
        ),
        (
            "Who owns Service A and what does it depend on?",
            ["Who owns Service A?", "What does Service A depend on?"],
        ),
        (
            "Could you please tell me who owns Service A and what it needs?",
            ["Who owns Service A?", "What Service A needs?"],
        ),
        (
            "The successor of Cinder Mail is silent. Which runbook do I follow, and who owns it?",
            [
                "The successor of Cinder Mail is silent. Which runbook do I follow?",
                "Cinder Mail: who owns the runbook?",
            ],
        ),
        (
            "Which services does Team Keel own and which of them are tier 1?",
            ["Which services does Team Keel own?", "Team Keel: which of the services are tier 1?"],
        ),
        (
            "What was decided in ADR-015 and why?",
            ["What was decided in ADR-015?", "Why: What was decided in ADR-015?"],
        ),
        (
            "For Service A, who is the owner and what is the tier?",
            ["For Service A, who is the owner?", "Service A: what is the tier?"],
        ),
        (
            "Who owns Service A? Who leads Team Y?",
            ["Who owns Service A?", "Who leads Team Y?"],
        ),
        (
            "What is the difference between Team Y and Team Yarrow?",
            ["What is Team Y?", "What is Team Yarrow?"],
        ),
        ("Kafka vs. RabbitMQ", ["What is Kafka?", "What is RabbitMQ?"]),
        (
            "Are Moredun Creek and Tuggeranong Creek both in the same country?",
            [
                "Are Moredun Creek both in the same country?",
                "Are Tuggeranong Creek both in the same country?",
            ],
        ),
        (
            "Who died later, Alicia Little or Anna Addison?",
            ["Who died later, Alicia Little?", "Who died later, Anna Addison?"],
        ),
        (
            "Which outage delayed more refunds, INC-2025-031 or INC-2025-052?",
            [
                "Which outage delayed more refunds, INC-2025-031?",
                "Which outage delayed more refunds, INC-2025-052?",
            ],
        ),
    ],
)
def test_a_question_of_several_parts_is_asked_whole_and_in_parts_that_stand_alone(
    question: str, parts: list[str]
) -> None:
    planned = plan(question)

    assert [query.text for query in planned.queries] == [question, *parts]
    assert planned.notes


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Service A?",
        "Who owns Service A and Service B?",
        "When does the next change freeze begin and end?",
        "When was the singer born who is known for her voice and who's third album is Diamond?",
        "What show does a retired player, who missed the season, host?",
        "Where was the place of death of Thaddeus P. Mott's father?",
        "What happens when Service A fails and when it returns?",
        "Which extension do I call when Service A is down and nobody has acknowledged?",
        "Wer ist für Service A zuständig und was passiert bei einem Ausfall?",
        "Thanks. Who owns Service A?",
        "Refunds stand still. Who is called?",
        "How long is a cart held when the payment fails because Service A is silent?",
        "What languages are spoken, written or signed by the person?",
        "What is the difference?",
        "Compare",
        "service a owner",
    ],
)
def test_a_question_of_one_part_is_asked_once(question: str) -> None:
    assert [query.text for query in plan(question).queries] == [question]


def test_more_parts_than_queries_share_the_last_one() -> None:
    planned = plan("Who owns Service A, why is it slow, and how do I restart it?")

    assert len(planned.queries) == 3
    assert "Service A" in planned.queries[2].text
    assert "restart" in planned.queries[2].text


def test_a_part_says_in_a_few_words_what_it_is_for() -> None:
    goals = [part.goal for part in split_parts("If Service A fails, what breaks and who is told?")]

    assert goals == ["what breaks", "who is told"]


def test_every_part_is_bound_by_the_callers_filter() -> None:
    only = SourceTypes(("wiki",))

    assert {query.filter for query in plan("Who owns it? Who leads Team Y?", only).queries} == {
        only
    }


def test_a_demand_narrows_the_callers_filter_and_never_widens_it() -> None:
    only, tagged = SourceTypes(("wiki",)), TagsAny(("payments",))

    assert narrowed(None, [tagged]) == tagged
    assert narrowed(only, []) == only
    assert narrowed(only, [tagged, tagged]) == AllOf((only, tagged))


def test_a_filter_that_is_as_deep_as_can_be_stays_as_it_is() -> None:
    deep: Filter = SourceTypes(("wiki",))
    while max(depth for _, depth in walk(deep)) < MAX_DEPTH:
        deep = Not(deep)

    assert narrowed(deep, [TagsAny(("payments",))]) == deep


def test_a_text_that_is_no_question_is_not_taken_apart() -> None:
    planned = plan("Who owns Service A? " * 200)

    assert len(planned.queries) == 1
    assert planned.notes


WORDS = (
    "If Service A fails , what breaks and who owns it ? how many days which team does . the why "
    "when is there within or"
)
words = st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join)


@given(st.one_of(st.text(max_size=300), words))
def test_any_text_has_no_parts_or_several_that_say_something(text: str) -> None:
    parts = split_parts(text)

    assert len(parts) != 1
    assert all(part.text.strip() and part.goal.strip() for part in parts)
