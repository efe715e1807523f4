"""Misspelt words are read as the passages spell them, and names and known words are left alone."""

import pytest

from sextant.ask.respell import respell
from sextant.text.words import Words

WORDS = Words()
TEXTS = [
    "The code is logging each success.",
    "Harbor Queue is owned by Team Keel. It keeps messages for 72 hours.",
    "Exclude files from a backup with `--exclude`. The scheduler starts Merchant Payout.",
]


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("who onws harbor queue", "who owns harbor queue"),
        ("how do i exlude files from the bakup", "how do i exclude files from the backup"),
        ("when does the schedular start", "when does the scheduler start"),
        ("how long are mesages kept", "how long are messages kept"),
    ],
)
def test_a_misspelt_word_is_read_as_the_passages_spell_it(text: str, spelt: str) -> None:
    texts = [*TEXTS, "Team Keel owns it."]

    assert respell(text, texts, WORDS) == spelt


@pytest.mark.parametrize(
    "text",
    [
        "How long are messages kept?",
        "who is the CEO",
        "What does tokenRefreshPolicy do?",
        "Set --exlude to what?",
        "What is the melting point of tungsten?",
        "Which codec is used at login, and who is the successor?",
        "wie lange werden nachrichten hier aufbewahrt und warum eigentlich",
        "",
    ],
)
def test_what_is_known_or_spelt_like_a_name_or_of_another_language_stays(text: str) -> None:
    assert respell(text, TEXTS, WORDS) == text
