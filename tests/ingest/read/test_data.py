"""Tables, JSON, JSON Lines, YAML and notebooks."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import BrokenFile, TooMuch
from sextant.ingest.read import ReadLimits, read
from sextant.ingest.read.table import read as read_within
from tests.ingest.read.checks import chunks, headings, pieces, read_one, read_soundly, shown

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "text", "title", "name", "a", ""]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
CELLS = st.text(st.sampled_from('ab,;"\n\t |1'), max_size=30)


@given(VALUES)
def test_any_json_is_read_with_sound_blocks(value: object) -> None:
    read_soundly("a.json", json.dumps(value).encode())


@given(st.lists(VALUES, max_size=4))
def test_any_json_lines_are_read_with_sound_blocks(values: list[object]) -> None:
    read_soundly("a.jsonl", "\n".join(json.dumps(value) for value in values).encode())


@given(st.text(max_size=60), st.sampled_from(["a.json", "a.jsonl", "a.yaml", "a.ipynb", "a.csv"]))
def test_any_text_is_read_or_refused(text: str, path: str) -> None:
    read_soundly(path, text.encode("utf-8", "surrogatepass"))


@given(CELLS)
def test_any_table_is_read_with_sound_blocks(text: str) -> None:
    read_soundly("a.csv", text.encode())


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_small_table_stays_a_table(separator: str) -> None:
    text = "name,owner\nA,Team Y\n\nB,Team Z\n".replace(",", separator)
    reading = read_one("services.csv", text)
    assert shown(reading) == [("table", "name | owner\nA | Team Y\nB | Team Z")]
    assert [reading.text[cut:] for cut in reading.blocks[0].cuts] == ["B | Team Z"]


def test_rows_of_a_long_table_name_their_columns() -> None:
    rows = "".join(f'service-{n},"Team ""{n}""",,{n}\n' for n in range(200))
    lines = read_one("a.csv", f"name,owner,empty,\n{rows}").text.split("\n")
    assert lines[3] == 'name: service-3; owner: Team "3"; 3'


def test_tables_that_are_too_wide_or_too_long_are_refused() -> None:
    with pytest.raises(TooMuch, match="columns"):
        read("a.csv", b"," * 1_000_000)
    with pytest.raises(TooMuch, match="cells"):
        read_within("a.csv", b"1,2\n" * 100, limits=ReadLimits(cells=100))


def test_a_huge_cell_is_read() -> None:
    assert len(read_one("a.csv", "a,b\n" + "x" * 500_000 + ",1").text) > 500_000


def test_json_is_a_readable_tree() -> None:
    value = {"title": "T", "port": 8080, "on": True, "owner": {"team": "Y", "tags": ["a", "b"]}}
    reading = read_one("a.json", json.dumps(value))
    assert reading.title == "T"
    assert shown(reading) == [
        ("text", "title: T\nport: 8080\non: true"),
        ("text", "owner:\n  team: Y\n  tags:\n    - a\n    - b"),
    ]


def test_json_records_with_a_text_are_documents() -> None:
    records = [
        {"_id": "a", "title": "One", "text": "# Head\n\nText.", "tags": ["x"], "author": "Ann"},
        {"_id": "a", "text": "Two.", "date": "2024-05-06", "url": "https://x.example/2"},
        {"text": "Three."},
    ]
    readings = read("a.jsonl", "\n".join(map(json.dumps, records)).encode())
    assert [reading.part for reading in readings] == ["a", "a (2)", "3"]
    assert readings[0].title == "One"
    assert headings(readings[0]) == [(1, "Head")]
    assert readings[0].metadata == {"author": "Ann"}
    assert readings[1].created == datetime(2024, 5, 6, tzinfo=UTC)
    assert readings[1].url == "https://x.example/2"
    assert read("a.json", json.dumps(records).encode())[1].text == "Two."


def test_other_json_lines_are_one_document() -> None:
    reading = read_one("a.jsonl", '{"a": 1}\n\n{"b": 2}\n')
    assert shown(reading) == [("text", "-\n  a: 1"), ("text", "-\n  b: 2")]


def test_a_record_of_json_lines_is_one_piece() -> None:
    lines = '{"name": "Mira", "ext": 4410}\n{"name": "Jon", "at": {"city": "Kiel"}, "ext": 4411}'
    assert pieces("a.jsonl", lines) == [
        "name: Mira; ext: 4410.",
        "name: Jon; at city: Kiel; ext: 4411.",
    ]


def test_a_large_record_deep_inside_is_cut_between_records() -> None:
    records = [{"name": f"svc-{n}", "note": "word " * 30, "port": n} for n in range(30)]
    text = json.dumps({"data": {"services": records}})
    assert len(chunks("a.json", text)) > 1
    assert all(f"name: svc-{n};" in one for n, one in enumerate(pieces("a.json", text)))


def test_the_heads_of_columns_keep_their_places() -> None:
    assert pieces("a.csv", ",Free,Pro\nSeats,1,10\n,only,a|b\nHelp,,\n") == [
        "Seats; Free: 1; Pro: 10.",
        "Free: only; Pro: a|b.",
        "Help.",
    ]


