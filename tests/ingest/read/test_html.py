"""HTML pages."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sextant.errors import TooMuch
from sextant.ingest.read import read
from sextant.ingest.shaping.split import split
from sextant.text.prose.units import units_of
from sextant.types import Document, Passage
from tests.ingest.read.checks import headings, pieces, read_one, read_soundly, shown

PIECES = st.one_of(
    st.sampled_from(["<p>", "</p>", "<h1>", "</h1>", "<h2>x</h2>", "<ul>", "<li>", "</ul>", "<b>"]),
    st.sampled_from(["<table>", "<tr>", "<td>", "</table>", "<td>a</td>", "<dl><dt>", "<dd>"]),
    st.sampled_from(["<pre>", "</pre>", "<a href='/x'>", "</a>", "<nav>", "</nav>", "<br>"]),
    st.sampled_from(["<main>", "</main>", "<script>", "</script>", "<", ">", "&amp;", "&#0;"]),
    st.text(max_size=8),
)

PAGE = """<!doctype html>
<html lang="en-GB"><head>
<title>The  Title</title>
<link rel="canonical" href="https://docs.example/page">
<meta name="description" content="What it says">
<meta name="keywords" content="a, b">
<meta property="article:published_time" content="2024-05-06T07:08:09Z">
<meta property="article:modified_time" content="2024-06-07">
<style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav><header>Site</header>
<main>
<h1>First<a class="headerlink" href="#first">¶</a></h1>
<p>Some <b>bold</b>
   text with <a href="../other.html">a link</a>.</p>
<ul><li>one</li><li>two <a href="x">X</a><ul><li>inner</li></ul></li></ul>
<table><tr><th>Name</th><th>Owner</th></tr><tr><td>A</td><td>Team <i>Y</i></td></tr></table>
<pre><code>a = 1
  b = 2</code></pre>
