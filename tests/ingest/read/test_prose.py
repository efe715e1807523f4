"""Plain text, reStructuredText and source code: the text is the file."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from sextant.ingest.read import read
from tests.ingest.read.checks import headings, read_one, read_soundly, shown

LINES = st.one_of(
    st.sampled_from(
        ["", "", "Title", "=====", "-----", "~~~~", ".. note:: x", ".. _k: http://x.y"]
    ),
    st.sampled_from(
        ["Code::", "   body", "``literal``", "- item", "+---+---+", "== ==", "===  ==="]
    ),
    st.sampled_from(["def f():", "    return 1", "}", "# comment", '"""doc"""', "/* c */", "\tx"]),
    st.text(max_size=15),
)
TEXTS = st.lists(LINES, max_size=20).map("\n".join)
ENDINGS = st.sampled_from([".txt", ".rst", ".py", ".go", ".unheard"])


@given(TEXTS, ENDINGS)
def test_everything_lies_in_some_block(text: str, ending: str) -> None:
    for reading in read_soundly(f"a{ending}", text.encode("utf-8", "surrogatepass")):
        assert len(reading.text) <= len(text)


def test_plain_text_is_cut_at_blank_lines() -> None:
    reading = read_one("notes/on_call.txt", "One\ntwo.\n \t\n* three\n* four\n\n\n")
    assert shown(reading) == [("text", "One\ntwo."), ("list", "* three\n* four")]
    assert (reading.title, reading.source_type) == ("On call", "text")


RST = """\
=====
Title
=====

:date: 2024-05-06
:author: Somebody

Section ``code``
----------------

A paragraph with `a link <https://x.example/a>`_ and another_.

Example::

    print(1)

    print(2)

.. code-block:: python

   x = 1

.. note:: Be careful.

   Really.

=====  =====
a      b
=====  =====
1      2
=====  =====

Deeper
~~~~~~

- one
- two

.. _another: b.rst
"""


def test_restructured_text_has_sections_directives_and_tables() -> None:
    reading = read_one("a.rst", RST)
    assert headings(reading) == [(1, "Title"), (2, "Section code"), (3, "Deeper")]
    assert reading.title == "Title"
    assert reading.created == datetime(2024, 5, 6, tzinfo=UTC)
    assert reading.metadata == {"author": "Somebody"}
    assert ("code", "Example::\n\n    print(1)\n\n    print(2)") in shown(reading)
    assert ("code", ".. code-block:: python\n\n   x = 1") in shown(reading)
    assert ("text", ".. note:: Be careful.\n\n   Really.") in shown(reading)
    assert [kind for kind, text in shown(reading) if text.startswith("=====  ")] == ["table"]
    assert ("list", "- one\n- two") in shown(reading)
    assert [(link.target, link.label) for link in reading.links] == [
        ("https://x.example/a", "a link"),
        ("b.rst", "another"),
    ]


PYTHON = '''\
#!/usr/bin/env python
"""What this module does."""

import os


@cached
def first():
    a = 1

    return a


class Second:
    x = 1

    def one(self):
        pass

    def two(self):
        pass
'''


def test_top_level_definitions_are_kept_whole() -> None:
    reading = read_one("src/tool.py", PYTHON)
    kinds = shown(reading)
    assert kinds[:3] == [
        ("code", "#!/usr/bin/env python"),
        ("text", '"""What this module does."""'),
        ("code", "import os"),
    ]
    assert kinds[3][1].startswith("@cached\ndef first")
    assert kinds[3][1].endswith("return a")
    assert kinds[4][1].startswith("class Second")
    cuts = [PYTHON[cut:].split("\n")[0].strip() for cut in reading.blocks[4].cuts]
    assert cuts == ["def one(self):", "def two(self):"]
    assert (reading.title, reading.source_type) == ("tool.py", "code")


def test_closing_braces_stay_with_what_they_close() -> None:
    text = "// Says hello.\n// Loudly.\n\nfunc a() {\n\n  b()\n\n}\n\nfunc c() {}\n"
    assert [text for _, text in shown(read_one("a.go", text))] == [
        "// Says hello.\n// Loudly.",
        "func a() {\n\n  b()\n\n}",
        "func c() {}",
    ]


def test_line_ends_of_all_systems_become_line_feeds() -> None:
    assert read_one("a.txt", b"a\r\nb\rc\n").text == "a\nb\nc\n"
    assert read("a.txt", b"")[0].blocks == ()
