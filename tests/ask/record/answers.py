"""Answers out of thin air, as hypothesis draws them."""

from __future__ import annotations

from hypothesis import strategies as st

from sextant.types import (
    Answer,
    Citation,
    FollowUp,
    KeyPoint,
    Relation,
    Statement,
    Step,
    Trace,
    Verdict,
)

texts = st.text(st.characters(codec="utf-8"), max_size=12)
numbers = st.floats(0, 1)
places = st.integers(0, 10_000)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    leaves,
    lambda own: st.lists(own, max_size=3) | st.dictionaries(texts, own, max_size=3),
    max_leaves=6,
)
relations = st.builds(
    Relation,
    texts,
    texts,
    texts,
    numbers,
    numbers,
    st.lists(texts, max_size=2).map(tuple),
    places,
    texts,
)
statements = st.builds(
    Statement,
    texts,
    st.lists(texts, max_size=2).map(tuple),
    st.lists(relations, max_size=2).map(tuple),
    st.booleans(),
)
citations = st.builds(Citation, texts, texts, texts, texts, texts, texts, places, places, texts)
steps = st.builds(Step, texts, st.dictionaries(texts, values, max_size=3), texts, st.floats(0, 1e6))
verdicts = st.builds(
    Verdict,
    st.booleans(),
    numbers,
    st.lists(st.builds(KeyPoint, texts, texts), max_size=2).map(tuple),
    st.lists(texts, max_size=2).map(tuple),
    st.lists(st.builds(FollowUp, texts, texts), max_size=2).map(tuple),
)
answers = st.builds(
    Answer,
    texts,
    texts,
    verdicts,
    st.lists(statements, max_size=3).map(tuple),
    st.lists(citations, max_size=3).map(tuple),
    st.builds(Trace, texts, places, st.lists(steps, max_size=3).map(tuple), texts),
)

ANSWER = Answer(
    "Who owns Process X?",
    "Process X is owned by Team Y. [Process X]",
    Verdict(True, 0.9, (KeyPoint("Team Y", "docs/x.md#c0"),), ("Since when?",)),
    (
        Statement(
            "Process X is owned by Team Y.",
            ("Process X",),
            (Relation("process-x", "team-y", "owned_by", 0.9, 1.0, ("docs/x.md#c0",)),),
        ),
    ),
    (
        Citation(
            "Process X",
            "docs/x.md#c0",
            "docs/x.md",
            "Process X",
            "",
            "is owned by Team Y",
            10,
            28,
            "v1",
        ),
    ),
    Trace("2026-10-31T00:00:00+00:00", 7, (Step("route", {"knowledge": True}, "", 0.25),)),
)
