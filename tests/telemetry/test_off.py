"""Where nobody traces, nothing of OpenTelemetry is imported; where somebody does, commands tell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import environment, sextant
from tests.cli.knowledge import take_in
from tests.telemetry.collector import collecting

_ASK = """
import sys
from sextant.cli import main
sys.argv = ["sextant", "ask", "Who owns the ledger?"]
try:
    main()
except SystemExit as ended:
    assert not ended.code
print("imported:", *sorted(name for name in sys.modules if name.startswith("opentelemetry")))
"""
_DOORS = """
import sys
import sextant.serve.running
import sextant.serve.app
print("imported:", *sorted(name for name in sys.modules if name.startswith("opentelemetry.")))
"""


@pytest.fixture(autouse=True)
def _knowledge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    take_in(tmp_path)


def imported(folder: Path, program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("imported:")]
    return line.split()[1:]


def test_a_command_imports_nothing_of_opentelemetry_when_it_is_off(tmp_path: Path) -> None:
    assert imported(tmp_path, _ASK) == []


def test_the_doors_import_no_sdk_and_no_exporter_when_it_is_off(tmp_path: Path) -> None:
    heavy = [
        name
        for name in imported(tmp_path, _DOORS)
        if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter", "opentelemetry.proto"))
    ]
    assert heavy == []


def test_a_command_tells_the_collector_that_is_set(tmp_path: Path) -> None:
    with collecting() as collector:
        done = sextant(
            tmp_path, "search", "ledger", SEXTANT_TELEMETRY_ENDPOINT=f"{collector.url}/v1/traces"
        )
    assert done.stderr == ""
    assert collector.one("sextant.search").facts["sextant.question.characters"] == 6
    assert set(collector.paths) == {"/v1/traces"}


def test_a_collector_that_is_not_there_changes_no_answer(tmp_path: Path) -> None:
    plain = sextant(tmp_path, "search", "ledger")
    traced = sextant(tmp_path, "search", "ledger", SEXTANT_TELEMETRY_ENDPOINT="http://127.0.0.1:9")
    assert (traced.returncode, traced.stdout) == (0, plain.stdout)
    assert "Traceback" not in traced.stderr
