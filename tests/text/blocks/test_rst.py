"""Running text of reStructuredText: its words without its marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.blocks.rst import without_roles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use ``--force`` now.", "Use `--force` now."),
        ("Call :func:`open`.", "Call `open`."),
        ("Call :py:meth:`~app.Task.retry`.", "Call `retry`."),
        ("Not :class:`!Task`.", "Not `Task`."),
        ("See :ref:`the guide <guide>`.", "See the guide."),
        ("See :doc:`userguide/tasks`.", "See userguide/tasks."),
        ("Click :guilabel:`Save`.", "Click Save."),
        ("See `the site <https://wiki.example/>`_ for it.", "See the site for it."),
        ("See `the site`__ for it.", "See the site for it."),
        ("Set :setting:`broker_url` to it.", "Set `broker_url` to it."),
        ("For example::", "For example:"),
        ("a::b is a name", "a::b is a name"),
        ("nothing to do", "nothing to do"),
    ],
)
def test_roles_and_links_are_read_as_their_words_and_code_as_code(text: str, expected: str) -> None:
    assert without_roles(text) == expected


@given(st.text("`:<>_~! ab\n", max_size=60))
def test_no_text_is_too_strange(text: str) -> None:
    told = without_roles(text)
    assert set(told) <= set(text) | {"`"}
