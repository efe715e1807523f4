"""What a command imports: listing commands none of the rooms, asking nothing that only serves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import environment
from tests.cli.knowledge import OWNER, take_in

_RUN = """
import sys
from sextant.cli import main
sys.argv = ["sextant", *{arguments!r}]
try:
    main()
except SystemExit as ended:
    assert not ended.code
print("imported:", *[name for name in {names!r} if name in sys.modules])
"""
FOR_SERVERS = ("mcp", "fastapi", "starlette", "uvicorn", "jsonschema", "pydantic", "jwt")
FOR_MODELS = (
    "sextant.ask.model_steps.step",
    "sextant.ask.grounding.support",
    "sextant.prompting.calls.guarded",
)
FOR_INGEST = ("sextant.ingest.flow", "selectolax", "pathspec", "yaml", "charset_normalizer")
FOR_ANSWERS = ("numpy", "onnxruntime", "msgspec", "asyncio", "sextant.build", "sextant.settings")


def imported(folder: Path, arguments: list[str], names: tuple[str, ...]) -> list[str]:
    """Return which of these modules a command imports."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN.format(arguments=arguments, names=names)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_listing_commands_imports_no_room(arguments: list[str], tmp_path: Path) -> None:
    heavy = FOR_SERVERS + FOR_MODELS + FOR_INGEST + FOR_ANSWERS
    assert imported(tmp_path, arguments, heavy) == []


def test_asking_imports_nothing_that_serves_ingests_or_speaks_to_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)
    heavy = (*FOR_SERVERS, *FOR_MODELS, *FOR_INGEST, "rapidfuzz", "google.protobuf")
    assert imported(tmp_path, ["ask", OWNER], heavy) == []
