"""A passage in its smallest pieces: sentences, rows, records, remarks in code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.prose.units import headings_over, units_of
from tests.ask.pieces import passage

LAYOUTS = st.lists(
    st.sampled_from(
        [
            "# Heading",
            "| a | b |",
            "|---|---|",
            "x | y | z",
            "key: value",
            "  -",
            "  - name: it",
            "// remark",
            "code = 1",
            "A sentence. Another one!",
            "- an item",
            "1. a step",
            ":date: today",
            ".. note:: It waits.",
            "> quoted",
            "> [!NOTE]",
            "```",
            "SHOUTED LINE",
            "----",
            "Q: Who waits?",
            "A: He does.",
            "  and so on",
            "",
            "ends with a colon:",
        ]
    ),
    max_size=30,
).map("\n".join)


def texts(text: str, **fields: object) -> list[str]:
    return [unit.text for unit in units_of(passage("d", text, **fields))]  # type: ignore[arg-type]


def test_prose_is_cut_into_sentences_on_one_line_each() -> None:
    assert texts("It waits\nfor an answer. Nobody minds.") == [
        "It waits for an answer.",
        "Nobody minds.",
    ]


def test_a_sentence_that_goes_on_from_the_one_before_stays_with_it() -> None:
    held = "The cart is held for 20 minutes. After that it is released."
    assert texts(f"{held} Nobody minds.") == [held, "Nobody minds."]
    assert texts("The cart is held.\n\nAfter that it is released.") == [
        "The cart is held.",
        "After that it is released.",
    ]


def test_the_sentences_of_a_step_stay_together() -> None:
    assert texts("1. Restart one pod. Never restart all.\n2. Wait.") == [
        "Restart one pod. Never restart all.",
        "Wait.",
    ]


def test_a_heading_is_no_sentence_but_what_follows_stands_under_it() -> None:
    units = units_of(passage("d", "# Limits\n\nAt most 5 are sent."))
    assert [(unit.text, unit.under) for unit in units] == [("At most 5 are sent.", "Limits")]


@pytest.mark.parametrize("heading", ["## Limits\n", "## Limits ##\n\n", "Limits\n------\n"])
def test_what_follows_a_heading_at_once_is_read(heading: str) -> None:
    units = units_of(passage("d", f"{heading}At most 5 are sent. The rest waits."))
    assert [(unit.text, unit.under) for unit in units] == [
        ("At most 5 are sent.", "Limits"),
        ("The rest waits.", "Limits"),
    ]


def test_a_row_is_read_with_the_heads_of_its_columns() -> None:
    table = "| Tier | First page |\n|---|---|\n| 1 | at once |\n| 2 | office hours |"
    assert texts(table) == ["Tier: 1; First page: at once.", "Tier: 2; First page: office hours."]


@pytest.mark.parametrize(
    "table",
    [
        "Field | Value\n---|---\nOwner | Team Keel\nPort | 8443",
        "Field|Value\n-|-\nOwner|Team Keel\nPort|8443",
        "+-----+---+\n| Field | Value |\n+=====+===+\n| Owner | Team Keel |\n| Port | 8443 |\n+--+",
        "## Facts\n| Field | Value |\n| :-- | --: |\n| Owner | Team Keel |\n| Port | 8443 |",
    ],
)
def test_a_table_is_read_however_its_rule_is_drawn(table: str) -> None:
    assert texts(table) == ["Field: Owner; Value: Team Keel.", "Field: Port; Value: 8443."]


def test_empty_cells_keep_their_places() -> None:
    table = "||Free|Pro|\n|-|-|-|\n|Seats||10|\n||1|2|\n|Help|mail \\| chat||"
    assert texts(table) == ["Seats; Pro: 10.", "Free: 1; Pro: 2.", "Help; Free: mail | chat."]


def test_a_cell_without_a_head_is_read_nevertheless() -> None:
    assert texts("name | room\nMira | B12 | upstairs") == ["name: Mira; room: B12; upstairs."]


def test_a_table_without_heads_loses_no_row() -> None:
    assert texts("Mira Olsen | 4410\nJon Bek | 4411") == ["Mira Olsen; 4410.", "Jon Bek; 4411."]
    assert texts("Region | 2025 | 2026\nNorth | 1 | 2") == ["Region: North; 2025: 1; 2026: 2."]


@pytest.mark.parametrize("rows", [1, 2])
def test_what_goes_on_with_a_table_is_read_with_its_heads(rows: int) -> None:
    text = "\n".join(["| Night desk | 4410 |", "| Day desk | 4411 |"][:rows])
    found = units_of(passage("d", text, headings=("Phones", "| Desk | Extension |")))
    said = ["Desk: Night desk; Extension: 4410.", "Desk: Day desk; Extension: 4411."][:rows]
    assert [(unit.text, unit.layout) for unit in found] == [(one, "row") for one in said]


def test_a_long_row_is_told_in_pieces_that_all_say_whose_they_are() -> None:
    heads = " | ".join(f"property {at}" for at in range(60))
    cells = " | ".join(f"value {at}" for at in range(60))
    found = texts(f"name | {heads}\n--- | ---\nPump | {cells}")
    assert len(found) > 1
    assert all(one.startswith("name: Pump; property ") for one in found)
    assert all(any(f"property {at}: value {at}" in one for one in found) for at in range(60))


def test_a_row_with_its_heads_in_it_is_one_piece_whatever_these_are() -> None:
    rows = [f"host/ip: kl{at}.example; note (free): Stop it. Or not; by: me" for at in range(3)]
    assert texts("\n".join(rows)) == [f"{row}." for row in rows]
    assert texts(rows[0]) == [f"{rows[0]}."]


def test_the_quote_of_a_row_is_the_row_as_it_stands() -> None:
    text = "team | primary\nTeam Y | Mira"
    unit = units_of(passage("d", text))[0]
    assert text[unit.start : unit.end] == "Team Y | Mira"


def test_a_record_of_a_list_is_one_piece() -> None:
    text = "contacts:\n  -\n    team: Team Y\n    duty_extension: 4410\n  -\n    team: Team Z\n"
    assert texts(text + "    duty_extension: 4420") == [
        "contacts:",
        "team: Team Y; duty extension: 4410.",
        "team: Team Z; duty extension: 4420.",
    ]


TREE = """\
services:
  gateway:
    image: keel/gateway:2.1
    ports:
      - 8443:443
      - 8080:80
    owner: Team Keel
  billing:
    port: 9090
    contact:
      name: Ola Brandt
      phone: 4431
    hosts:
      -
        ip: 10.0.0.1
      -
        ip: 10.0.0.2
    note: Call first.
      Then wait."""


def test_a_record_of_a_tree_is_read_under_its_name() -> None:
    assert texts(TREE, metadata={"sextant:format": "yaml"}) == [
        "services: gateway; image: keel/gateway:2.1; ports: 8443:443, 8080:80; owner: Team Keel.",
        "services: billing; port: 9090; contact name: Ola Brandt; contact phone: 4431.",
        "services: billing; ip: 10.0.0.1.",
        "services: billing; ip: 10.0.0.2.",
        "services: billing; note: Call first. Then wait.",
    ]


def test_a_passage_may_begin_inside_a_tree() -> None:
    later = TREE[TREE.index("billing") :].partition("    contact")[0] + "  carrier:\n    port: 1"
    assert texts(later, metadata={"sextant:format": "yaml"}) == [
        "billing; port: 9090.",
        "carrier; port: 1.",
    ]


def test_the_quote_of_a_record_has_its_name() -> None:
    unit = units_of(passage("d", TREE, metadata={"sextant:format": "yaml"}))[0]
    assert TREE[unit.start : unit.end].startswith("gateway:\n    image:")


def test_prose_of_a_record_is_read_as_prose() -> None:
    assert texts("It waits.\nNobody minds.", metadata={"sextant:format": "json"}) == [
        "It waits.",
        "Nobody minds.",
    ]


def test_fields_without_a_list_are_pieces_of_their_own() -> None:
    assert texts("title: Contacts\nnote: Call first.") == ["title: Contacts.", "note: Call first."]


def test_a_label_within_prose_does_not_break_its_sentence() -> None:
    assert texts("Why: in the outage the desk was called two\nminutes before the end.") == [
        "Why: in the outage the desk was called two minutes before the end."
    ]


def test_a_remark_in_code_goes_with_the_line_that_it_explains() -> None:
    text = "package retry\n\n\t// CallTimeout is how long we wait.\n\tCallTimeout = 12\n"
    found = texts(text, metadata={"sextant:format": "code"})
    assert found == ["`package retry`", "CallTimeout is how long we wait. `CallTimeout = 12`"]


def test_an_item_stands_under_the_sentence_that_introduces_it() -> None:
    units = units_of(passage("d", "You need two things:\n- a key\n- a word"))
    assert [(unit.text, unit.under) for unit in units[1:]] == [
        ("a key", "You need two things:"),
        ("a word", "You need two things:"),
    ]


def test_a_sentence_without_an_end_is_cut_between_words() -> None:
    units = units_of(passage("d", "word " * 1000))
    assert all(len(unit.text) <= 600 and unit.text.endswith("word") for unit in units)
    assert sum(unit.text.count("word") for unit in units) == 1000


def test_a_setting_is_read_under_its_section() -> None:
    text = "[gateway]\nport = 8443\n\n[billing]  # ours\n# plain\nport = 9090"
    assert texts(text, metadata={"sextant:format": "code"}) == [
        "`[gateway]`",
        "gateway: `port = 8443`",
        "`[billing]  # ours`",
        "billing: plain `port = 9090`",
    ]


@given(LAYOUTS | st.text(max_size=400), st.sampled_from(["code", "yaml", "markdown"]))
def test_every_piece_stands_in_its_passage(text: str, kind: str) -> None:
    metadata = {"sextant:format": kind}
    at = 0
    for unit in units_of(passage("d", text, metadata=metadata)):
        assert at <= unit.start < unit.end <= len(text)
        assert unit.text == unit.text.strip()
        assert "\n" not in unit.text
        at = unit.start


def test_an_underlined_title_is_no_sentence() -> None:
    assert texts("RB-150: Slow\n============\n\nCall the desk.") == ["Call the desk."]


def placed(text: str) -> list[tuple[str, str]]:
    return [(unit.text, unit.under) for unit in units_of(passage("d", text))]


def test_fields_and_notes_of_restructured_text_are_read() -> None:
    text = ":Owner: Kite\n\n.. note:: It stops in May.\n\n.. tip::\n\n   Wait. Then go."
    assert texts(text) == ["Owner: Kite.", "It stops in May.", "Wait. Then go."]


def test_a_quote_is_read_without_its_marks() -> None:
    text = "> [!NOTE]\n> It is run by\n> Team Kite.\n> - an item"
    units = units_of(passage("d", text))
    assert [unit.text for unit in units] == ["It is run by Team Kite.", "an item"]
    assert text[units[0].start : units[0].end] == "It is run by\n> Team Kite."


def test_a_quote_is_no_part_of_the_item_above_it() -> None:
    assert texts("- Set it.\n> Never as root.") == ["Set it.", "Never as root."]


def test_a_field_that_goes_on_in_the_next_line_is_read_to_its_end() -> None:
    assert texts("Present: Ann\nAbsent: Bob (ill, see\nthe list)\nChair: Ann") == [
        "Present: Ann.",
        "Absent: Bob (ill, see the list)",
        "Chair: Ann",
    ]


def test_a_field_that_is_too_long_for_a_record_is_read_as_sentences() -> None:
    long = "note: It waits. " + "It waits once more. " * 40
    assert texts(f"{long}\nlead: Mara")[:2] == ["note: It waits.", "It waits once more."]
    assert texts(f"{long}\nlead: Mara")[-1] == "lead: Mara."


def test_a_remark_in_fenced_code_is_no_heading() -> None:
    text = "## Setup\n```sh\n# It takes an hour.\nrun it\n```\nIt needs Bob."
    assert placed(text)[-1] == ("It needs Bob.", "Setup")
    assert "It takes an hour. `run it`" in texts(text)
    assert headings_over(passage("d", text), len(text) - 1) == ["Setup"]


def test_an_item_over_a_rule_is_no_heading() -> None:
    assert texts("- Kite owns it\n----\nMore.") == ["Kite owns it", "More."]
    assert texts("1. Kite owns it\n----\nMore.") == ["Kite owns it", "More."]


def test_a_line_over_a_much_shorter_rule_is_read() -> None:
    assert texts("Kite owns the gateway\n---\nMore.") == ["Kite owns the gateway", "More."]
    assert texts("FAQ\n===\nMore.") == ["More."]


def test_underlined_headings_count_for_what_is_under_them() -> None:
    text = "Search\n------\nOne.\n\nRollback\n~~~~~~~~\nIt waits."
    assert headings_over(passage("d", text), text.index("It")) == ["Rollback", "Search"]


def test_what_is_in_a_nested_list_stands_under_the_items_above() -> None:
    text = "- Ledger\n  - Pager: Nils\n  - Phone: 1\n- Robot\n  - Pager: Ines\n  - runs at night"
    assert placed(text) == [
        ("Ledger", ""),
        ("Pager: Nils.", "Ledger"),
        ("Phone: 1.", "Ledger"),
        ("Robot", ""),
        ("Pager: Ines", "Robot"),
        ("runs at night", "Robot"),
    ]


def test_fields_and_rows_stand_under_the_heading_before_them() -> None:
    text = "## Ledger\nPager: Nils\nPhone: 1\n## Robot\nname | pager\nR2 | Ines"
    assert placed(text) == [
        ("Pager: Nils.", "Ledger"),
        ("Phone: 1.", "Ledger"),
        ("name: R2; pager: Ines.", "Robot name pager"),
    ]


def test_a_paragraph_after_a_list_is_not_under_what_introduces_the_list() -> None:
    assert placed("You need:\n- a key\n\nIt opens at 8.")[-1] == ("It opens at 8.", "")


def test_a_line_in_capitals_leads_what_is_below_it() -> None:
    assert placed("1. BERTH PLAN\nIt is kept by Dora. It is old.") == [
        ("BERTH PLAN", ""),
        ("It is kept by Dora.", "BERTH PLAN"),
        ("It is old.", "BERTH PLAN"),
    ]


def test_an_answer_stands_under_its_question() -> None:
    assert placed("**Q: Who waits?**\nA: Bob does.\n\nQ: Why?") == [
        ("A: Bob does.", "Q: Who waits?"),
        ("Q: Why?", ""),
    ]


def test_headings_with_nothing_under_them_are_read() -> None:
    assert texts("## Never on Fridays\n\n## Ask Bob ##") == ["Never on Fridays", "Ask Bob ##"]


@pytest.mark.parametrize("kind", ["json", "jsonl", "yaml", "markdown"])
def test_prose_with_a_colon_is_no_record_whatever_it_came_in(kind: str) -> None:
    text = "Note: the pump stops at noon. Ask Bob: he knows. He sits in Utrecht."
    assert texts(text, metadata={"sextant:format": kind}) == [
        "Note: the pump stops at noon.",
        "Ask Bob: he knows.",
        "He sits in Utrecht.",
    ]
    two = "The pump stops at noon. Ask Bob: he knows.\nThe gate opens. Ask Ann: she knows."
    assert texts(two, metadata={"sextant:format": kind}) == [
        "The pump stops at noon.",
        "Ask Bob: he knows.",
        "The gate opens.",
        "Ask Ann: she knows.",
    ]