def test_a_row_with_one_cell_does_not_end_the_table() -> None:
    assert pieces("a.csv", "name,ext\nNorth,\nMira,4410\nJon,4411\n") == [
        "name: North.",
        "name: Mira; ext: 4410.",
        "name: Jon; ext: 4411.",
    ]


def test_a_title_above_a_long_table_is_not_its_head() -> None:
    rows = "".join(f"desk of ward {n},{n}\n" for n in range(200))
    found = pieces("a.csv", f"Phones of 2026,\nname,ext\n{rows}")
    assert found[:2] == ["Phones of 2026", "name: desk of ward 0; ext: 0."]


def test_a_wide_row_of_a_long_table_says_in_every_piece_whose_it_is() -> None:
    heads = ",".join(f"Property {n} (unit)" for n in range(60))
    rows = "".join(f"P/{at},{','.join(f'v{at}.{n}' for n in range(60))}\n" for at in range(4))
    found = pieces("a.csv", f"Pump/Id,{heads}\n{rows}")
    assert all(one.startswith("Pump/Id: P/") for one in found)
    assert all(
        any(
            f"P/3; Property {n} (unit)" in one or f"; Property {n} (unit): v3.{n}" in one
            for one in found
        )
        for n in range(60)
    )


@given(st.lists(st.lists(st.sampled_from(["", "a1", "b|2", "c 3."]), min_size=2, max_size=4)))
def test_every_cell_is_in_some_piece(rows: list[list[str]]) -> None:
    named = [
        [cell and f"{cell}{at}x{n}" for n, cell in enumerate(row)] for at, row in enumerate(rows)
    ]
    text = "\n".join("\t".join(row) for row in [list("klmn"), *named])
    told = " ".join(pieces("a.tsv", text))
    assert all(cell in told for row in named for cell in row)


@given(VALUES)
def test_every_value_of_a_tree_is_in_some_piece(value: object) -> None:
    numbered, count = _numbered(value, 0)
    told = " ".join(pieces("a.json", json.dumps([numbered, "end"]))).split()
    words = {word.strip(".,;") for word in told}
    assert all(f"v{n}v" in words for n in range(count))


def _numbered(value: object, count: int) -> tuple[object, int]:
    """Return the same tree with a number of its own in the place of each value."""
    if isinstance(value, dict):
        made: dict[str, object] = {}
        for name, inner in value.items():
            made[f"k{name}"], count = _numbered(inner, count)
        return made, count
    if isinstance(value, list):
        items = []
        for inner in value:
            item, count = _numbered(inner, count)
            items.append(item)
        return items, count
    return f"v{count}v", count + 1


def test_broken_lines_are_named() -> None:
    with pytest.raises(BrokenFile, match="line 3"):
        read("a.jsonl", b'{"text": "a"}\n{"text": "b"}\n{"text"')


@pytest.mark.parametrize("path", ["a.json", "a.jsonl", "a.ipynb", "a.yaml"])
def test_deep_nesting_is_refused(path: str) -> None:
    with pytest.raises((TooMuch, BrokenFile)):
        read(path, b"[" * 100_000 + b"]" * 100_000)
    with pytest.raises((TooMuch, BrokenFile)):
        read(path, b"[" * 300 + b"]" * 300)


def test_yaml_keeps_scalars_as_written() -> None:
    reading = read_one("a.yaml", "version: 1.10\ncountry: no\nservers:\n- host: a\n  port: 080\n")
    assert reading.text == "version: 1.10\ncountry: no\n\nservers:\n  -\n    host: a\n    port: 080"
    assert reading.source_type == "yaml"


def test_yaml_alias_bombs_are_refused() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    with pytest.raises(TooMuch):
        read("a.yaml", "\n".join(lines).encode())
    with pytest.raises(BrokenFile):
        read("a.yaml", b"a: &a [*a]")


def test_a_notebook_is_prose_code_and_short_outputs() -> None:
    book = {
        "nbformat": 4,
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "\n", "See [x](y.md)."]},
            {
                "cell_type": "code",
                "source": "print(1)",
                "outputs": [
                    {"output_type": "stream", "text": ["1\n"]},
                    {"output_type": "display_data", "data": {"image/png": "iVBO"}},
                    {"output_type": "execute_result", "data": {"text/plain": "y" * 10_000}},
                    {"output_type": "error", "ename": "KeyError", "evalue": "'a'"},
                ],
            },
        ],
    }
    reading = read_one("a.ipynb", json.dumps(book))
    texts = shown(reading)
    assert texts[:4] == [
        ("heading", "# Title"),
        ("text", "See [x](y.md)."),
        ("code", "print(1)"),
        ("code", "1"),
    ]
    assert len(texts[4][1]) < 2_100
    assert texts[5] == ("code", "KeyError: 'a'")
    assert reading.title == "Title"
    assert reading.text[reading.links[0].at :].startswith("[x]")
