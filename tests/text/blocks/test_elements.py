"""What a passage is made of: which lines are one element, and what sort it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.blocks.elements import Sort, elements_of, elements_of_code
from tests.text.blocks.pages import KINDS, PAGES


def parts(text: str, kind: str = "markdown") -> list[tuple[Sort, str]]:
    return [(one.sort, text[one.start : one.end]) for one in elements_of(text, kind)]


def test_a_page_is_its_heading_prose_list_table_and_code_in_order() -> None:
    found = parts(
        "## Install\n\nRun this\nfirst:\n\n```sh\npip install it\n```\n\n"
        "- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone."
    )
    assert found == [
        (Sort.HEADING, "## Install"),
        (Sort.PROSE, "Run this\nfirst:"),
        (Sort.CODE, "```sh\npip install it\n```"),
        (Sort.LIST, "- one\n- two"),
        (Sort.TABLE, "| a | b |\n|---|---|\n| 1 | 2 |"),
        (Sort.PROSE, "Done."),
    ]


def test_a_list_has_all_that_is_indented_below_its_items() -> None:
    steps = "1. Stop it:\n\n   ```sh\n   stop\n   ```\n\n   Then wait.\n\n2. Start it.\n   - slowly"
    assert parts(f"{steps}\n\nIt runs.") == [(Sort.LIST, steps), (Sort.PROSE, "It runs.")]


def test_a_line_right_below_an_item_goes_on_with_it() -> None:
    assert parts("- one\ngoes on\n\nApart.") == [
        (Sort.LIST, "- one\ngoes on"),
        (Sort.PROSE, "Apart."),
    ]


def test_a_heading_or_code_at_the_margin_ends_a_list() -> None:
    sorts = [sort for sort, _ in parts("- one\n\n```\ncode\n```\n\n- two\n\n# Next\n")]
    assert sorts == [Sort.LIST, Sort.CODE, Sort.LIST, Sort.HEADING]


def test_a_table_without_pipes_at_its_sides_is_one() -> None:
    table = "a | b\n--- | ---\n1 | 2"
    assert parts(f"{table}\n\nA or | b.") == [(Sort.TABLE, table), (Sort.PROSE, "A or | b.")]


def test_a_fence_says_its_language_and_where_the_code_in_it_is() -> None:
    text = "See:\n\n```{python} title\nprint(1)\n```"
    [code] = elements_of_code(text, "markdown")
    assert code.language == "python"
    assert text[slice(*code.code)] == "print(1)\n"


@pytest.mark.parametrize(
    ("directive", "language"),
    [
        (".. code-block:: yaml", "yaml"),
        (".. code:: sh", "sh"),
        (".. sourcecode:: c++", "c++"),
        ("An example::", ""),
    ],
)
def test_code_of_rst_has_the_language_of_its_directive(directive: str, language: str) -> None:
    text = f"{directive}\n\n    a: 1\n\n    b: 2\n\nAfter."
    [code] = elements_of_code(text, "rst")
    assert code.language == language
    assert text[slice(*code.code)] == "    a: 1\n\n    b: 2"
    assert parts(text, "rst")[-1] == (Sort.PROSE, "After.")


def test_code_that_is_cut_behind_its_fence_goes_to_the_end() -> None:
    text = "So:\n\n```yaml\na: 1\nb:"
    [code] = elements_of_code(text, "markdown")
    assert code.language == "yaml"
    assert text[slice(*code.code)] == "a: 1\nb:"


def test_code_that_is_cut_before_its_fence_begins_with_the_text() -> None:
    text = "a: 1\nb: 2\n```"
    [code] = elements_of_code(text, "markdown")
    assert text[slice(*code.code)] == "a: 1\nb: 2\n"


def test_a_remark_in_code_is_no_heading() -> None:
    assert [sort for sort, _ in parts("```sh\n# Not a heading\nrun\n```")] == [Sort.CODE]


@given(PAGES, st.sampled_from(KINDS))
def test_every_line_that_says_something_is_in_exactly_one_element(text: str, kind: str) -> None:
    found = elements_of(text, kind)
    at, skipped = 0, ""
    for one in found:
        assert at <= one.start < one.end <= len(text)
        skipped += text[at : one.start]
        at = one.end
    assert not (skipped + text[at:]).strip()


MIDDLE = "listen 443 ssl;\n  # any host\n  server_name _;\n  location / {\n    proxy_pass up;\n  }"


@pytest.mark.parametrize("text", [MIDDLE, f"{MIDDLE}\n```\n\nThen reload it, and look at the log."])
def test_the_middle_and_the_end_of_long_code_are_code(text: str) -> None:
    first = elements_of(text, "markdown")[0]
    assert (first.sort, text[slice(*first.code)].strip()) == (Sort.CODE, MIDDLE)


@pytest.mark.parametrize(
    "text",
    [
        "It keeps messages,\nwhole and in order,\nfor three days,\nand then drops them.",
        "- one\n    - two\n    - three\n    - four",
        "<table>\n<tr>\n<td>one</td>\n</tr>\n</table>",
    ],
)
def test_prose_lists_and_tags_are_no_code(text: str) -> None:
    assert all(one.sort is not Sort.CODE for one in elements_of(text, "markdown"))
