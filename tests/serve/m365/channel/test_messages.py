"""An answer as messages: numbers for labels, claims in the part that has their number."""

from __future__ import annotations

from typing import Any

from sextant.serve.m365.channel.messages import answer_messages, shortened
from sextant.types import Answer, Citation, FollowUp, Verdict


def source(label: str, url: str = "", quote: str = "It is so.") -> Citation:
    return Citation(label, f"{label}#c0", label, f"Title of {label}", url, quote, 0, 9, "1")


def told(answer: Answer, channel: str = "msteams") -> list[dict[str, Any]]:
    """Return the messages of an answer as they go over the wire."""
    return [
        one.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)
        for one in answer_messages(answer, channel)
    ]


def claims(message: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = message["entities"][0].get("citation", [])
    return found


def test_labels_are_numbers_in_the_order_of_the_text() -> None:
    answer = Answer(
        "q",
        "Second. [b]\n\nFirst. [a]\n\nAgain. [b] An \\[escaped\\] one.",
        Verdict(True, 1.0),
        citations=(source("a"), source("b"), source("c")),
    )
    [message] = told(answer)
    assert message["text"].startswith("Second. [1]\n\nFirst. [2]\n\nAgain. [1]")
    assert [(one["position"], one["@id"]) for one in claims(message)] == [
        (1, "b#c0"),
        (2, "a#c0"),
        (3, "c#c0"),
    ]


def test_only_an_address_that_can_be_followed_safely_is_told() -> None:
    answer = Answer(
        "q",
        "[a] [b]",
        Verdict(True, 1.0),
        citations=(source("a", "https://wiki.example/a"), source("b", "javascript:alert(1)")),
    )
    [message] = told(answer)
    first, second = (one["appearance"] for one in claims(message))
    assert first["url"] == "https://wiki.example/a"
    assert "url" not in second


def test_a_long_answer_has_its_claims_where_their_numbers_are() -> None:
    blocks = [f"{'word ' * 700}[s{number}]" for number in range(4)]
    answer = Answer(
        "q",
        "\n\n".join(blocks),
        Verdict(True, 1.0, follow_ups=(FollowUp("What next?", "to know"),)),
        citations=tuple(source(f"s{number}") for number in range(4)),
    )
    messages = told(answer, "slack")
    assert [[one["position"] for one in claims(message)] for message in messages] == [
        [1],
        [2],
        [3],
        [4],
    ]
    assert all(len(message["text"]) <= 4_000 for message in messages)
    assert ["suggestedActions" in message for message in messages] == [False, False, False, True]
    assert len(told(answer, "msteams")) == 1


def test_an_abstract_is_a_line_of_at_most_160_characters() -> None:
    assert shortened("one\n two", 160) == "one two"
    cut = shortened("word " * 100, 160)
    assert len(cut) <= 160
    assert cut.endswith("word…")
    assert len(shortened("w" * 200, 160)) == 160


def test_what_could_be_asked_next_is_on_buttons() -> None:
    queries = ("Who leads Team Y?", "Who leads Team Y?", "x" * 500, "A?", "B?", "C?")
    verdict = Verdict(False, 0.1, follow_ups=tuple(FollowUp(one, "") for one in queries))
    [message] = told(Answer("q", "Nothing is known.", verdict))
    actions = message["suggestedActions"]["actions"]
    assert [one["value"] for one in actions] == ["Who leads Team Y?", "A?", "B?"]
