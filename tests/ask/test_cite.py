"""Statements with their sources named: labels, quotes, and Markdown that stays inert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.blocks import Block
from sextant.ask.cite import Piece, cite, listed, with_contradictions
from sextant.ask.edges import EdgeAnswer
from sextant.ask.phrases import ENGLISH
from sextant.ask.quotes import Quote
from sextant.types import Passage
from tests.ask.pieces import edge, passage, quote
from tests.text.test_markdown import HOSTILE, live


def said(text: str, *quotes: Quote, otherwise: EdgeAnswer | None = None) -> EdgeAnswer:
    """Return an edge in the words of its source."""
    return EdgeAnswer(text, (), quotes, otherwise=otherwise)


def block(one: Passage, text: str, point: str = "", *, goes_on: bool = False) -> Block:
    at = text.index(point)
    marked = (at, at + len(point)) if point else ()
    return Block(quote(one), text, one.chunk.headings, marked, goes_on=goes_on)


def test_a_statement_is_followed_by_its_source() -> None:
    page = passage("p", "A token is valid for 20 minutes.", "Atlas Identity")
    cited = cite([said(page.chunk.text, quote(page))])
    assert cited.text == "A token is valid for 20 minutes. [Atlas Identity]"


def test_a_citation_has_all_it_takes_to_check_it() -> None:
    page = passage("p", "It waits. It stops.", "Page", start=100, url="https://wiki.example/p")
    [citation] = cite([said("It stops.", quote(page, "It stops."))]).citations
    assert (citation.chunk_id, citation.document_id, citation.version) == ("p#c0", "p", "v1")
    assert (citation.quote, citation.start, citation.end) == ("It stops.", 110, 119)
    assert (citation.title, citation.url) == ("Page", "https://wiki.example/p")


def test_two_sources_of_one_title_are_told_apart_by_what_they_are() -> None:
    one = passage("one", "A.", "Service A", source_type="catalogue")
    two = passage("two", "B.", "Service A", source_type="service")
    cited = cite([said("A.", quote(one), quote(two))])
    assert cited.statements[0].labels == ("Service A", "Service A, service")


def test_two_quotes_of_one_source_are_told_apart_by_their_sections() -> None:
    one = passage("one", "A. B.", "Policy", headings=("Policy", "Steps"))
    pieces = [said("A.", quote(one, "A.")), said("B.", quote(one, "B."))]
    assert [own.label for own in cite(pieces).citations] == ["Policy", "Policy, Steps"]


def test_one_quote_used_twice_is_one_citation() -> None:
    one = passage("one", "A.", "Policy")
    cited = cite([said("A.", quote(one)), said("B.", quote(one))])
    assert len(cited.citations) == 1
    assert {own.labels for own in cited.statements} == {("Policy",)}


def test_a_long_title_is_cut_between_words() -> None:
    one = passage("one", "A.", "word " * 40)
    [citation] = cite([said("A.", quote(one))]).citations
    assert citation.label.endswith("word…")
    assert len(citation.label) <= 60


def test_a_document_without_a_title_is_called_by_its_file() -> None:
    one = passage("folder/notes.md", "A.", " ")
    [citation] = cite([said("A.", quote(one))]).citations
    assert citation.label == "notes.md"


def test_a_quote_within_a_longer_one_is_cited_by_that() -> None:
    one = passage("one", "It waits. It stops.", "P")
    cited = cite([said("It stops.", quote(one, "It stops.")), block(one, one.chunk.text)])
    [citation] = cited.citations
    assert citation.quote == one.chunk.text
    assert [own.labels for own in cited.statements] == [("P",), ("P",)]


def test_pieces_stand_apart_and_a_fixed_sentence_is_no_statement() -> None:
    one = passage("one", "A.", "P")
    cited = cite(["Nothing here.", said("A.", quote(one)), listed("More:", ["b", "*c*"])])
    assert cited.text == "Nothing here.\n\nA. [P]\n\nMore:\n- b\n- \\*c\\*"
    assert [own.text for own in cited.statements] == ["A."]


def test_a_block_that_goes_on_stands_without_the_headings_of_the_one_before() -> None:
    one = passage("one", "A. B.", "P", headings=("Use",))
    two = passage("two", "C.", "Q", headings=("Use",))
    cited = cite([block(one, "A."), block(two, "C.", goes_on=True)])
    assert cited.text == "*Use*\n\nA. [P]\n\nC. [Q]"
    assert [own.goes_on for own in cited.statements] == [False, True]


def test_a_row_of_a_sheet_is_a_sentence() -> None:
    one = passage("one", "a | b", "P")
    [statement] = cite([Block(quote(one), "x: a; y: b.", is_row=True)]).statements
    assert (statement.text, statement.block) == ("x: a; y: b.", False)


def test_a_block_stands_under_its_headings_with_the_point_in_bold() -> None:
    one = passage("one", "It waits. It stops.", "P", headings=("Use", "How [it] ends"))
    cited = cite([block(one, "It waits. It stops.", "It stops.")])
    path, _, shown = cited.text.partition("\n\n")
    assert path == "*Use \u203a How \\[it\\] ends*"
    assert shown == "It waits. **It stops.** [P]"
    [statement] = cited.statements
    assert (statement.text, statement.point) == ("It waits. It stops.", "It stops.")
    assert statement.headings == ("Use", "How [it] ends")
    assert statement.block


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("```sh\nrun it\n```", "run it"),
        ("Do:\n\n```sh\nrun it\n```", "run it"),
        ("| a | b |\n| --- | --- |\n| x | y |", "x"),
        ("| a | b |\n| --- | --- |\n| x | y |", "| x | y |"),
        ("one\ntwo", "one\ntwo"),
        ("It *stops* now. So.", "It *stops* now."),
    ],
)
def test_code_and_tables_stay_as_they_are_though_the_point_is_in_them(
    text: str, point: str
) -> None:
    one = passage("one", text, "P")
    cited = cite([block(one, text, point)])
    assert cited.text.removesuffix("[P]").rstrip() == text
    assert cited.statements[0].point == point


@pytest.mark.parametrize("text", ["```sh\nrun it\n```", "| a |\n| --- |\n| x |"])
def test_a_label_does_not_stand_in_the_last_line_of_code_or_of_a_table(text: str) -> None:
    assert cite([block(passage("one", text, "P"), text)]).text == f"{text}\n\n[P]"


def test_what_says_otherwise_is_a_list_behind_what_it_contradicts() -> None:
    one, other = passage("one", "A.", "P"), passage("other", "B.", "Q")
    opposed = said("A.", quote(one), otherwise=said("B.", quote(other)))
    cited = cite([opposed, block(one, "A.")])
    assert cited.text == f"A. [P]\n\n{ENGLISH.otherwise}\n- B. [Q]\n\nA. [P]"
    assert [statement.otherwise for statement in cited.statements] == [False, True, False]


def test_a_written_answer_that_cites_one_side_hears_of_the_other() -> None:
    one, other = passage("one", "A.", "P"), passage("other", "B.", "Q")
    opposed = said("A.", quote(one), otherwise=said("B.", quote(other)))
    written = cite([said("A.", quote(one))])
    whole = with_contradictions(written, [opposed], ENGLISH)
    assert whole.text == f"A. [P]\n\n{ENGLISH.otherwise}\n- B. [Q]"
    assert with_contradictions(whole, [opposed], ENGLISH) == whole


def test_relations_stay_with_their_statement() -> None:
    one = passage("one", "A.", "P")
    relations = (edge("X", "depends_on", "A", "one#c0"),)
    cited = cite([EdgeAnswer("X depends on A.", relations, (quote(one),))])
    assert cited.statements[0].relations == relations


TITLES = st.sampled_from(["Service A", "service a", "", "]", "[x](y)", "Policy, 2", "a" * 90])
PAGES = st.tuples(st.sampled_from(["d1", "d2", "d3"]), TITLES, st.sampled_from(["", "wiki", "x"]))
DRAFTS = st.lists(
    st.tuples(st.lists(PAGES, min_size=1, max_size=3), st.sampled_from(HOSTILE), st.booleans()),
    max_size=6,
)


@given(DRAFTS)
def test_labels_are_unique_and_every_statement_has_a_source(
    drawn: list[tuple[list[tuple[str, str, str]], str, bool]],
) -> None:
    pieces: list[Piece] = []
    for pages, text, other in drawn:
        own = [
            Quote(passage(name, "ab", title, source_type=kind), int(other), 2)
            for name, title, kind in pages
        ]
        pieces.append(said(" ".join(text.split()), *own))
    cited = cite(pieces)
    labels = [one.label.casefold() for one in cited.citations]
    assert len(labels) == len(set(labels))
    known = {one.label for one in cited.citations}
    assert all(one.labels and known.issuperset(one.labels) for one in cited.statements)
    assert {label for one in cited.statements for label in one.labels} == known
    for one in cited.citations:
        assert one.quote == "ab"[one.start : one.end]
    for line in cited.text.split("\n"):
        assert live(line.removeprefix("- ")) == set()
