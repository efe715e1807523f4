"""Showing the settings: each with where it came from, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import asked, told


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


NOTHING_COUNTS = "[ask]\nrelevancy = 0\nrecency = 0\nrichness = 0\nreputation = 0\n"


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("store = 'bogus'", "store", "sets store to 'bogus'; it names no store."),
        ("store = ''", "store", "sets store to ''; it names no store."),
        ("store = 'sqlite:'", "store", "Write sqlite:FOLDER."),
        ("embedder = 'nope:'", "embedder", "sets embedder to 'nope:'; it names no embedder."),
        ("llm = 'opnai:gpt-5'", "llm", "sets llm to 'opnai:gpt-5'; it names no llm."),
        ("[ingest]\nextractor = 'x:'", "ingest.extractor", "it names no extractor."),
        (
            "[serve]\ndoors = 'rest, side, mcp, back'",
            "serve.doors",
            "'rest, side, mcp, back'; no door is called 'side', 'back'.",
        ),
        ("[keyword]\nlanguage = 'klingon'", "keyword.language", "'klingon'; it names no language."),
        (
            "[[chat.remotes]]\nname = 'lab'\nurl = 'https://lab.example'\nkind = 'grpc'",
            "chat.remotes",
            "'grpc', the kind of lab; it names no kind of remote.",
        ),
        (NOTHING_COUNTS, "ask.relevancy", "sets ask.relevancy to 0.0, and nothing else counts"),
    ],
)
def test_what_nobody_answers_to_is_listed_and_told(
    folder: Path, content: str, name: str, said: str
) -> None:
    (folder / "sextant.toml").write_text(content)
    shown = asked("config")
    assert shown.exit_code == 1
    assert "limits.k" in shown.stdout
    assert f"error: sextant.toml sets {name} to" in shown.stderr
    assert said in shown.stderr
    listed = json.loads(asked("config", "--json").stdout)
    assert said in listed[name]["problem"]
    assert [one for one, row in listed.items() if "problem" in row] == [name]


def test_other_commands_refuse_it_at_once_and_name_who_said_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "docs").mkdir()
    monkeypatch.setenv("SEXTANT_KEYWORD_LANGUAGE", "klingon")
    shown = asked("ingest", "docs")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "SEXTANT_KEYWORD_LANGUAGE sets keyword.language to 'klingon'" in shown.stderr
    assert "english" in shown.stderr
    monkeypatch.delenv("SEXTANT_KEYWORD_LANGUAGE")
    assert "--store sets store to ''" in asked("ingest", "docs", "--store", "").stderr
    assert [path.name for path in folder.iterdir()] == ["docs"]


def test_a_model_that_is_not_needed_is_in_nobodys_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "docs").mkdir()
    monkeypatch.setenv("SEXTANT_LLM", "nope:x")
    assert asked("ingest", "docs", "--store", "memory:").exit_code == 0


def test_a_settings_file_that_is_a_folder_is_refused(folder: Path) -> None:
    (folder / "sextant.toml").mkdir()
    for command in ("config", "status"):
        shown = asked(command)
        assert shown.exit_code == 1
        assert "sextant.toml is not a file" in shown.stderr


def test_rules_are_shown_as_they_can_be_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sextant.toml").write_text(
        "[[ingest.rules]]\nmatch = 'runbooks/**'\ntags = ['ops']\nreputation = 0.5\n"
    )
    listed = told("config")["ingest.rules"]["value"]
    assert listed == [{"match": "runbooks/**", "tags": ["ops"], "reputation": 0.5}]
    assert json.dumps(listed) in asked("config").stdout
    (folder / "sextant.toml").unlink()
    monkeypatch.setenv("SEXTANT_INGEST_RULES", json.dumps(listed))
    assert told("config")["ingest.rules"]["value"] == listed


def test_a_line_for_each_setting_can_be_cut_at_its_tabs() -> None:
    lines = asked("config").stdout.splitlines()
    assert "ingest.private_addresses\tfalse\tdefault" in lines
    assert "store\tsqlite:.sextant\tdefault" in lines


def test_a_key_that_no_rule_has_is_named_as_a_key(folder: Path) -> None:
    rule = '[[ingest.rules]]\nmatch = "*"\npersona = "ops"\n'
    (folder / "sextant.toml").write_text(rule)
    refused = asked("config").stderr
    assert "with the unknown key 'persona'" in refused
    assert "personas" in refused


@pytest.mark.parametrize(
    ("section", "name"),
    [("chat", "tool_hosts"), ("chat", "approve"), ("guardrails", "services")],
)
def test_a_list_of_texts_is_shown_as_it_can_be_written(
    folder: Path, section: str, name: str
) -> None:
    (folder / "sextant.toml").write_text(f"[{section}]\n{name} = ['local:', 'b']")
    found = asked("config")
    assert '["local:", "b"]' in found.stdout
    listed = json.loads(asked("config", "--json").stdout)
    assert listed[f"{section}.{name}"]["value"] == ["local:", "b"]
