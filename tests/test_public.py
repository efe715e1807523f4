"""The public face: few names, all of them there, and nothing else needed to use Sextant."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sextant

_ROOT = Path(__file__).parent.parent
_MOST = 25
_FOR_USERS = {"sextant", "sextant.plugins", "sextant.testing"}


def test_the_public_names_are_few_and_all_of_them_are_there() -> None:
    names = [name for name in sextant.__all__ if name != "__version__"]
    assert len(names) <= _MOST
    assert all(getattr(sextant, name) is not None for name in names)
    assert dir(sextant) == sorted(sextant.__all__)


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sextant.nothing  # noqa: B018 - asking for it is the test


def test_importing_the_package_imports_no_room() -> None:
    code = "import sys, sextant; print([m for m in sys.modules if m.startswith('sextant.')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['sextant.version']"


def _imported(code: str) -> set[str]:
    return {
        name
        for node in ast.walk(ast.parse(code))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else []
        )
        if name.partition(".")[0] == "sextant"
    }


def test_examples_and_the_readme_use_public_names_only() -> None:
    examples = [path.read_text() for path in sorted((_ROOT / "examples").rglob("*.py"))]
    documents = [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]
    blocks = [
        block
        for document in documents
        for block in re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL)
    ]
    assert examples
    assert set().union(*map(_imported, [*examples, *blocks])) <= _FOR_USERS
