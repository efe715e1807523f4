"""Which requirement of a specification a test checks: ``@requirement("000-3")`` above the test."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Name the requirements that a test checks, by their ids in ``seed_NNN.toml``."""
    return pytest.mark.requirement(*ids)


def seeds() -> list[str]:
    """Return the numbers of the specifications that are listed here."""
    return sorted(path.stem.removeprefix("seed_") for path in _HERE.glob("seed_*.toml"))


def listed(seed: str) -> dict[str, str]:
    """Return the requirements of a specification that can be checked: what each says, by its id."""
    return dict(_list(seed)["requirements"])


def left_out(seed: str) -> dict[str, str]:
    """Return the requirements that no test here checks, each with the reason, by its id."""
    return dict(_list(seed).get("left_out", {}))


def checked() -> set[str]:
    """Return the ids that some test names."""
    return {one for path in _HERE.rglob("test_*.py") for one in _ids_in(path)}


def _list(seed: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((_HERE / f"seed_{seed}.toml").read_text("utf-8"))


def _ids_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "requirement":
                    yield from (ast.literal_eval(one) for one in mark.args)
