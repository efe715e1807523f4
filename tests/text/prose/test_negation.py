"""Texts that deny."""

import pytest

from sextant.text.prose.negation import denies


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Service A must be restarted.", False),
        ("Service A must not be restarted.", True),
        ("It doesn’t take refunds.", True),  # noqa: RUF001 - an apostrophe as it is printed
        ("Nobody is called.", True),
        ("The notice is in the knot.", False),
        ("", False),
    ],
)
def test_a_text_denies_by_a_word_of_its_own(text: str, expected: bool) -> None:
    assert denies(text) == expected
