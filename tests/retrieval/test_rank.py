"""Ranking by the four R: what counts, what sinks, and what the ledger tells of it."""

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import InvalidInput
from sextant.retrieval.feedback.earned import Standing, Tally
from sextant.retrieval.rank import NAMES, normalised, rank
from sextant.retrieval.retrieve import Candidate
from sextant.retrieval.scoring.superseded import DEDUCTION
from sextant.retrieval.scoring.turning import with_turning
from sextant.types import Chunk, Document, Hit, Legs, Passage, Weights

NOW = datetime(2026, 11, 15, tzinfo=UTC)
TEXT = "Team Y owns escalation for Service A and is called after 15 minutes."
ALIKE = Weights(1.0, 1.0, 1.0, 1.0)


def candidate(name: str, relevancy: float = 0.5, text: str = TEXT, **fields: object) -> Candidate:
    document = replace(Document(name, title=f"Page {name}"), **fields)  # type: ignore[arg-type]
    return Candidate(Passage(Chunk(f"{name}#c0", text), document, "v1"), relevancy, Legs())


def order(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.passage.document.id for hit in hits]


scores = st.floats(0.0, 1.0)
weights = st.builds(Weights, *[st.floats(0.0, 100.0)] * 4).filter(
    lambda one: one.relevancy + one.recency + one.richness + one.reputation > 0.01
)
moments = st.none() | st.datetimes(timezones=st.just(UTC)) | st.datetimes()


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    names = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8))
    return [
        candidate(
            name,
            draw(scores),
            reputation=draw(scores),
            modified=draw(moments),
            created=draw(moments),
            metadata=draw(st.sampled_from([{}, {"status": "superseded"}, {"supersedes": "a, b"}])),
        )
        for name in names
    ]


def test_more_relevant_passages_come_first_where_all_else_is_equal() -> None:
    hits = rank([candidate("b", 0.2), candidate("a", 0.9), candidate("c", 0.5)], Weights(), NOW)
    assert order(hits) == ["a", "c", "b"]


def test_equals_are_ordered_by_chunk_id() -> None:
    hits = rank([candidate(name) for name in "cab"], Weights(), NOW)
    assert order(hits) == ["a", "b", "c"]
    assert len({hit.scores.total for hit in hits}) == 1


def test_an_old_page_of_little_repute_stays_behind_the_policy_on_the_same_matter() -> None:
    wiki = candidate("wiki", 1.0, reputation=0.3, modified=datetime(2023, 8, 2, tzinfo=UTC))
    policy = candidate("policy", 0.85, reputation=0.95, modified=datetime(2026, 1, 1, tzinfo=UTC))
    assert order(rank([wiki, policy], Weights(), NOW)) == ["policy", "wiki"]


def test_a_reputable_page_about_something_else_stays_behind_a_relevant_one() -> None:
    old = datetime(2020, 1, 1, tzinfo=UTC)
    other = candidate("other", 0.4, reputation=1.0, modified=NOW)
    relevant = candidate("relevant", 1.0, reputation=0.3, modified=old)
    assert order(rank([other, relevant], Weights(), NOW)) == ["relevant", "other"]


@given(candidates(), weights)
def test_scores_stay_between_0_and_1_and_points_add_up_to_the_total(
    found: list[Candidate], by: Weights
) -> None:
    for hit in rank(found, by, NOW):
        total = sum(share.points for share in hit.ledger.shares)
        sunk = any("times" in note for note in hit.ledger.notes)
        assert [share.name for share in hit.ledger.shares] == list(NAMES)
        assert all(0.0 <= share.score <= 1.0 for share in hit.ledger.shares)
        assert all(share.points == share.weight * share.score for share in hit.ledger.shares)
        assert hit.scores.total == (DEDUCTION * total if sunk else total)
        assert 0.0 <= hit.scores.total <= 1.0 + 1e-9


