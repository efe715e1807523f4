"""Markdown, with an independent parser as the yardstick for ordinary input."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sextant.ingest.read import read
from sextant.ingest.values import Hyperlink, Kind
from tests.ingest.read.checks import headings, read_one, read_soundly, shown

WORDS = st.sampled_from(["pod", "Service A", "größe", "日本", "1", "a|b", "x `y`", "*z*", "[l](u)"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
LINES = st.one_of(
    SENTENCES,
    st.sampled_from(
        [
            "",
            "",
            "# One",
            "## Two {#two}",
            "###",
            "====",
            "---",
            "***",
            "* * *",
            "```",
            "~~~",
            "````",
        ]
    ),
    st.sampled_from(
        ["- item", "  - sub", "1. first", "    code", "\tcode", "| a | b |", "|---|---|", "a | b"]
    ),
    st.sampled_from(
        [
            "> quote",
            "<!-- note",
            "-->",
            "<!-- x -->",
            "<pre>",
            "</pre>",
            "[k]: http://x.y",
            "\\# no",
        ]
    ),
    st.text(max_size=12),
)
ORDINARY = st.lists(
    st.one_of(
        SENTENCES.filter(lambda line: "|" not in line),
        st.sampled_from(["# One", "## Two", "### Three ###", "```sh\n# no heading\n```"]),
        st.sampled_from(["~~~\n## none\n~~~", "Setext\n======", "Second\n---", "- a\n- b", "1. x"]),
    ),
    max_size=8,
).map("\n\n".join)


@given(st.lists(LINES, max_size=25).map("\n".join))
def test_any_lines_are_read_with_sound_blocks_that_hold_everything(text: str) -> None:
    for head in ("\n", "---\ntitle: T\n---\n"):
        data = (head + text).encode("utf-8", "surrogatepass")
        readings = read_soundly("a.md", data, len(head))
        assert all(reading.text.startswith(head) for reading in readings)


@given(ORDINARY)
def test_headings_and_fences_are_those_of_a_full_parser(text: str) -> None:
    tokens = MarkdownIt().parse(text)
    wanted = [
        (int(token.tag[1]), "".join(part.content for part in inline.children or []))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open"
    ]
    reading = read_one("a.md", text)
    assert headings(reading) == wanted
    fences = [token for token in tokens if token.type == "fence"]
    assert len([block for block in reading.blocks if block.kind is Kind.CODE]) == len(fences)


def test_blocks_of_each_kind_are_told_apart() -> None:
    text = (
        "# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n  more of two\n\n  still two\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n```py\n# no heading\n\nx = 1\n```\n\n"
        "    indented\n\nLast."
    )
    reading = read_one("a.md", text)
    assert shown(reading) == [
        ("heading", "# Title"),
        ("text", "A paragraph\nof two lines."),
        ("list", "- one\n- two\n  more of two\n\n  still two"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        ("code", "```py\n# no heading\n\nx = 1\n```"),
        ("code", "indented"),
        ("text", "Last."),
    ]
    table = reading.blocks[3]
    assert [reading.text[cut:].split("\n")[0] for cut in table.cuts] == ["| 3 | 4 |"]
    assert [reading.text[cut:][:5] for cut in reading.blocks[2].cuts] == ["- two"]


def test_a_table_may_start_the_file_and_follow_a_paragraph() -> None:
    assert [kind for kind, _ in shown(read_one("a.md", "a | b\n--|--\n1 | 2\n"))] == ["table"]
    kinds = [kind for kind, _ in shown(read_one("a.md", "Text:\na | b\n--|--\n1 | 2\n"))]
    assert kinds == ["text", "table"]


def test_code_inside_a_list_is_code_and_the_list_goes_on() -> None:
    text = "1. Do\n\n   ```sh\n   # run\n   ```\n\n   then\n1. More\n\nEnd"
    assert shown(read_one("a.md", text)) == [
        ("list", "1. Do"),
        ("code", "```sh\n   # run\n   ```"),
        ("list", "then\n1. More"),
        ("text", "End"),
    ]


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Plain", "Plain"),
        ("With `code_x` and *marks*", "With code_x and marks"),
        ("**Bold** [label](http://x/(y)) {#anchor}", "Bold label"),
        ("A &amp; B", "A & B"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("Escaped \\* star", "Escaped * star"),
        ("Seen <!-- hidden -->", "Seen"),
        ("![logo](x.png) Name", "logo Name"),
        ("Closed ##", "Closed"),
        ("C#", "C#"),
    ],
)
def test_a_heading_name_is_plain_text(raw: str, name: str) -> None:
    assert headings(read_one("a.md", f"# {raw}\n")) == [(1, name)]


def test_a_heading_in_a_comment_is_no_title() -> None:
    assert read_one("a.md", "<!--\n# Hidden\n-->\n\n# Seen\n").title == "Seen"


def test_front_matter_is_read_and_lies_outside_of_blocks() -> None:
    text = (
        "---\ntitle: The Title\ndate: 2024-05-06\nlastmod: 2024-06-07T08:09:10+02:00\n"
        "tags: [a, b]\naliases:\n- Old Name\nurl: /x/y\nlang: de\nweight: 10\nnested: {a: 1}\n---\n"
        "# Heading\n"
    )
    reading = read_one("docs/a.md", text)
    assert reading.title == "The Title"
    assert reading.created == datetime(2024, 5, 6, tzinfo=UTC)
    assert reading.modified == datetime(2024, 6, 7, 6, 9, 10, tzinfo=UTC)
    assert (reading.tags, reading.aliases) == (frozenset("ab"), frozenset({"Old Name"}))
    assert (reading.url, reading.language) == ("/x/y", "de")
    assert reading.metadata == {"weight": "10"}
    assert shown(reading) == [("heading", "# Heading")]
    assert reading.text == text


def test_toml_front_matter_is_read() -> None:
    reading = read_one("a.md", '+++\ntitle = "T"\ndate = 2024-01-02T00:00:00Z\n+++\nText')
    assert (reading.title, reading.created) == ("T", datetime(2024, 1, 2, tzinfo=UTC))


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert len(read_one("a.md", "---\nJust text: of a kind [\n---\nMore").blocks) >= 1
    assert "Just text" in shown(read_one("a.md", "---\nJust text\n---\nMore"))[1][1]


def test_links_of_all_kinds_are_found_where_they_are() -> None:
    text = (
        "See [the *page*](docs/a.md#x) and [ref][k], [k], <https://auto.example/a>, [[Wiki|w]],\n"
        "https://bare.example/p. ![image](no.png)\n\n```\n[code](no)\n```\n\n[k]: ../b.md\n"
    )
    reading = read_one("a.md", text)
    assert [(link.target, link.label) for link in reading.links] == [
        ("docs/a.md#x", "the page"),
        ("../b.md", "ref"),
        ("../b.md", "k"),
        ("https://auto.example/a", "https://auto.example/a"),
        ("Wiki", "w"),
        ("https://bare.example/p", "https://bare.example/p"),
    ]
    assert reading.links[0] == Hyperlink("docs/a.md#x", "the page", text.index("[the"))


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("docs/payments-api_runbook.md", "Payments api runbook"),
        ("docs/payments/README.md", "Payments"),
        ("README.md", "README"),
        ("a/OnCall.md", "OnCall"),
    ],
)
def test_without_any_title_the_file_name_stands_in(path: str, title: str) -> None:
    assert read_one(path, "text only").title == title


@pytest.mark.parametrize(
    "line",
    [
        "a" * 2_000_000,
        "[" * 500_000,
        "*" * 500_000,
        "`" * 500_000,
        "# " + "*a" * 200_000,
        "<!--\n" * 100_000,
        "- " * 200_000,
        "|" * 500_000,
        "https://" * 100_000,
        " " * 1_000_000,
    ],
)
def test_hostile_lines_are_read_in_one_pass(line: str) -> None:
    read_soundly("a.md", line.encode())


def test_a_page_that_tells_its_date_is_not_as_new_as_its_file() -> None:
    filed = datetime(2026, 1, 1, tzinfo=UTC)
    (told,) = read("p.md", b"---\ndate: 2023-02-01\n---\n\n# P\n\nText.\n", modified=filed)
    (untold,) = read("p.md", b"# P\n\nText.\n", modified=filed)
    assert told.modified == told.created == datetime(2023, 2, 1, tzinfo=UTC)
    assert untold.modified == filed


def test_a_footnote_is_no_link() -> None:
    assert read_one("a.md", b"It flies.[^1]\n\n[^1]: The kite does.\n").links == ()


def test_of_a_paragraph_that_ends_above_an_underlined_line_that_line_is_the_heading() -> None:
    reading = read_one("a.md", b"Kite flies it.\nIt is old.\nInstall\n-------\nRun it.\n")
    assert shown(reading) == [
        ("text", "Kite flies it.\nIt is old."),
        ("heading", "Install\n-------"),
        ("text", "Run it."),
    ]
