"""Code in running text is found as readers of Markdown find it, and written without a change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sextant.text.code_spans import code_in, code_span, code_spans
from sextant.text.markdown import inert, readable

PARSER = MarkdownIt("commonmark")
SIGNS = st.text("`` ab.<>*_[]()\\|$-", max_size=30)


def code_of(line: str) -> list[str]:
    """Return the code that a reader of Markdown sees in a line."""
    tokens = PARSER.parseInline(line)[0].children or []
    return [token.content for token in tokens if token.type == "code_inline"]


@given(SIGNS)
def test_code_is_where_a_parser_finds_it(line: str) -> None:
    ours = [code_in(line[start:end]) for start, end in code_spans(line)]
    plain = line.replace("<", "a").replace("[", "b")
    if plain == line and not line.strip().startswith("```"):
        assert ours == code_of(line)


@given(SIGNS.filter(str.strip))
def test_what_is_written_as_code_is_read_as_it_was(code: str) -> None:
    assert code_in(code_span(code)) == code
    assert code_of(f"x {code_span(code)} y") == [code]


@pytest.mark.parametrize(
    "text",
    [
        "Run `kubectl get <pod> -o json > out.json` first.",
        "Set `*.example.com` and `__init__` and `a  b`.",
        "Use ``echo `date` `` daily.",
        "See [`kubectl`](https://x.example) and `[a](b)`.",
        "Type `C:\\temp\\*` or `a\\_b`.",
    ],
)
def test_code_comes_through_as_it_is(text: str) -> None:
    kept = [code_in(text[start:end]) for start, end in code_spans(text)]
    assert code_of(inert(readable(text))) == kept
    assert all(code in text for code in kept)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Type `make all \\` and go on.", ["make all \\"]),
        ("``echo `date` \\`` `--flag`", ["echo `date` \\", "--flag"]),
        ("A \\` is no code, but \\\\`this` is.", ["this"]),
        ("After \\``a` there is code.", ["a"]),
    ],
)
def test_a_backslash_is_a_sign_of_the_code_and_keeps_back_ticks_from_beginning_it(
    text: str, code: list[str]
) -> None:
    assert code_of(text) == code
    assert [code_in(text[start:end]) for start, end in code_spans(text)] == code
    assert code_of(inert(readable(text))) == code


def test_code_that_is_broken_over_two_lines_reads_with_a_blank() -> None:
    assert readable("Run `kubectl get\npods` now.") == "Run `kubectl get pods` now."


def test_a_sign_that_does_nothing_in_a_line_is_not_escaped() -> None:
    assert inert("kubectl get pods > out.txt") == "kubectl get pods > out.txt"
    assert inert("> quote") == "\\> quote"