<script>alert("no")</script>
<h2>Second</h2>Loose text<br>over lines
</main>
<aside>Related</aside><footer>Imprint</footer></body></html>
"""


@given(st.lists(PIECES, max_size=30).map("".join))
@example("a<br><a href='/x'>")
@example("<ul><li>a<br><a href='/x'></a></li></ul>")
def test_any_tags_are_read_with_sound_blocks(text: str) -> None:
    read_soundly("a.html", text.encode("utf-8", "surrogatepass"))


def test_the_main_text_is_read_in_blocks() -> None:
    assert shown(read_one("a.html", PAGE)) == [
        ("heading", "# First"),
        ("text", "Some bold text with a link."),
        ("list", "- one\n- two X\n  - inner"),
        ("table", "Name | Owner\nA | Team Y"),
        ("code", "```\na = 1\n  b = 2\n```"),
        ("heading", "## Second"),
        ("text", "Loose text  \nover lines"),
    ]


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("<p>Run <code>a *b* &lt;c&gt;</code>, then wait.</p>", "Run `a *b* <c>`, then wait."),
        ("<p>Run <kbd> x  `y` </kbd>now</p>", "Run `` x `y` `` now"),
        ("<ul><li>Set <code>__a__</code></li></ul>", "- Set `__a__`"),
        ("<p>See <code><a href='/x'>Map</a></code>.</p>", "See Map."),
        ("<p>See <a href='/x'><code>Map</code></a>.</p>", "See `Map`."),
        ("<p>No <code> </code>code</p>", "No code"),
        ("<p>Set <code>a<b hidden>b</b></code></p>", "Set a"),
        ("<div>Set <code>a<div>It waits.</div></code></div>", "Set a\n\nIt waits."),
        ("<pre>echo\n```\n*b*</pre>", "````\necho\n```\n*b*\n````"),
        ("<pre> </pre><p>It waits.</p>", "It waits."),
    ],
)
def test_code_of_a_page_is_marked_as_code(page: str, read: str) -> None:
    assert read_one("a.html", page).text == read


def test_the_head_says_title_address_language_and_dates() -> None:
    reading = read_one("a.html", PAGE)
    assert (reading.title, reading.url) == ("The Title", "https://docs.example/page")
    assert (reading.language, reading.tags) == ("en-GB", frozenset("ab"))
    assert reading.created == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert reading.modified == datetime(2024, 6, 7, tzinfo=UTC)
    assert reading.metadata == {"description": "What it says"}


def test_links_point_to_where_their_labels_stand() -> None:
    reading = read_one("a.html", PAGE)
    found = [
        (link.target, link.label, reading.text[link.at :][: len(link.label)])
        for link in reading.links
    ]
    assert found == [("../other.html", "a link", "a link"), ("x", "X", "X")]


def test_a_table_that_lays_out_a_page_is_read_as_the_page() -> None:
    text = "<table><tr><td><h1>Title</h1><p>Text</p></td></tr></table>"
    reading = read_one("a.html", text)
    assert headings(reading) == [(1, "Title")]
    assert reading.title == "Title"


def test_malformed_html_is_read_as_browsers_do() -> None:
    reading = read_one("a.html", "<h1>One<p>two<p>three<li>four<table><td>five")
    assert "five" in reading.text
    assert reading.text.count("two") == 1


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        ("<meta charset=iso-8859-1><p>Größe".encode("latin-1"), ""),
        ("<p>Größe".encode("latin-1"), "text/html; charset=ISO-8859-1"),
        ("<p>Größe".encode("utf-16"), ""),
    ],
)
def test_declared_encodings_are_used(data: bytes, media_type: str) -> None:
    assert read("a.html", data, media_type)[0].text == "Größe"


def test_long_tables_repeat_their_header_in_every_row() -> None:
    rows = "".join(f"<tr><td>service-{n}</td><td>team-{n}</td></tr>" for n in range(100))
    reading = read_one("a.html", f"<table><tr><th>Name<th>Owner</tr>{rows}</table>")
    assert reading.text.split("\n")[7] == "Name: service-7; Owner: team-7"
    assert len(reading.blocks[0].cuts) == 99


def test_cells_over_several_rows_and_columns_are_in_each() -> None:
    page = """<table><caption>Rates</caption>
    <tr><th rowspan=2>Zone</th><th colspan=2>Price</th></tr><tr><th>Net</th><th>Gross</th></tr>
    <tr><td rowspan=2>North</td><td>5</td><td>6</td></tr><tr><td>8</td><td>9</td></tr>
    <tr><td>South</td><td colspan=2>ask</td></tr></table>
    <table><tr><td></td><th>Pro</th></tr><tr><th>Seats</th><td>10</td></tr></table>"""
    assert pieces("a.html", page) == [
        "Rates",
        "Zone: North; Price Net: 5; Price Gross: 6.",
        "Zone: North; Price Net: 8; Price Gross: 9.",
        "Zone: South; Price Net: ask; Price Gross: ask.",
        "Seats; Pro: 10.",
    ]


def test_elements_too_deep_for_the_parser_are_refused() -> None:
    with pytest.raises(TooMuch):
        read("a.html", b"<div>" * 100_000)
    read_one("a.html", "<p>x" * 20_000)


def test_a_line_break_stays_a_line_break() -> None:
    (reading,) = read(
        "p.html", b"<p>Owner: Y<br> Tier: 1<br/>Ask <b>Ito</b></p><ul><li>a<br>b</ul>"
    )
    assert reading.text == "Owner: Y  \nTier: 1  \nAsk Ito\n\n- a  \nb"


def test_short_sections_that_are_put_together_keep_their_headings() -> None:
    (reading,) = read("t.html", b"<h1>Teams</h1><h2>Kite</h2>It flies.<h2>Lark</h2>It sings.")
    (chunk,) = split(reading, "t", 800)
    units = units_of(Passage(chunk, Document("t", reading.title), ""))
    assert [(unit.text, unit.under) for unit in units] == [
        ("It flies.", "Kite"),
        ("It sings.", "Lark"),
    ]
