"""What holds for every catalogue, every request and every log."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from sextant.stores.memory.tools import ToolDicts
from sextant.toolbox.index import ToolIndex, with_habits, with_memory
from sextant.toolbox.learn.habits import weigh_habits
from sextant.types import Selection, ToolLink, ToolRelation, ToolRequest, ToolUse, UsedTool
from tests.toolbox.catalogues import WIDTH, edge, ids, index_of, selected, tool, vector_of

NAMES = [f"s.{verb}_{noun}" for verb in ("create", "send", "merge") for noun in ("note", "file")]
CATALOGUE = [tool(name, f"{name} for a team.", name[2:6]) for name in NAMES]
KINDS = st.sampled_from(
    [
        ToolLink.DEPENDS_ON,
        ToolLink.DEPENDS_ON,
        ToolLink.MUTUALLY_EXCLUSIVE,
        ToolLink.REPLACES,
        ToolLink.ALTERNATIVE_TO,
        ToolLink.PRECEDES,
    ]
)
EDGES = st.lists(
    st.builds(edge, st.sampled_from(NAMES), KINDS, st.sampled_from(NAMES)).filter(
        lambda one: one.source != one.target
    ),
    max_size=8,
)
SOME = st.frozensets(st.sampled_from(NAMES), max_size=2)
REQUESTS = st.builds(
    ToolRequest,
    st.sampled_from(["create a note and send the file", "merge files", "send a note"]),
    st.integers(1, 6),
    st.none() | st.integers(1, 300),
    st.none() | st.frozensets(st.sampled_from(["crea", "send", "merg"]), max_size=2),
    SOME,
    SOME,
)
SESSIONS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=4),
        st.integers(0, 400),
        st.sampled_from(["", "ann"]),
    ),
    max_size=12,
)
NOW = datetime(2026, 11, 2, tzinfo=UTC)


def uses_of(sessions: Sequence[tuple[list[str], int, str]]) -> list[ToolUse]:
    return [
        ToolUse(
            f"u{number}",
            tuple(map(UsedTool, called)),
            f"request {number}",
            user,
            NOW - timedelta(days=days),
        )
        for number, (called, days, user) in enumerate(sessions)
    ]


def taught(index: ToolIndex, uses: Sequence[ToolUse]) -> ToolIndex:
    log = ToolDicts()
    log.record(uses)
    return with_habits(index, weigh_habits(log.habits(), NOW, timedelta(days=180)))


@given(EDGES, REQUESTS)
@example(
    [
        edge("s.create_note", ToolLink.DEPENDS_ON, "s.send_note"),
        edge("s.create_note", ToolLink.REPLACES, "s.send_note"),
    ],
    ToolRequest("create a note", 1),
)
def test_whatever_a_selected_tool_requires_is_selected(
    edges: list[ToolRelation], request: ToolRequest
) -> None:
    index = index_of(CATALOGUE, edges)
    found = selected(index, request)
    chosen = set(ids(found))
    stood_in = {
        one.tool.id for one in found.tools if any("Stands in" in own for own in one.reasons)
    }
    for relation in edges:
        if relation.kind is ToolLink.DEPENDS_ON and relation.source in chosen:
            assert relation.target in chosen or stood_in


@given(EDGES, REQUESTS)
def test_no_budget_is_exceeded_and_nothing_forbidden_is_selected(
    edges: list[ToolRelation], request: ToolRequest
) -> None:
    found = selected(index_of(CATALOGUE, edges), request)
    assert found.tokens == sum(one.tokens for one in found.tools)
    assert request.token_budget is None or found.tokens <= request.token_budget
    for one in found.tools:
        assert one.tool.id not in request.excluded | request.unavailable
        assert request.allowed_categories is None or (
            one.tool.category in request.allowed_categories
        )


@given(EDGES, REQUESTS)
def test_exclusive_tools_never_come_together(
    edges: list[ToolRelation], request: ToolRequest
) -> None:
    chosen = set(ids(selected(index_of(CATALOGUE, edges), request)))
    for relation in edges:
        if relation.kind is ToolLink.MUTUALLY_EXCLUSIVE:
            assert not {relation.source, relation.target} <= chosen


@given(EDGES, REQUESTS)
def test_every_better_match_is_selected_or_left_out_with_a_reason(
    edges: list[ToolRelation], request: ToolRequest
) -> None:
    found = selected(index_of(CATALOGUE, edges), request)
    assert all(one.reason for one in found.left_out)
    assert [one.rank for one in found.ranked] == list(range(1, len(found.tools) + 1))
    named = {one.tool_id for one in found.left_out} | set(ids(found))
    if len(found.tools) < request.k:
        free = [
            own.id
            for own in CATALOGUE
            if request.allowed_categories is None or own.category in request.allowed_categories
        ]
        assert named.issuperset(free) or _all_positive(found)


def _all_positive(found: Selection) -> bool:
    """Tools that match in nothing only come where others need them, or give way to them."""
    return all(
        one.score > 0
        for one in found.tools
        if not one.required_by and not any("Stands in" in own for own in one.reasons)
    )


@given(SESSIONS, st.randoms(use_true_random=False), EDGES, REQUESTS)
def test_learning_in_any_order_selects_the_same(
    sessions: list[tuple[list[str], int, str]],
    chance: random.Random,
    edges: list[ToolRelation],
    request: ToolRequest,
) -> None:
    uses = uses_of(sessions)
    shuffled = chance.sample(uses, len(uses))
    index = index_of(CATALOGUE, edges)
    assert selected(taught(index, uses), request) == selected(taught(index, shuffled), request)


@given(REQUESTS)
def test_a_log_of_other_requests_and_tools_changes_nothing(request: ToolRequest) -> None:
    """Never worse than no graph when the log has nothing to do with what is asked."""
    away = -vector_of(request.text)
    others = [tool(f"other.thing_{number}", "zzz") for number in range(4)]
    index = index_of([*CATALOGUE, *others], vectors={own.id: away for own in others})
    calls = tuple(UsedTool(own.id) for own in others)
    log = [ToolUse(str(number), calls, "zzz", at=NOW, vector=away) for number in range(30)]
    learnt = replace(with_memory(taught(index, log), log, WIDTH, 100), trust=2.0)
    assert ids(selected(index, request)) == ids(selected(learnt, request))
