"""The shape of the graph, the weight of habits, and what comes next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.toolbox.learn.analysis import find_communities, rank_pages, shortest_path, weave
from sextant.toolbox.learn.habits import weigh_habits
from sextant.toolbox.learn.predict import predict_next
from sextant.types import Habits, PairCount, ToolCount, ToolLink
from tests.toolbox.catalogues import edge, index_of, needs, tool

NOW = datetime(2026, 11, 2, tzinfo=UTC)
HALF_LIFE = timedelta(days=180)
LATEST = (NOW - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(days=30)
PLACES = {name: place for place, name in enumerate("abcdef")}
WEBS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(
        lambda one: one[0] != one[1]
    )
).map(lambda pairs: weave([needs(*pair) for pair in pairs], PLACES))


def test_a_tool_that_many_need_ranks_first() -> None:
    web = weave([needs(name, "a") for name in "bcd"], PLACES)
    assert rank_pages(web, 6).argmax() == PLACES["a"]


@given(WEBS)
def test_page_ranks_sum_up_to_one(web: dict[int, dict[int, float]]) -> None:
    assert rank_pages(web, 6).sum() == pytest.approx(1.0)


@given(WEBS)
def test_communities_share_no_tool(web: dict[int, dict[int, float]]) -> None:
    members = [place for own in find_communities(web, 6) for place in own]
    assert len(members) == len(set(members))


def test_two_groups_that_one_weak_edge_joins_stay_two() -> None:
    strong = [needs(*pair) for pair in ("ab", "bc", "ca", "de", "ef", "fd")]
    web = weave([*strong, edge("c", ToolLink.OFTEN_USED_WITH, "d", 0.1)], PLACES)
    assert find_communities(web, 6) == [[0, 1, 2], [3, 4, 5]]


def test_the_surest_of_the_shortest_ways_is_taken() -> None:
    often = ToolLink.OFTEN_USED_WITH
    edges = [edge("a", often, "b", 0.2), edge("b", often, "d", 0.2)]
    edges += [edge("c", often, "a", 0.9), edge("d", often, "c", 0.9)]
    web = weave(edges, PLACES)
    assert shortest_path(web, PLACES["a"], PLACES["d"]) == (0, 2, 3)
    assert shortest_path(web, PLACES["a"], PLACES["f"]) == ()


def test_tools_that_exclude_each_other_are_not_joined() -> None:
    assert weave([edge("a", ToolLink.MUTUALLY_EXCLUSIVE, "b")], PLACES) == {}


def counted(together: int, followed: int, period: int, user: str = "") -> Habits:
    pair = PairCount("s.a", "s.b", user, period, together, followed, followed, 4_000 * followed)
    return Habits(tools=(ToolCount("s.a", user, period, together, together),), pairs=(pair,))


def test_after_the_half_life_a_session_counts_half() -> None:
    now = weigh_habits(counted(4, 2, LATEST), NOW, HALF_LIFE).pairs["s.a", "s.b"]
    before = weigh_habits(counted(4, 2, LATEST - 6), NOW, HALF_LIFE).pairs["s.a", "s.b"]
    assert now.together == 4.0
    assert before.together == pytest.approx(2.0)
    assert before.support == 4
    assert before.seconds == 4.0


def test_sessions_of_whoever_asks_count_more() -> None:
    habits = counted(2, 2, LATEST, "ann")
    own, other = (weigh_habits(habits, NOW, HALF_LIFE, user) for user in ("ann", "bob"))
    assert own.shared["s.a"] > other.shared["s.a"]


def test_what_followed_often_is_predicted_and_what_was_seen_once_is_not() -> None:
    index = index_of([tool("s.a"), tool("s.b")])
    often = weigh_habits(counted(3, 3, LATEST), NOW, HALF_LIFE)
    once = weigh_habits(counted(1, 1, LATEST), NOW, HALF_LIFE)
    (found,) = predict_next(index, often, ["s.a"], 5)
    assert (found.tool.id, found.probability, found.seconds_between) == ("s.b", 1.0, 4.0)
    assert predict_next(index, once, ["s.a"], 5) == ()
    assert predict_next(index, often, [], 5) == ()


def test_what_is_declared_to_follow_is_predicted_without_a_log() -> None:
    index = index_of([tool("s.a"), tool("s.b")], [edge("s.a", ToolLink.PRECEDES, "s.b", 0.93)])
    (found,) = predict_next(index, weigh_habits(Habits(), NOW, HALF_LIFE), ["s.a"], 5)
    assert found.probability == pytest.approx(0.93)
