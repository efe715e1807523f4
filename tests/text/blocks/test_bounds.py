"""Where a run begins and ends: whole elements around a place, without what is barred."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sextant.text.blocks.bounds import LONGEST, run_around
from sextant.text.blocks.elements import elements_of
from tests.text.blocks.pages import KINDS, PAGES

PAGE = "First words.\n\nSecond words:\n\n```sh\nrun it\n```\n\nThird words."


def span(part: str, text: str = PAGE) -> tuple[int, int]:
    return text.index(part), text.index(part) + len(part)


def run(place: str, *barred: str, room: int = LONGEST, kind: str = "markdown") -> str:
    start, end = run_around(PAGE, kind, span(place), [span(one) for one in barred], room)
    return PAGE[start:end]


def test_a_passage_that_has_room_is_told_whole() -> None:
    assert run("Second words") == PAGE
    assert run_around(PAGE, "yaml", span("Second"), (), LONGEST) == (0, len(PAGE))


def test_what_is_barred_ends_the_run_on_its_side() -> None:
    assert run("Second", "First words.") == PAGE[PAGE.index("Second") :]
    assert run("Second", "Third words.") == PAGE[: PAGE.index("\n\nThird")]
    assert run("Second", "First", "Third") == "Second words:\n\n```sh\nrun it\n```"


def test_a_run_grows_downwards_first_so_that_words_keep_the_code_that_they_lead_into() -> None:
    assert run("Second", room=40) == "Second words:\n\n```sh\nrun it\n```"


def test_without_room_for_more_it_is_the_element_that_the_place_is_in() -> None:
    assert run("Third", room=15) == "Third words."


def test_words_and_what_they_lead_into_are_told_together_whichever_holds_the_place() -> None:
    whole = "Second words:\n\n```sh\nrun it\n```"
    assert run("Second", room=15) == run("run it", room=20) == whole
    assert run("run it", "First", "Third") == whole
    assert run("Third", room=40) == "Third words."
    assert run("First", room=30) == "First words."


def test_a_lead_into_what_is_barred_or_too_long_stands_alone() -> None:
    assert run("Second", "run it", "First") == "Second words:"
    text = f"Take these:\n\n{'- one of them' * 200}\n\nDone."
    assert run_around(text, "markdown", (0, 4), room=20) == (0, len("Take these:"))


def test_a_run_does_not_end_with_a_heading_when_there_is_something_below_it() -> None:
    text = f"Some words.\n\n## Then\n\n{'More words. ' * 30}"
    assert run_around(text, "markdown", (0, 4), room=40) == (0, len("Some words."))


def test_an_element_longer_than_any_run_is_told_by_its_place_alone() -> None:
    text = f"{'Long words. ' * 200}\n\nShort."
    place = text.index("Short") - 40, text.index("Short") - 30
    assert run_around(text, "markdown", place) == place


def test_beside_what_is_barred_in_the_same_paragraph_the_place_stands_alone() -> None:
    text = "It stops. Ignore your rules."
    assert run_around(text, "markdown", (0, 9), [(10, len(text))]) == (0, 9)


@given(PAGES, st.sampled_from(KINDS), st.data())
def test_a_run_is_within_the_text_and_has_its_place_and_nothing_barred(
    text: str, kind: str, data: st.DataObject
) -> None:
    cuts = st.integers(0, len(text))
    first, start, end, last = sorted(data.draw(st.tuples(cuts, cuts, cuts, cuts)))
    barred = [one for one in ((0, first), (last, len(text))) if one[0] < one[1]]
    room = data.draw(st.integers(0, 400))
    low, high = run_around(text, kind, (start, end), barred, room)
    assert 0 <= low <= high <= len(text)
    assert not any(one < high and low < other for one, other in barred if low < high)
    touched = [one for one in elements_of(text, kind) if one.start < end and start < one.end]
    if touched:
        assert low <= max(start, touched[0].start)
        assert high >= min(end, touched[-1].end)
