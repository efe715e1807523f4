"""The example plugin, installed as its reader would and used through the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import sextant

_PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
_CALENDAR = """BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Lock inspection
DTSTART:20260114T090000
LOCATION:North Lock
DESCRIPTION:The inspector is
  Mara Lindqvist.
END:VEVENT
END:VCALENDAR
"""
_PAGE = "# MV Heron\n\nMV Heron moors at Quay Nine.\n\n# Quay Nine\n\nQuay Nine is in the north.\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", target]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    subprocess.run([*pip, *map(str, options), str(_PLUGIN)], check=True)
    return target


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "port").mkdir()
    (tmp_path / "port" / "locks.ics").write_text(_CALENDAR)
    (tmp_path / "port" / "ships.md").write_text(_PAGE)
    (tmp_path / "sextant.toml").write_text('embedder = "letters:"\n[letters]\nwidth = 32\n')
    return tmp_path


def test_a_format_a_vocabulary_and_an_embedder_of_a_stranger_work(
    installed: Path, place: Path
) -> None:
    path = {"PYTHONPATH": str(installed)}
    taken = sextant(place, "ingest", "port", **path)
    assert taken.returncode == 0, taken.stderr
    shown = sextant(place, "search", "lock inspection", **path)
    assert "Mara Lindqvist" in shown.stdout
    related = sextant(place, "relations", "mv-heron", **path)
    assert "berths_at" in related.stdout, related.stdout + related.stderr
    assert "letters-32" in sextant(place, "status", **path).stdout


def test_a_setting_that_the_plugin_does_not_have_is_refused_by_name(
    installed: Path, place: Path
) -> None:
    (place / "sextant.toml").write_text('embedder = "letters:"\n[letters]\nheight = 3\n')
    refused = sextant(place, "ingest", "port", PYTHONPATH=str(installed))
    assert refused.returncode != 0
    assert "height" in refused.stderr
    assert "width" in refused.stderr


def test_config_lists_and_checks_what_a_plugin_has(installed: Path, place: Path) -> None:
    path = {"PYTHONPATH": str(installed)}
    shown = sextant(place, "config", "--json", **path)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["letters.width"]["value"] == 32
    (place / "sextant.toml").write_text("")
    listed = json.loads(sextant(place, "config", "--json", **path).stdout)["letters.width"]
    assert (listed["from"], listed["value"]) == ("default", 64)
    (place / "sextant.toml").write_text('[letters]\nheight = 3\nwidth = "wide"\n')
    refused = sextant(place, "config", **path)
    assert refused.returncode == 1
    assert "[letters] has no setting height." in refused.stderr
    assert "letters.width" in refused.stderr
    assert "limits.k" in refused.stdout


def test_the_environment_sets_what_a_plugin_has(installed: Path, place: Path) -> None:
    path = {"PYTHONPATH": str(installed), "SEXTANT_LETTERS_WIDTH": "48"}
    assert sextant(place, "ingest", "port", **path).returncode == 0
    assert "letters-48" in sextant(place, "status", **path).stdout


def test_without_the_plugin_its_table_and_its_files_are_unknown(place: Path) -> None:
    refused = sextant(place, "ingest", "port")
    assert refused.returncode != 0
    assert "letters" in refused.stderr
