"""Values of a sentence: the same in two spellings, and another when it is another."""

import pytest

from sextant.ask.grounding.values import are_in, values_of


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("It takes 15 minutes.", "It takes fifteen min."),
        ("It costs 1,340 EUR.", "The price is €1340."),
        ("Since 18 May 2026.", "from: 2026-05-18"),
        ("It starts at 5:10 on Tuesday.", "Tuesdays, 05:10"),
        ("Team Y's lead is Maria Lopez.", "Maria Lopez leads Team Y."),
        ("Escalation goes to Team Y.", "Team Y is called."),
        ("Run `gatectl cert show` as RB-101 says.", "RB-101: run gatectl cert show."),
        ("It holds 99.95 percent.", "99.95 %"),
        ("The Ledger API and the Harbor Queue stop.", "Harbor Queue, Ledger API"),
        ("It lasts 15 minutes.", "| minutes | 15 |"),
    ],
)
def test_the_same_values_in_other_spellings_are_there(text: str, source: str) -> None:
    assert are_in(values_of(text), source)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("It takes 15 minutes.", "It takes 15 hours."),
        ("It takes 15 minutes.", "It takes 51 minutes."),
        ("Since 18 May 2026.", "from: 2026-06-18"),
        ("On Tuesday.", "On Mondays."),
        ("Team X owns it.", "Team Y owns Process X."),
        ("Maria Lopez leads it.", "Tom Lopez leads it."),
        ("Run `gatectl drop`.", "Run gatectl show."),
        ("See https://evil.example/a.", "See https://wiki.example/a."),
        ("See RB-102.", "See RB-101."),
        ("Write to a@evil.example.", "Write to a@wiki.example."),
    ],
)
def test_other_values_are_not(text: str, source: str) -> None:
    assert not are_in(values_of(text), source)


def test_the_first_word_of_a_sentence_is_no_name() -> None:
    assert values_of("However, payments wait.").is_empty
    assert values_of("Payments wait.").is_empty
    assert values_of("Service A waits.").names == ("service a",)
