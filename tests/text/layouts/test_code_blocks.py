"""Code in fences and indented code reads as the source has it, whatever its lines look like."""

import pytest

from sextant.text.prose.units import units_of
from tests.ask.pieces import passage


def texts(text: str, kind: str = "markdown") -> list[str]:
    units = units_of(passage("d", text, metadata={"sextant:format": kind}))
    return [unit.text for unit in units]


def fence(*lines: str) -> str:
    return "\n".join(["Run this:", "", "```sh", *lines, "```", "", "It waits."])


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        (
            ["kubectl get pods | grep a", 'kubectl get svc | grep "*b*"'],
            ["`kubectl get pods | grep a`", '`kubectl get svc | grep "*b*"`'],
        ),
        (["cat x \\", "  | grep a \\", "  | sort"], ["`cat x \\` `| grep a \\` `| sort`"]),
        (["pierctl rotate \\", "  > out.txt"], ["`pierctl rotate \\` `> out.txt`"]),
        (['name: "*x*"', "port: 80"], ['`name: "*x*"`', "port: 80."]),
        (
            ["# Drain it", "harborctl drain \\", "  --queue '*' \\", "  --force"],
            ["Drain it `harborctl drain \\` `--queue '*' \\` `--force`"],
        ),
        (["# Drain it", "--force", "*.example.com"], ["Drain it `--force`", "`*.example.com`"]),
        (["echo `date` \\", "  now"], ["``echo `date` \\`` `now`"]),
    ],
)
def test_a_fence_is_read_line_by_line_as_it_is(lines: list[str], read: list[str]) -> None:
    assert texts(fence(*lines)) == ["Run this:", *read, "It waits."]


def test_a_table_in_a_fence_is_one() -> None:
    assert texts(fence("name | port", "-----+-----", "hq | 80"))[1:-1] == ["name: hq; port: 80."]


@pytest.mark.parametrize(
    ("kind", "text", "read"),
    [
        (
            "markdown",
            'Run:\n\n    log "*_a_*" \\> x\n\nWait.',
            ["Run:", '`log "*_a_*" \\> x`', "Wait."],
        ),
        ("markdown", "Run:\n\n    a *b*\n\n    c\n", ["Run:", "`a *b*`", "`c`"]),
        ("markdown", "- Run:\n\n      a *b*\n", ["Run:", "`a *b*`"]),
        ("markdown", "- Run:\n\n    It is *b*.\n", ["Run:", "It is b."]),
        ("markdown", "Run it\n    with *b*.\n", ["Run it with b."]),
        (
            "rst",
            "Run::\n\n  log *_a_*\n    > x\n\nWait.",
            ["Run::", "`log *_a_*`", "`> x`", "Wait."],
        ),
        ("rst", "Run:\n\n.. code-block:: sh\n\n  a *b*\n\nWait.", ["Run:", "`a *b*`", "Wait."]),
        ("rst", ".. note::\n\n  It is *b*.\n", ["It is b."]),
        ("text", "Run:\n\n    It is *b*.\n", ["Run:", "It is b."]),
    ],
)
def test_indented_code_is_read_as_it_is(kind: str, text: str, read: list[str]) -> None:
    assert texts(text, kind) == read
