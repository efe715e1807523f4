"""Every paragraph of specification 002 has tests that exist, and the table has every paragraph.

The specification itself lies beside the repository where it is developed, and nowhere else: there
the numbers of the table are checked against it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[2]
_TABLE = Path(__file__).with_name("specification_002.toml")
_SPECIFICATIONS = _ROOT.parent / "shared" / "seeds"
_SECTION = re.compile(r"#{2,3} (\d+(?:\.\d+)?)\.? ")
_POINT = re.compile(r"\s*(?:-|\d+\.) \S")


@dataclass
class Section:
    """A section of the specification: its list items and blocks of code, and other text."""

    points: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many paragraphs it has: without a list or code, its text is one."""
        return len(self.points) or bool(self.prose)


def sections_in(text: str) -> dict[str, Section]:
    """Return the numbered sections of a specification."""
    found: dict[str, Section] = {}
    own = Section()
    *chapters, _ = text.split("\n---\n")
    code: list[str] | None = None
    for line in "\n".join(chapters).splitlines():
        if line.startswith("```"):
            if code is not None:
                own.points.append("\n".join(code))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        elif number := _SECTION.match(line):
            own = found.setdefault(number[1], Section())
        elif _POINT.match(line):
            own.points.append(line)
        elif line.strip():
            own.prose.append(line)
    return found


def specification() -> str:
    """Return the specification, where it is."""
    found = sorted(_SPECIFICATIONS.glob("002_*.txt"))
    if not found:
        pytest.skip("missing: the specification")
    return found[0].read_text("utf-8")


@cache
def _tests_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, kinds))


def _table() -> dict[str, dict[str, Any]]:
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    return {number: one for number, one in table.items() if number != "files"}


def _files() -> dict[str, str]:
    return dict(tomllib.loads(_TABLE.read_text("utf-8"))["files"])


def _paragraphs() -> Iterator[tuple[str, list[str]]]:
    """Yield each paragraph by its section and place, with the tests that prove it."""
    for number, own in _table().items():
        shared = own.get("all")
        rows = [["", *shared]] * own["count"] if shared else own["paragraphs"]
        for place, (_, *tests) in enumerate(rows, 1):
            yield f"{number}-{place}", tests


def test_every_paragraph_has_a_test() -> None:
    assert [number for number, tests in _paragraphs() if not tests] == []


def test_every_test_that_is_named_exists() -> None:
    files = _files()
    named = {one for _, tests in _paragraphs() for one in tests}
    missing = [
        one
        for one in sorted(named)
        if one.partition(":")[2] not in _tests_in(_ROOT / files[one.partition(":")[0]])
    ]
    assert missing == []
    assert {one.partition(":")[0] for one in named} == files.keys()


def test_what_differs_names_a_paragraph_and_says_why() -> None:
    numbers = {number for number, _ in _paragraphs()}
    for number, own in _table().items():
        for place, why in dict(own.get("differs", {})).items():
            assert f"{number}-{place}" in numbers
            assert why


def test_the_table_has_every_paragraph_of_the_specification_and_no_other() -> None:
    found = {number: one.count for number, one in sections_in(specification()).items()}
    told: dict[str, int] = {}
    for number, _ in _paragraphs():
        section = number.partition("-")[0]
        told[section] = told.get(section, 0) + 1
    assert told == {number: count for number, count in found.items() if count}
