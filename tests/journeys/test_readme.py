"""Every command on README.md runs, in order, from a clean checkout, and prints what it says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.readme import commands_in, is_printed
from tests.journeys.shell import bare_environment, free_port, run_in_order

ROOT = Path(__file__).parents[2]
PORT_ON_THE_PAGE = "8787"
EXCEPTIONS = {
    "make demo": "installs from a package index; CI runs it for itself",
    "make test": "installs from a package index; this is it",
}
"""How a command begins that is not run here, and why."""


def test_every_command_runs_and_prints_what_the_page_says(tmp_path: Path) -> None:
    for tool in ("bash", "curl", "git", "openssl"):
        if shutil.which(tool) is None:
            pytest.skip(f"missing: {tool}")
    folder, port = _checkout(tmp_path), free_port()
    commands = [
        one for one in commands_in((ROOT / "README.md").read_text()) if not _is_excepted(one.line)
    ]
    lines = [one.line.replace(PORT_ON_THE_PAGE, str(port)) for one in commands]
    environment = bare_environment(SEXTANT_SERVE_PORT=str(port), COLUMNS="120")
    ran, said = run_in_order(lines, folder, environment, port)
    failed = [one.line for one, done in zip(commands, ran, strict=True) if done.status]
    assert failed == [], said
    for one, done in zip(commands, ran, strict=True):
        if one.prints:
            assert is_printed(one.prints, done.printed), "\n".join(done.printed)


def test_no_exception_is_for_a_command_that_is_gone() -> None:
    lines = [one.line for one in commands_in((ROOT / "README.md").read_text())]
    idle = [start for start in EXCEPTIONS if not any(line.startswith(start) for line in lines)]
    assert idle == []


@pytest.mark.parametrize(
    ("said", "printed", "is_so"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["- first […"], ["- first [Source] [2]"], True),
        (["- first […"], ["- second [Source]"], False),
        (["a", "…"], ["a", "b", "c"], True),
        (["a", "…", "c"], ["a", "b", "c"], True),
        (["a", "…", "c"], ["a", "b"], False),
    ],
)
def test_a_sample_may_leave_out_ends_of_lines_and_whole_lines(
    said: list[str], printed: list[str], is_so: bool
) -> None:
    assert is_printed(said, printed) is is_so


def _is_excepted(line: str) -> bool:
    return line.startswith(tuple(EXCEPTIONS))


def _checkout(folder: Path) -> Path:
    """Copy what git knows, and lay the ready environment beside it, as `make demo` would."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (folder / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return folder
