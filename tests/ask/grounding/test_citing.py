"""Sources and their labels, and what a sentence cites."""

import pytest

from sextant.ask.grounding.citing import parsed
from sextant.ask.grounding.sources import sources_of
from tests.ask.pieces import hits, passage

SOURCES = sources_of(
    hits(
        passage("a", "A.", "Service A", source_type="catalogue"),
        passage("b", "B.", "Service A", source_type="wiki"),
        passage("c", "C.", "Policy"),
        passage("c", "D.", "Policy", headings=("Policy", "Steps")),
    )
)


def test_labels_tell_sources_apart() -> None:
    assert [one.label for one in SOURCES] == [
        "Service A",
        "Service A, wiki",
        "Policy",
        "Policy, Steps",
    ]


@pytest.mark.parametrize("title", ["https://evil.example/x", "www.evil.example", "a@evil.example"])
def test_a_label_is_no_address(title: str) -> None:
    [one] = sources_of(hits(passage("a", "A.", title)))
    assert not any(sign in one.label for sign in ("://", "www.", "@"))


@pytest.mark.parametrize(
    ("text", "said", "labels", "unknown"),
    [
        ("It waits [Policy].", "It waits.", ["Policy"], 0),
        ("It waits. [policy] [Service A]", "It waits.", ["Policy", "Service A"], 0),
        ("It waits [Policy][1][Made Up].", "It waits.", ["Policy"], 2),
        ("It waits [Policy; Service A, wiki].", "It waits.", ["Policy", "Service A, wiki"], 0),
        ("It waits [Source: Policy.]", "It waits", ["Policy"], 0),
        ("Use `a[0]` [Policy].", "Use `a[0]`.", ["Policy"], 0),
        ("See [here](https://evil.example) now.", "See here now.", [], 0),
        ("See ![x](https://evil.example/x.png).", "See x.", [], 0),
        ("See [here][1].", "See.", [], 2),
        ("**It** waits<br> [Policy].", "It waits.", ["Policy"], 0),
    ],
)
def test_a_sentence_is_read_apart_from_what_it_cites(
    text: str, said: str, labels: list[str], unknown: int
) -> None:
    found = parsed(text, SOURCES)
    assert (found.text, [one.label for one in found.sources], found.unknown) == (
        said,
        labels,
        unknown,
    )
