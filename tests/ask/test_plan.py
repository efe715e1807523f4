"""From questions to queries: how many, for what, and how narrow."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.plan import Vocabulary, plan
from sextant.ask.reading.wants import Kind
from sextant.limits import check_query
from sextant.query import (
    MAX_DEPTH,
    AllOf,
    AnyOf,
    EntitiesAny,
    Filter,
    Not,
    Query,
    SourceTypes,
    TagsAll,
    TagsAny,
    TimeRange,
)

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
KNOWN = Vocabulary(
    frozenset({"payments", "on-call", "runbook"}),
    frozenset({"policy", "runbook", "service", "process", "team", "incident", "wiki", "chat"}),
)


def day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def filter_of(text: str) -> Filter | None:
    return plan(text, NOW, None, KNOWN).queries[0].filter


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "If Service A fails, what breaks and who owns escalation?",
            ["If Service A fails, what breaks?", "Service A: who owns escalation?"],
        ),
        (
            "Which outage delayed more refunds, INC-2025-031 or INC-2025-052?",
            [
                "Which outage delayed more refunds, INC-2025-031?",
                "Which outage delayed more refunds, INC-2025-052?",
            ],
        ),
        (
            "What is the difference between Team Y and Team Yarrow?",
            ["What is Team Y?", "What is Team Yarrow?"],
        ),
        (
            "Who owns Service A? What does it depend on?",
            ["Who owns Service A?", "What does Service A depend on?"],
        ),
    ],
)
def test_a_question_of_several_parts_is_asked_whole_and_in_parts(
    question: str, parts: list[str]
) -> None:
    planned = plan(question, NOW)

    assert [goal.text for goal in planned.queries] == [question, *parts]
    assert planned.notes


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Process X?",
        "When does the next change freeze begin and end?",
        "How long is a cart held when the payment fails because Service A is silent?",
        "Who was the singer who left the band and who wrote the song?",
        "service a owner",
        "Wer ist für Service A zuständig und was passiert bei einem Ausfall?",
    ],
)
def test_a_question_of_one_part_is_asked_once(question: str) -> None:
    assert [goal.text for goal in plan(question, NOW).queries] == [question]


def test_more_parts_than_queries_share_the_last_one() -> None:
    planned = plan("Who owns Service A, why is it slow, and how do I restart it?", NOW)

    assert len(planned.queries) == 3
    assert "Service A" in planned.queries[2].text
    assert "restart" in planned.queries[2].text


def test_a_comparison_wants_one() -> None:
    assert plan("Which is older, Slate or Tide?", NOW).queries[0].wants.kind is Kind.COMPARISON


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which documents tagged runbook mention Service A?", TagsAny(("runbook",))),
        ("What do pages tagged payments and on-call say?", TagsAll(("payments", "on-call"))),
        ("Which pages are labelled payments or on-call?", TagsAny(("payments", "on-call"))),
        ("#payments refunds", TagsAny(("payments",))),
        ("According to the wiki, who owns Service A?", SourceTypes(("wiki",))),
        ("What does the wiki say about Slate?", SourceTypes(("wiki",))),
        ("In the runbooks, what do I do if X fails?", SourceTypes(("runbook",))),
        ("Search the policies for refunds", SourceTypes(("policy",))),
        ("What is said in chat about Service A?", SourceTypes(("chat",))),
        ("Who owns Service A, excluding the wiki?", Not(SourceTypes(("wiki",)))),
        (
            "documents changed since March 2026 about refunds",
            TimeRange(day(2026, 3, 1), None, "modified"),
        ),
        ("docs written before 1 April 2026", TimeRange(None, day(2026, 4, 1), "created")),
        (
            "pages updated in the last 3 months",
            TimeRange(day(2026, 8, 15), day(2026, 11, 16), "modified"),
        ),
        (
            "pages modified between March 2025 and May 2025",
            TimeRange(day(2025, 3, 1), day(2025, 6, 1), "modified"),
        ),
        (
            "notes from 2026 on payouts",
            AnyOf(
                (
                    TimeRange(day(2026, 1, 1), day(2027, 1, 1), "modified"),
                    TimeRange(day(2026, 1, 1), day(2027, 1, 1), "created"),
                )
            ),
        ),
    ],
)
def test_what_a_question_demands_of_its_sources_becomes_a_filter(
    question: str, expected: Filter
) -> None:
    assert filter_of(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What was the root cause of the outage of 28 November 2025?",
        "What happened in June 2025?",
        "What was the revenue in 2025?",
        "Who was on call in the week of 5 October 2026?",
        "Which step in the process fails?",
        "What does the runbook for Service A say?",
        "Who is in the team?",
        "How long does Harbor Queue keep messages in 2026?",
        "Which documents tagged unheard-of mention Service A?",
        "According to the almanac, who owns Service A?",
        "Since when does the Standby Gateway accept refunds?",
    ],
)
def test_what_tells_of_the_world_is_no_filter(question: str) -> None:
    assert filter_of(question) is None


def test_the_date_of_an_event_is_kept_for_the_answer() -> None:
    wants = plan("What caused the outage of 28 November 2025?", NOW).queries[0].wants

    assert [period.text for period in wants.dates] == ["28 November 2025"]


def test_the_callers_filter_holds_beside_what_the_question_says() -> None:
    given_filter = EntitiesAny(("service-a",))

    planned = plan("In the wiki, who owns Service A?", NOW, given_filter, KNOWN)

    assert planned.queries[0].filter == AllOf((given_filter, SourceTypes(("wiki",))))
    assert planned.notes == ("Narrowed by “in the wiki”.",)


def test_a_filter_as_deep_as_can_be_is_left_as_it_is() -> None:
    deep: Filter = TagsAny(("payments",))
    for _ in range(MAX_DEPTH - 1):
        deep = Not(deep)

    planned = plan("In the wiki, who owns Service A?", NOW, deep, KNOWN)

    assert planned.queries[0].filter == deep
    assert planned.notes


def test_a_long_text_is_one_query() -> None:
    text = "If Service A fails, what breaks and who owns escalation? " * 300

    assert len(plan(text, NOW).queries) == 1


words = st.lists(
    st.sampled_from(
        [
            "If",
            "Service",
            "A",
            "fails",
            ",",
            "what",
            "breaks",
            "and",
            "who",
            "owns",
            "it",
            "?",
            "X",
            "or",
            "Y",
            "which",
            "documents",
            "tagged",
            "payments",
            "from",
            "2026",
            "in",
            "the",
            "wiki",
            "since",
            "March",
            "between",
            ".",
            "the",
            "difference",
            "is",
            "older",
            "than",
            "how",
        ]
    ),
    max_size=25,
).map(" ".join)
filters = st.sampled_from(
    [None, TagsAny(("a",)), AllOf((TagsAny(("a",)), SourceTypes(("wiki",)))), Not(TagsAny(("b",)))]
)


@given(st.one_of(st.text(max_size=400), words), filters)
def test_any_text_has_one_to_three_queries_the_first_of_them_itself(
    text: str, given_filter: Filter | None
) -> None:
    planned = plan(text, NOW, given_filter, KNOWN)

    assert 1 <= len(planned.queries) <= 3
    assert len(planned.queries) != 2 or planned.notes
    assert planned.queries[0].text == text
    assert all(goal.text.strip() and goal.goal for goal in planned.queries[1:])
    assert planned == plan(text, NOW, given_filter, KNOWN)


@given(words, filters)
def test_no_query_is_wider_than_the_callers_filter(text: str, given_filter: Filter | None) -> None:
    for goal in plan(text, NOW, given_filter, KNOWN).queries:
        check_query(Query(text, filter=goal.filter))
        if given_filter is None or goal.filter == given_filter:
            continue
        held = given_filter.parts if isinstance(given_filter, AllOf) else (given_filter,)
        assert isinstance(goal.filter, AllOf)
        assert goal.filter.parts[: len(held)] == held


@given(st.datetimes(timezones=st.just(UTC)), words)
def test_every_day_is_a_day_to_plan_on(now: datetime, text: str) -> None:
    assert plan(text, now, None, KNOWN).queries
