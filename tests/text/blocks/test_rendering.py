"""A run of a page as Markdown: code byte for byte, lists and tables whole, and nothing alive."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.blocks.rendering import DATA, render, render_prose, render_run
from sextant.text.markdown import printable
from tests.ask.pieces import passage
from tests.text.blocks.pages import KINDS, PAGES
from tests.text.test_markdown import HOSTILE, live

_FENCED = re.compile(
    r"^(?P<margin> *)(?P<ticks>`{3,})[^`\n]*\n(?P<code>.*?)\n(?P=margin)(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)


def test_code_keeps_every_sign_and_its_language() -> None:
    text = 'Do:\n\n```yaml\nkey: "*a* _b_ <c>"   # [x](y)\n\n\tnested: \\n\n```'
    assert render(text, "markdown") == text


def test_code_in_a_fence_of_a_list_is_indented_with_its_item_and_else_as_it_is() -> None:
    text = (
        "1. Write it:\n\n   ```yaml\n   a:\n     - b: 1\n\n     - c: 2\n   ```\n\n"
        "   Then save.\n\n2. Apply it:\n\n   ```sh\n   apply -f x.yaml\n   ```"
    )
    assert render(text, "markdown") == text


def test_a_nested_list_keeps_its_depth_and_numbers_their_values() -> None:
    text = "3. three\n   - deep\n     - deeper\n4. four"
    assert render(text, "markdown") == text
    assert render("* one\n+ two\n• three", "markdown") == "- one\n- two\n- three"


def test_a_list_in_a_quote_is_as_deep_as_it_is_in_the_quote() -> None:
    assert render("> - one\n>   - deep\n> - two", "markdown") == "- one\n  - deep\n- two"


def test_lines_that_go_on_with_an_item_are_on_its_line() -> None:
    assert render("- one\n  goes on\n- two", "markdown") == "- one goes on\n- two"


def test_fences_within_code_do_not_end_it() -> None:
    inner = "```sh\nrun\n```"
    shown = render(f"~~~markdown\n{inner}\n~~~", "markdown")
    assert shown == f"````markdown\n{inner}\n````"


def test_a_table_has_heads_and_a_rule() -> None:
    assert render("| Name | Port |\n|:--|--:|\n| web | 80 |", "markdown") == (
        "| Name | Port |\n| --- | --- |\n| web | 80 |"
    )


def test_a_table_that_goes_on_is_shown_under_the_heads_of_its_columns() -> None:
    page = passage("p", "| web | 80 |\n| db | 5432 |", headings=("Ports", "| Name | Port |"))
    start = page.chunk.text.index("| db")
    assert render_run(page, start, len(page.chunk.text)) == (
        "| Name | Port |\n| --- | --- |\n| db | 5432 |"
    )


def test_a_drawn_table_of_rst_is_shown_as_it_is_drawn() -> None:
    table = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+"
    assert render(table, "rst") == f"```\n{table}\n```"


def test_code_of_rst_is_fenced_in_the_language_of_its_directive() -> None:
    text = (
        "Set :setting:`broker_url`:\n\n.. code-block:: python\n\n    if x:\n        run()\n\nDone."
    )
    assert render(text, "rst") == "Set `broker_url`:\n\n```python\nif x:\n    run()\n```\n\nDone."


def test_two_colons_before_code_are_one() -> None:
    assert render("Like this::\n\n    run", "rst") == "Like this:\n\n```\nrun\n```"


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("!!! warning\n    It is gone.", "markdown", "Warning: It is gone."),
        ('!!! note "Mind this"\n    It stays.', "markdown", "Mind this: It stays."),
        ("> [!TIP]\nUse it.", "markdown", "Tip: Use it."),
        (":::caution[Take care]\nIt bites.\n:::", "markdown", "Take care: It bites."),
        (".. note:: \n   It stays.", "rst", "Note: It stays."),
        ("No note.", "markdown", "No note."),
        (".. versionadded:: 5.1", "rst", "New in version 5.1"),
        (
            ".. versionchanged:: 5.1 It is\n   faster.",
            "rst",
            "Changed in version 5.1 It is faster.",
        ),
        ("> It bites.\n> Take care.", "markdown", "It bites. Take care."),
    ],
)
def test_a_note_says_what_it_is(text: str, kind: str, expected: str) -> None:
    assert render_prose(text, kind) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<!-- unseen -->", "markdown"),
        ("[x]: https://wiki.example/x", "markdown"),
        (".. _target:", "rst"),
        (".. toctree::", "rst"),
        (":linenos:", "rst"),
    ],
)
def test_what_no_reader_of_the_page_sees_is_not_shown(text: str, kind: str) -> None:
    assert "It runs." in render(f"{text}\n\nIt runs.", kind)
    assert render(text, kind) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> Try:\n>\n> ```yaml\n> a:\n>   - b\n> # c\n> ```\n>\n> Done.",
         "Try:\n\n```yaml\na:\n  - b\n# c\n```\n\nDone."),
        ("> ```sh\n> x\n\n```sh\ny\n```", "```sh\ny\n```"),
        ('{{< highlight yaml "linenos=on" >}}\n# a\nb: 1\n{{< /highlight >}}\n\nDone.',
         "```yaml\n# a\nb: 1\n```\n\nDone."),
        ("{% highlight ruby %}\n# a\nb\n{% endhighlight %}", "```ruby\n# a\nb\n```"),
    ],
)  # fmt: skip
def test_code_in_quotes_and_shortcodes_is_code(text: str, expected: str) -> None:
    assert render(text, "markdown").endswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<Note>\n\nMind it.\n\n</Note>\n\nOn.", "Note: Mind it.\n\nOn."),
        ("{{< warning >}}\nMind it.\n{{< /warning >}}", "Warning: Mind it."),
        ('{{% alert title="Mind" color="warning" %}}\nIt.\n{{% /alert %}}', "Mind: It."),
        ('{% hint style="info" %}\nIt.\n{% endhint %}', "Info: It."),
        (":::tip My own\n\nIt.\n\n:::", "My own: It."),
        ("---\n> [!NOTE]\n> One.\n>\n> [!TIP]\n> Two.", "Note: One.\n\nTip: Two."),
    ],
)
def test_notes_of_every_kit_say_what_they_are(text: str, expected: str) -> None:
    assert render(text, "markdown") == expected


def test_components_in_lines_of_their_own_show_what_they_name() -> None:
    text = (
        'import { Tab } from "kit";\n\nWho:\n\n<Team>\n  <TeamMember\n    name="Ada"\n'
        '    role="Lead"\n  />\n  <TeamMember name="Bo" />\n</Team>\n\n<Steps>\n'
        '  <Step title="Install">\n'
        "    Run it.\n\n    ```sh\n    x\n    ```\n  </Step>\n</Steps>"
    )
    assert render(text, "markdown") == (
        "Who:\n\nAda: Lead\n\nBo\n\nInstall\n\nRun it.\n\n```sh\nx\n```"
    )


def test_the_data_of_a_component_is_shown_as_a_list() -> None:
    text = (
        '<Table\n  content={[\n    { name: "port", type: "Record<string, number>",\n'
        "      description: 'Where it `listens`.' },\n    { name: \"how long\" },\n  ]}\n/>\n\nOn."
    )
    assert render(text, "markdown") == (
        "- `port` (`Record<string, number>`): Where it `listens`.\n- how long\n\nOn."
    )


def test_data_that_was_cut_is_shown_as_a_list_as_well() -> None:
    begun = '<Table\n  content={[\n    {\n      name: "port",\n      type: "number",\n      own: ['
    assert render(begun, "markdown") == "- `port` (`number`)"
    ended = (
        'log.",\n    },\n    {\n      name: "port",\n      type: "number",\n    },\n  ]}\n/>\n\nOn.'
    )
    assert render(ended, "markdown") == "- `port` (`number`)\n\nOn."


def test_the_middle_of_data_is_code() -> None:
    text = (
        "type: 'number',\n    description: 'How it is.',\n  },\n  {\n    name: 'a',\n    type: 'b',"
    )
    assert render(text, "markdown") == f"```\n{text}\n```"


def test_the_middle_of_settings_is_code() -> None:
    text = "a:\n  - group: ''\n    kind: X\n  # why\n  - group: b\n    kind: Y"
    assert render(text, "markdown") == f"```\n{text}\n```"
    assert render("Take:\n- one\n- two: a\n- three", "markdown") == (
        "Take:\n\n- one\n- two: a\n- three"
    )


def test_a_tag_may_end_in_a_line_of_its_own() -> None:
    assert render('<div class="x"\n  role="y"\n>\nIn it.\n</div>', "markdown") == "In it."
    assert render("Set <a\n> over.", "markdown").startswith("Set ")


def test_code_in_an_attribute_is_shown() -> None:
    text = "<Snippet text={`import { x } from 'ai'`} prompt={false} />"
    assert render(text, "markdown") == "`import { x } from 'ai'`"


@pytest.mark.parametrize(
    "text",
    [
        "<A x\n" * 20_000 + ">",
        "<A {\n" * 18_000,
        "<A x={[\n" * 12_000,
        "> ```x\n" * 14_000,
        "```\n" * 25_000,
        "<Note>\n\n" * 12_000,
        "a:\n\n- b\n\n" * 9_000,
        "`a`\n<B/>\n" * 9_000,
        "```\nx\n```\n<B/>\n\n" * 5_000,
        "<!--\n" * 20_000,
    ],
)
def test_a_long_run_is_shown_in_time(text: str) -> None:
    begun = time.process_time()
    render(text, "markdown")
    assert time.process_time() - begun < 3


def test_a_component_in_code_stays_as_it_is() -> None:
    text = "```jsx\n<Tab name='a' />\n{{< note >}}\n```"
    assert render(text, "markdown") == text
    assert render("Set `<Tab name='a' />` and `{{< x >}}`.", "markdown") == (
        "Set `<Tab name='a' />` and `{{< x >}}`."
    )


def test_a_bar_in_a_cell_does_not_part_it() -> None:
    text = "| a | b |\n| --- | --- |\n| `x \\| y` | c \\| d |"
    assert render(text, "markdown") == text


def test_records_are_shown_as_fields_and_not_as_code() -> None:
    rotas = "rotas:\n  -\n    day: 1\n    text: One.\n      Two.\n  -\n    day: 2"
    assert render(f"name: Ada\ntags:\n  - a\n  - b\n{rotas}", "json") == (
        "- name: Ada\n- tags:\n  - a\n  - b\n"
        "- rotas:\n  - day: 1\n    - text: One. Two.\n  - day: 2"
    )


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_texts_of_records_are_shown_as_prose(kind: str) -> None:
    assert render("Service A is **owned** by Team Y.\n\n- At night.", kind) == (
        "Service A is owned by Team Y.\n\n- At night."
    )


def test_fields_stay_apart() -> None:
    assert render("Owner: Team Y\nTier: 1", "markdown") == "- Owner: Team Y\n- Tier: 1"


def test_code_that_is_cut_is_fenced_to_where_it_ends() -> None:
    assert render("So:\n\n```yaml\na: 1\nb: 2", "markdown") == "So:\n\n```yaml\na: 1\nb: 2\n```"
    assert render("a: 1\nb: 2\n```", "markdown") == "```\na: 1\nb: 2\n```"


@pytest.mark.parametrize("kind", sorted(DATA))
def test_data_is_shown_as_code(kind: str) -> None:
    assert render('{"a": "[x](y)"}', kind) == '```\n{"a": "[x](y)"}\n```'


def test_signs_that_turn_text_around_are_left_out_of_code() -> None:
    assert render("```\na\u202eb\n```", "markdown") == "```\nab\n```"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_page_becomes_nothing_but_text_and_code(text: str) -> None:
    assert live(render(f"Words first. {text}", "html")) <= {"fence"}


@given(PAGES, st.sampled_from((*KINDS, *sorted(DATA))))
def test_code_that_is_shown_stands_in_its_source(text: str, kind: str) -> None:
    source = _lines(text)
    for found in _FENCED.finditer(render(text, kind)):
        code = _lines(found["code"])
        runs = (source[at : at + len(code)] for at in range(len(source)))
        assert code in runs


def _lines(text: str) -> list[str]:
    """Return the lines that say something, without margins and signs that are not seen."""
    shown = ("\t".join(map(printable, line.split("\t"))).strip() for line in text.split("\n"))
    return [line for line in shown if line]
