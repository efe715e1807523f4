"""Numbers as they are written."""

from sextant.text.prose.figures import figures


def test_numbers_dates_and_times_are_found_whole() -> None:
    assert figures("Up to 1,340 of 40 since 2026-05-18 at 05:10, 99.95 percent.") == {
        "1,340",
        "40",
        "2026-05-18",
        "05:10",
        "99.95",
    }
    assert figures("none") == frozenset()