@given(candidates(), weights, st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_come_changes_nothing(
    found: list[Candidate], by: Weights, random: object
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rank(shuffled, by, NOW) == rank(found, by, NOW)


@given(st.lists(st.tuples(scores, st.sampled_from(["see", TEXT, f"{TEXT} " * 9])), max_size=8))
def test_without_dates_and_repute_only_near_ties_leave_the_order_of_relevancy(
    found_as: list[tuple[float, str]],
) -> None:
    found = [candidate(f"{at}", value, text) for at, (value, text) in enumerate(found_as)]
    hits = rank(found, Weights(), NOW)
    assert all(
        above.scores.relevancy > below.scores.relevancy - 0.03
        for above, below in itertools.pairwise(hits)
    )


@given(candidates().filter(lambda found: len(found) > 1), weights)
def test_what_the_ledger_says_would_pass_the_hit_above_does_pass_it(
    found: list[Candidate], by: Weights
) -> None:
    hits = with_turning(rank(found, by, NOW))
    for above, hit in itertools.pairwise(hits):
        points = sum(share.points for share in hit.ledger.shares)
        factor = hit.scores.total / points if points else 1.0
        for amount, name in re.findall(r"([\d.e-]+) more (\w+)", hit.ledger.turning):
            share = next(share for share in hit.ledger.shares if share.name == name)
            moved = hit.scores.total + factor * share.weight * float(amount)
            assert share.score + float(amount) <= 1.0 + 1e-9
            assert moved > above.scores.total - 1e-12


def test_the_ledger_tells_what_would_have_changed_a_rank() -> None:
    relevancy = Weights(1.0, 0.0, 0.0, 0.0)
    hits = with_turning(rank([candidate("a", 0.5), candidate("b", 0.48)], relevancy, NOW))
    assert hits[1].ledger.turning == "0.021 more relevancy would pass #1 (Page a)"
    assert hits[0].ledger.turning == "0.021 less relevancy would put #2 (Page b) first"
    (alone,) = with_turning(rank([candidate("a")], Weights(), NOW))
    assert alone.ledger.turning == ""


def test_a_page_whose_metadata_say_that_it_is_past_sinks_and_the_ledger_says_why() -> None:
    past = candidate("old", 0.9, metadata={"status": " Superseded ", "superseded_by": "new.md"})
    hits = rank([past, candidate("new", 0.6)], Weights(), NOW)
    assert order(hits) == ["new", "old"]
    assert "superseded by new.md: total times 0.6" in hits[1].ledger.notes


def test_a_page_sinks_when_its_successor_is_found_beside_it() -> None:
    where = {"sextant:source": "wiki"}
    old = candidate("wiki/a.md", 0.9, metadata={**where, "sextant:item": "a.md"})
    new = candidate("wiki/b.md", 0.6, metadata={**where, "supersedes": "a.md"})
    assert order(rank([old, new], Weights(), NOW)) == ["wiki/b.md", "wiki/a.md"]
    assert order(rank([old], Weights(), NOW)) == ["wiki/a.md"]


@pytest.mark.parametrize(
    "fields",
    [
        {"reputation": 0.4},
        {"metadata": {"supersedes": "policy", "sextant:source": "elsewhere"}},
        {"modified": datetime(2020, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_page_cannot_sink_one_of_more_repute_of_another_source_or_newer(
    fields: dict[str, object],
) -> None:
    claims = {"metadata": {"supersedes": "policy"}, "modified": NOW, **fields}
    claimant = candidate("claimant", 0.5, **claims)  # type: ignore[arg-type]
    policy = candidate("policy", 0.5, modified=datetime(2026, 1, 1, tzinfo=UTC))
    hits = rank([claimant, policy], Weights(), NOW)
    assert not any("superseded" in note for hit in hits for note in hit.ledger.notes)


def test_feedback_moves_a_hit_and_the_ledger_says_so() -> None:
    standing = Standing(5, {"b": Tally(helpful=5)})
    hits = rank([candidate("a"), candidate("b")], Weights(), NOW, standing)
    assert order(hits) == ["b", "a"]
    assert any("5 found it helpful, 0 did not" in note for note in hits[0].ledger.notes)


def test_recency_halves_with_each_half_life_and_never_grows_past_1() -> None:
    ages = {"new": -5, "now": 0, "half": 100, "quarter": 200}
    found = [candidate(name, modified=NOW - timedelta(days=days)) for name, days in ages.items()]
    hits = rank([*found, candidate("none")], ALIKE, NOW, half_life_days=100)
    by_name = {hit.passage.document.id: hit.scores.recency for hit in hits}
    assert by_name == {"new": 1.0, "now": 1.0, "half": 0.5, "quarter": 0.25, "none": 0.5}


def test_a_naive_now_and_naive_dates_are_taken_as_utc() -> None:
    naive = [candidate("a", created=datetime(2026, 11, 14))]
    aware = [candidate("a", created=datetime(2026, 11, 14, tzinfo=UTC))]
    assert (
        rank(naive, ALIKE, NOW.replace(tzinfo=None))[0].scores == rank(aware, ALIKE, NOW)[0].scores
    )


def test_a_relevancy_that_is_no_number_counts_as_none() -> None:
    hits = rank([candidate("a", float("nan")), candidate("b", 7.0)], Weights(), NOW)
    assert [(one.passage.document.id, one.scores.relevancy) for one in hits] == [("b", 1), ("a", 0)]


def test_only_the_proportions_of_weights_matter() -> None:
    assert normalised(Weights(7, 1, 0, 2)) == pytest.approx(normalised(Weights(0.7, 0.1, 0, 0.2)))
    assert sum(normalised(Weights(0, 0, 5e-324, 0))) == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        Weights(0, 0, 0, 0),
        Weights(relevancy=-1),
        Weights(recency=float("nan")),
        Weights(richness=float("inf")),
        Weights(reputation="1"),  # type: ignore[arg-type]
    ],
)
def test_weights_that_cannot_rank_are_refused(wrong: Weights) -> None:
    with pytest.raises(InvalidInput):
        rank([], wrong, NOW)
