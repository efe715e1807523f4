"""Taking knowledge in with a model, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sextant import build
from tests.cli.commands import SETTINGS, asked, sextant, told, without_progress
from tests.ingest.folders import Tree, lay_out

PAGES: Tree = {
    "a.md": "# Tidal Desk\n\nTidal Desk leans on Harbor Queue.\n",
    "b.md": "# Night Crew\n\nHarbor Queue is looked after by Night Crew.\n",
}
PRICES = "[model]\ninput_price = 1.0\noutput_price = 4.0\n"
READ = ("ingest", "docs", "--extractor", "llm:", "--llm", "clerk:")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and two pages in it, to stand in, and a model that can be named."""
    (tmp_path / "sextant.toml").write_text(SETTINGS + PRICES)
    lay_out(tmp_path / "docs", PAGES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(build.LLMS, "clerk", "tests.ingest.clerk:open_model")
    return tmp_path


def test_the_model_reads_and_the_next_run_has_nothing_to_read(folder: Path) -> None:
    first = asked(*READ)
    assert (first.exit_code, without_progress(first.stderr)) == (0, set())
    assert "scripted:script read 2 chunks (0 were known, 0 failed), " in first.stdout
    assert "tokens in" in first.stdout
    assert "clerk" not in asked(*READ).stdout
    again = told(*READ)
    assert (again["unchanged"], again["by_model"]["wanted"]) == (2, 0)
    assert (folder / "kept.cache" / "extracted.sqlite").is_file()
    (edge,) = told("relations", "tidal-desk", "--kind", "depends_on")
    assert edge["confidence"] == 0.65


@pytest.mark.usefixtures("folder")
def test_a_setting_chooses_the_model_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_LLM", "clerk:")
    assert "by_model" not in told("ingest", "docs")
    monkeypatch.setenv("SEXTANT_INGEST_EXTRACTOR", "llm")
    report = told("ingest", "docs")
    assert (report["added"], report["by_model"]["read"]) == (0, 2)


def test_a_dry_run_shows_what_it_would_cost(folder: Path) -> None:
    shown = asked(*READ, "--dry-run")
    assert shown.exit_code == 0
    assert "would read 2 chunks (0 are known): about " in shown.stdout
    estimate = told(*READ, "--dry-run")["by_model"]["estimate"]
    assert estimate["cost"] > 0
    assert not (folder / "kept.cache").exists()


@pytest.mark.usefixtures("folder")
def test_a_bound_refuses_before_it_starts_and_a_higher_one_goes_on() -> None:
    refused = asked(*READ, "--max-cost", "0.0001")
    assert refused.exit_code == 1
    assert "would cost about" in refused.stderr
    assert "--max-cost" in refused.stderr
    assert "Took in 2 documents" in refused.stdout
    report = told(*READ, "--max-cost", "1")
    assert (report["unchanged"], report["by_model"]["read"]) == (2, 2)
    assert report["by_model"]["spent"]["cost"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--max-cost", "1"), "--extractor llm:"),
        (("--extractor", "llm:", "--llm", "none"), "SEXTANT_LLM"),
        (("--extractor", "llm:"), "SEXTANT_LLM"),
        (("--extractor", "llm:", "--llm", "nobody:x"), "names no llm"),
        (("--extractor", "nobody:"), "names no extractor"),
    ],
)
def test_what_does_not_go_together_is_told(
    folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    ended = sextant(folder, "ingest", "docs", *arguments)
    assert ended.returncode == 1
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_bound_without_prices_says_how_to_set_them(folder: Path) -> None:
    (folder / "sextant.toml").write_text(SETTINGS)
    ended = asked(*READ, "--max-cost", "1")
    assert ended.exit_code == 1
    assert "model.input_price" in ended.stderr


@pytest.mark.usefixtures("folder")
def test_what_the_model_could_not_read_is_told_and_the_exit_code_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(build.LLMS, "deaf", "tests.ingest.clerk:open_deaf")
    deaf = (*READ[:-1], "deaf:")
    ended = asked(*deaf)
    assert ended.exit_code == 3
    assert "unread: 2 chunks are as the patterns read them: It cannot be used." in ended.stderr
    report = json.loads(asked(*deaf, "--json").stdout)
    assert (report["by_model"]["failed"], report["by_model"]["left"]) == (1, 1)
    assert report["by_model"]["stopped"] == "It cannot be used."
    assert asked(*READ).exit_code == 0
