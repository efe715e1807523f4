"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.prose.sentences import sentence_spans

PARTS = ("Pods", "run", ".", "!", "?", "…", "。", " ", "\n", "\n\n", "- ", "1. ", "e.g.", "A.", '"')
MARKS = ("# ", "\n## Pods\n", "\n----\n", "> ", "\n> ", "**", "[^1]", "</b>", "PODS\n", "  \n")
texts = st.one_of(
    st.text(max_size=80), st.lists(st.sampled_from(PARTS + MARKS), max_size=30).map("".join)
)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(texts, texts, texts)
def test_spans_are_in_order_without_blanks_at_their_ends_and_leave_nothing_out(
    lead: str, text: str, rest: str
) -> None:
    whole, at, end = lead + text + rest, len(lead), len(lead) + len(text)
    for first, last in sentence_spans(whole, at, end):
        assert at <= first < last <= end
        assert not whole[at:first].strip()
        assert whole[first:last] == whole[first:last].strip()
        at = last
    assert not whole[at:end].strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Wait... Go on.", ["Wait...", "Go on."]),
        ("He said “No.” Then left.", ["He said “No.”", "Then left."]),
        ("(See above.) Next.", ["(See above.)", "Next."]),
        ("Use a queue, e.g. Harbor. Done.", ["Use a queue, e.g. Harbor.", "Done."]),
        ("Ask Dr. Lee or Mr. Ito. Thanks.", ["Ask Dr. Lee or Mr. Ito.", "Thanks."]),
        ("Acme Inc. owns it. Yes.", ["Acme Inc. owns it.", "Yes."]),
        ("On Jan. 5 it broke. Why?", ["On Jan. 5 it broke.", "Why?"]),
        ("Written by J. R. Stone. More.", ["Written by J. R. Stone.", "More."]),
        ("Ask Team A. The queue is up.", ["Ask Team A.", "The queue is up."]),
        ("Service A needs Team Y. Harbor Queue.", ["Service A needs Team Y.", "Harbor Queue."]),
        ("Ask Dr. J. Lee first. Yes.", ["Ask Dr. J. Lee first.", "Yes."]),
        ("J. Lee knows. Yes.", ["J. Lee knows.", "Yes."]),
        ("Version 2.1 of checkout.py runs.", ["Version 2.1 of checkout.py runs."]),
        ("see api.example.com for more. next", ["see api.example.com for more. next"]),
        ("- one\n- two\n* three", ["- one", "- two", "* three"]),
        ("1. first\n2) second\n10. tenth", ["1. first", "2) second", "10. tenth"]),
        ("A paragraph\n\nAnother", ["A paragraph", "Another"]),
        ("a line\nthat goes on", ["a line\nthat goes on"]),
        ("Owner: Y\nTier: 1\n**On call:** Ito", ["Owner: Y", "Tier: 1", "**On call:** Ito"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("今日は。元気？はい！", ["今日は。", "元気？", "はい！"]),  # noqa: RUF001 - as it is written
        ("「行く。」と言う。", ["「行く。」", "と言う。"]),
        ("**Kite owns it.** Lark does not.", ["**Kite owns it.**", "Lark does not."]),
        ("Kite owns it.[^1] Lark does not.", ["Kite owns it.[^1]", "Lark does not."]),
        ("<b>Kite owns it.</b> Lark does not.", ["<b>Kite owns it.</b>", "Lark does not."]),
        ("See *e.g.* Kite. Yes.", ["See *e.g.* Kite.", "Yes."]),
        ("> a line\n> that goes on. Next.", ["> a line\n> that goes on.", "Next."]),
        ("> [!NOTE]\n> Kite owns it\n>\n> - one", ["> [!NOTE]", "> Kite owns it\n>", "> - one"]),
        ("Call tel. 555 or ext. 12. Bye.", ["Call tel. 555 or ext. 12.", "Bye."]),
        ("Open until 5 p.m.\non Fridays. Yes.", ["Open until 5 p.m.\non Fridays.", "Yes."]),
        ("Owned by Kite\n## Next\nText", ["Owned by Kite", "## Next", "Text"]),
        ("Owned by Kite\nNext\n====\nText", ["Owned by Kite", "Next\n====", "Text"]),
        ("* one\n** two\n** three", ["* one", "** two", "** three"]),
        ("Call Kite  \nAsk Lark  \nor wait", ["Call Kite", "Ask Lark  \nor wait"]),
        (":owner: Kite\n:state: up", [":owner: Kite", ":state: up"]),
        ("Sold in the U.S. and Peru. Yes.", ["Sold in the U.S. and Peru.", "Yes."]),
        ("Phone ..... 4410\nIt rings.", ["Phone ..... 4410\nIt rings."]),
        ("NEXT STEPS\nWe wait. Then go.", ["NEXT STEPS", "We wait.", "Then go."]),
        ("1. NEXT STEPS\nWe wait.", ["1.", "NEXT STEPS", "We wait."]),
        ("DO NOT\nRESTART IT", ["DO NOT\nRESTART IT"]),
        ("It is run by\nACME INC\nin Oslo.", ["It is run by\nACME INC\nin Oslo."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Old cells of it die.We keep the new ones (all).They all live on.Mice live for years.",
            [
                "Old cells of it die.",
                "We keep the new ones (all).",
                "They all live on.",
                "Mice live for years.",
            ],
        ),
        (
            "The share of them is below 5 %.Who of them was there before?They did not say so.",
            [
                "The share of them is below 5 %.",
                "Who of them was there before?",
                "They did not say so.",
            ],
        ),
        (
            "It was small in both (P < .001).The rest grew on.",
            ["It was small in both (P < .001).", "The rest grew on."],
        ),
    ],
)
def test_a_sentence_ends_even_where_the_blank_behind_it_is_lost(
    text: str, expected: list[str]
) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Keep the values of it in a java.util.List of your own.",
        "Call the method client.Get once for every page.",
        "What it shows by default is object.ToString of the value.",
        "Errors.Is the one to ask about them.",
        "You can also use errors.As to unwrap the cause.",
        "Call Assert.That once for every value of it.",
        "See the longer list in App.A for more detail.",
        "All of it is said in docs/readme.The same holds there.",
    ],
)
def test_a_name_with_a_stop_in_it_ends_nothing(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize("blank", [" ", "\n"])
def test_a_page_with_two_slips_still_names_its_calls(blank: str) -> None:
    text = (
        "Open the list on the screen.It is kept for a minute.The colours are fixed. To add a "
        "patient in a script, call client.Add with the name. Round the dose with Math.Floor "
        "before it is shown. Nobody reads the log. Ask the desk for more."
    ).replace(". ", f".{blank}")
    assert [one for one in sentences(text) if one.endswith(("client.", "Math."))] == []
    assert "It is kept for a minute." in sentences(text)


def test_a_number_ends_a_sentence_too() -> None:
    text = "The desk is at extension 417.They answer until six."
    assert sentences(text) == ["The desk is at extension 417.", "They answer until six."]


def test_one_lost_blank_is_a_slip_and_tells_nothing_of_other_stops() -> None:
    text = "The old one was lost here.The rest is kept in a collections.Counter of your own."
    rest = "The rest is kept in a collections.Counter of your own."
    assert sentences(text) == ["The old one was lost here.", rest]


def test_a_heading_ends_with_its_line() -> None:
    text = "## Kite\nKite is led by Bob. It flies.\nTeam Lark\n=====\nLark sings.\n# Last"
    assert sentences(text) == [
        "## Kite",
        "Kite is led by Bob.",
        "It flies.",
        "Team Lark\n=====",
        "Lark sings.",
        "# Last",
    ]


def test_an_abbreviation_ends_a_sentence_when_another_one_opens_behind_it() -> None:
    text = "It is made by Brightwater Ltd. It depends on Acme Inc. in Berlin."
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "It is made by Brightwater Ltd.",
        "It depends on Acme Inc. in Berlin.",
    ]


@pytest.mark.parametrize(
    "sign", [".", "!", "…", ".'", ". .", ".*", ".[1]", "\n> ", "A\n", "\n", " \n", ")", "a."]
)
def test_a_long_run_of_stops_is_read_in_one_pass(sign: str) -> None:
    text = sign * 100_000 + "x"
    assert sentence_spans(text)[-1][1] == len(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("who | where\nMira | Bremen\nJon | Kiel", 3),
        ("owner: Team Keel; service: Tide\nowner: Team Fern; service: Dock", 2),
        ("  -\n    owner: Team Keel\n    name: Tide\n  -\n    owner: Team Fern", 2),
    ],
)
def test_a_row_or_a_record_is_not_told_with_the_next(text: str, count: int) -> None:
    assert len(sentence_spans(text)) == count
