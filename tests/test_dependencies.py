"""What the package takes from others: only what they show, and nothing that is not declared."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
# What comes with a package that is declared, and is a part of it.
_PARTS = {"httpcore2": "httpx2", "mcp-types": "mcp", "pydantic-core": "pydantic"}


def _imported(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield every name that is imported from another package: its line, and as what it is known."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield node.lineno, one.name, one.asname or one.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                yield node.lineno, f"{node.module}.{one.name}", one.asname or one.name


def _foreign(tree: ast.AST) -> list[tuple[int, str, str]]:
    return [one for one in _imported(tree) if _is_foreign(one[1])]


def _is_foreign(name: str) -> bool:
    top = name.partition(".")[0]
    return top not in {"sextant", *sys.stdlib_module_names}


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _private_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield what is private of what is imported, also where it is an attribute of a module."""
    found = _foreign(tree)
    yield from ((line, name) for line, name, _ in found if _is_private(name))
    own = {known for _, _, known in found}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[0] in own:
            name = ast.unparse(node)
            if _is_private(name):
                yield node.lineno, name


@pytest.mark.parametrize(
    "source",
    [
        "from vendor._compat import Field",
        "from vendor import _field",
        "import vendor._compat",
        "import vendor\nvendor._field()",
        "import vendor as other\nother._field()",
        "from vendor import field\nfield.part._own",
    ],
)
def test_a_private_name_is_seen_however_it_is_taken(source: str) -> None:
    assert list(_private_names(ast.parse(source)))


def test_nothing_private_of_a_dependency_is_imported() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in SOURCES
        for line, name in _private_names(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_whatever_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(one for extra in extras for one in extra)]
    declared = {_plain(re.split(r"[\[<>=!~; ]", line)[0]) for line in lines}
    homes = packages_distributions()
    tops = {
        name.partition(".")[0]
        for path in SOURCES
        for _, name, _ in _foreign(ast.parse(path.read_text(encoding="utf-8")))
    }
    # One name may be several packages', as google and azure are; one of them has to be declared.
    undeclared = {top for top in tops & homes.keys() if not declared & _homes(homes[top])}
    assert undeclared == set()


def _homes(packages: list[str]) -> set[str]:
    names = {_plain(one) for one in packages}
    return names | {_PARTS[one] for one in names & _PARTS.keys()}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
