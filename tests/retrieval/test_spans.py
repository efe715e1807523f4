"""Spans of a question: what could be a name, and what could not."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.retrieval.spans import Span, apart, left_over, spans_in


def texts(text: str) -> set[str]:
    return {span.text for span in spans_in(text)}


def test_runs_of_words_could_be_names_and_question_words_could_not() -> None:
    found = texts("What does Service A need?")
    assert {"Service", "Service A", "Service A need"} <= found
    assert not {"What", "does", "What does", "A"} & found


def test_a_word_is_never_cut_where_signs_join_it() -> None:
    found = texts("Is O'Neal or checkout-api the owner of Mott's shop?")
    assert "O'Neal" in found
    assert "checkout-api" in found
    assert "Mott" in found
    assert not {"Neal", "checkout", "api", "O"} & found


def test_an_article_may_open_a_name() -> None:
    assert "the beatles" in texts("who were the beatles?")


def test_the_longest_spans_go_first() -> None:
    one, inside, other = Span("ab c", 0, 4, 2), Span("c", 3, 4, 1), Span("d", 5, 6, 1)
    assert apart([inside, other, one]) == [one, other]
    assert apart([inside, other], [one]) == [other]


def test_what_is_quoted_or_capitalised_and_not_taken_is_left() -> None:
    text = 'Did Maria Stone sing "once upon a time" with Service A?'
    taken = [span for span in spans_in(text) if span.text == "Service A"]
    assert [span.text for span in left_over(text, taken)] == ["once upon a time", "Maria Stone"]


@given(st.text(max_size=200))
def test_spans_lie_in_the_text(text: str) -> None:
    for span in (*spans_in(text), *left_over(text, ())):
        assert text[span.start : span.end] == span.text
        assert span.text


def test_a_long_text_gives_no_more_spans_than_a_page() -> None:
    assert sum(1 for _ in spans_in("Word " * 4_000)) <= 4_000
