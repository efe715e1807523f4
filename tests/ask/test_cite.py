"""Statements with their sources named: labels, quotes, and Markdown that stays inert."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.answer import Draft
from sextant.ask.cite import cite
from sextant.ask.evidence.claim import Claim
from sextant.ask.phrases import ENGLISH
from sextant.ask.quotes import Quote
from sextant.types import Passage
from tests.ask.evidence.pieces import edge, passage
from tests.text.test_markdown import HOSTILE, live


def quote(one: Passage, text: str = "") -> Quote:
    start = one.chunk.text.index(text) if text else 0
    return Quote(one, start, start + len(text) if text else len(one.chunk.text))


def test_a_statement_is_followed_by_its_source() -> None:
    page = passage("p", "A token is valid for 20 minutes.", "Atlas Identity")
    cited = cite(Draft((Claim(page.chunk.text, (quote(page),)),)))
    assert cited.text == "A token is valid for 20 minutes. [Atlas Identity]"


def test_a_citation_has_all_it_takes_to_check_it() -> None:
    page = passage("p", "It waits. It stops.", "Page", start=100, url="https://wiki.example/p")
    [citation] = cite(Draft((Claim("It stops.", (quote(page, "It stops."),)),))).citations
    assert (citation.chunk_id, citation.document_id, citation.version) == ("p#c0", "p", "v1")
    assert (citation.quote, citation.start, citation.end) == ("It stops.", 110, 119)
    assert (citation.title, citation.url) == ("Page", "https://wiki.example/p")


def test_two_sources_of_one_title_are_told_apart_by_what_they_are() -> None:
    one = passage("one", "A.", "Service A", source_type="catalogue")
    two = passage("two", "B.", "Service A", source_type="service")
    cited = cite(Draft((Claim("A.", (quote(one), quote(two))),)))
    assert cited.statements[0].labels == ("Service A", "Service A, service")


def test_two_quotes_of_one_source_are_told_apart_by_their_sections() -> None:
    one = passage("one", "A. B.", "Policy", headings=("Policy", "Steps"))
    claims = (Claim("A.", (quote(one, "A."),)), Claim("B.", (quote(one, "B."),)))
    assert [own.label for own in cite(Draft(claims)).citations] == ["Policy", "Policy, Steps"]


def test_one_quote_used_twice_is_one_citation() -> None:
    one = passage("one", "A.", "Policy")
    cited = cite(Draft((Claim("A.", (quote(one),)), Claim("B.", (quote(one),)))))
    assert len(cited.citations) == 1
    assert {own.labels for own in cited.statements} == {("Policy",)}


def test_a_long_title_is_cut_between_words() -> None:
    one = passage("one", "A.", "word " * 40)
    [citation] = cite(Draft((Claim("A.", (quote(one),)),))).citations
    assert citation.label.endswith("word…")
    assert len(citation.label) <= 60


def test_a_document_without_a_title_is_called_by_its_file() -> None:
    one = passage("folder/notes.md", "A.", " ")
    [citation] = cite(Draft((Claim("A.", (quote(one),)),))).citations
    assert citation.label == "notes.md"


def test_a_part_of_three_statements_is_a_list() -> None:
    one = passage("one", "A. B. C.", "P")
    claims = tuple(Claim(text, (quote(one),)) for text in ("A.", "B.", "C."))
    assert cite(Draft(claims)).text == "- A. [P]\n- B. [P]\n- C. [P]"


def test_parts_stand_apart() -> None:
    one = passage("one", "A.", "P")
    claims = (Claim("A.", (quote(one),)), Claim("B.", (quote(one),), part=1))
    assert cite(Draft(claims)).text == "A. [P]\n\nB. [P]"


def block(one: Passage, text: str, point: str = "") -> Claim:
    at = text.index(point)
    marked = (at, at + len(point)) if point else ()
    headings = one.chunk.headings
    return Claim(text, (quote(one),), is_block=True, headings=headings, marked=marked)


def test_a_block_stands_under_its_headings_with_the_point_in_bold() -> None:
    one = passage("one", "It waits. It stops.", "P", headings=("Use", "How [it] ends"))
    cited = cite(Draft((block(one, "It waits. It stops.", "It stops."),)))
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
        ("one\ntwo", "one\ntwo"),
        ("It *stops* now. So.", "It *stops* now."),
    ],
)
def test_code_and_tables_stay_as_they_are_though_the_point_is_in_them(
    text: str, point: str
) -> None:
    one = passage("one", text, "P")
    cited = cite(Draft((block(one, text, point),)))
    assert cited.text.removesuffix("[P]").rstrip() == text
    assert cited.statements[0].point == point


@pytest.mark.parametrize("text", ["```sh\nrun it\n```", "| a |\n| --- |\n| x |"])
def test_a_label_does_not_stand_in_the_last_line_of_code_or_of_a_table(text: str) -> None:
    assert cite(Draft((block(passage("one", text, "P"), text),))).text == f"{text}\n\n[P]"


def test_blocks_stand_apart_and_what_says_otherwise_is_a_list_behind_them() -> None:
    one, other = passage("one", "A.", "P"), passage("other", "B.", "Q")
    opposed = replace(block(one, "A."), otherwise=Claim("B.", (quote(other),)))
    cited = cite(Draft((opposed, block(other, "C."))))
    assert cited.text == f"A. [P]\n\nC. [Q]\n\n{ENGLISH.otherwise}\n- B. [Q]"
    assert [statement.otherwise for statement in cited.statements] == [False, False, True]


def test_what_only_comes_nearest_is_said_so_first_and_what_would_help_is_said_last() -> None:
    one = passage("one", "A.", "P")
    draft = Draft((Claim("A.", (quote(one),)),), ENGLISH.nearest, ("Where is it?",))
    assert cite(draft).text.split("\n\n") == [
        ENGLISH.nearest,
        "A. [P]",
        f"{ENGLISH.missing}\n- Where is it?",
    ]


def test_nothing_known_is_said_and_nothing_else() -> None:
    assert cite(Draft((), ENGLISH.unknown)).text == ENGLISH.unknown


def test_relations_stay_with_their_statement() -> None:
    one = passage("one", "A.", "P")
    relations = (edge("X", "depends_on", "A", "one#c0"),)
    cited = cite(Draft((Claim("X depends on A.", (quote(one),), relations),)))
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
    claims = []
    for number, (pages, text, other) in enumerate(drawn):
        own = [
            Quote(passage(name, "ab", title, source_type=kind), int(other), 2)
            for name, title, kind in pages
        ]
        claims.append(Claim(" ".join(text.split()), tuple(own), part=number // 2))
    cited = cite(Draft(tuple(claims)))
    labels = [one.label.casefold() for one in cited.citations]
    assert len(labels) == len(set(labels))
    known = {one.label for one in cited.citations}
    assert all(one.labels and known.issuperset(one.labels) for one in cited.statements)
    assert {label for one in cited.statements for label in one.labels} == known
    for one in cited.citations:
        assert one.quote == "ab"[one.start : one.end]
    for line in cited.text.split("\n"):
        assert live(line.removeprefix("- ")) == set()
