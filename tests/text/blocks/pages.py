"""Pages out of pieces that are hard to tell apart, for properties that hold of every page."""

from hypothesis import strategies as st

KINDS = ("markdown", "rst", "html", "text", "")

_LINES = st.sampled_from(
    [
        "",
        "Some words go here.",
        "# A heading",
        "Title",
        "=====",
        "- an item",
        "  - below it",
        "10. a step",
        "```",
        "```sh",
        "   ```yaml",
        "   ```",
        "~~~",
        "    indented: yes",
        "\tpip install it",
        "| a | b |",
        "|---|---|",
        "a | b",
        "+---+---+",
        "> quoted",
        "> - in a quote",
        "!!! note",
        ".. code-block:: python",
        ".. note::",
        "An example::",
        "   print('`x`')",
        "See :ref:`that <there>` and ``code``.",
        "<!-- unseen -->",
        "[x]: https://wiki.example/x",
        "name: value",
        "> ```",
        "> ```sh",
        "{{< highlight sh >}}",
        "{{< /highlight >}}",
        "<Note>",
        "</Note>",
        '<Card title="x" items={[{ name: "a" }]}',
        "/>",
        "{% raw %}",
        "---",
    ]
)
PAGES = st.lists(_LINES | st.text(max_size=30), max_size=14).map("\n".join)
