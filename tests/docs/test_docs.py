"""The documentation stays true: links resolve, commands exist, settings have these defaults."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from sextant.cli.commands import COMMANDS
from sextant.cli.commands import load as load_command
from sextant.settings import Settings, load
from tests.docs.pages import COMMAND_PAGES, DOCS, PAGES, ROOT, parse_page, shell_commands

README_LINES = 150
ARCHITECTURE_CHARACTERS = 15_000
GLOSSARY_WORDS = 30
_ELSEWHERE = re.compile(r"[a-z]+:")


def relative_to_root(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PAGES, ids=relative_to_root)
def test_links_lead_to_files_and_headings(path: Path) -> None:
    broken = [link for link in parse_page(path).links if not resolves(path, link)]
    assert broken == []


def resolves(path: Path, link: str) -> bool:
    """Whether a link leads outside, or to a file here and a heading in it."""
    if _ELSEWHERE.match(link):
        return True
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.is_relative_to(ROOT) or not target.exists():
        return False
    return not anchor or anchor in parse_page(target).anchors


@pytest.mark.parametrize("path", COMMAND_PAGES, ids=relative_to_root)
def test_commands_and_their_options_exist(path: Path) -> None:
    shown = shell_commands(parse_page(path))
    called = [words[words.index("sextant") + 1 :] for words in shown if is_called(words)]
    assert [(words, wrong) for words in called if (wrong := unknown_words(words))] == []


def is_called(words: list[str]) -> bool:
    """Whether a command line starts `sextant`, with variables set before it or not."""
    first = next((word for word in words if not re.match(r"[A-Z_]+=", word)), "")
    return first == "sextant"


def unknown_words(words: list[str]) -> list[str]:
    """Return the words that name no command of ours, or no option of the command."""
    if not words or words[0].startswith("-"):
        return [word for word in words if word not in {"-h", "--help", "--version"}]
    if words[0].isupper():
        return []
    if words[0] not in COMMANDS:
        return [words[0]]
    command: Any = load_command(words[0])
    rest = list(words[1:])
    while rest and hasattr(command, "get_command") and re.match(r"[a-z]", rest[0]):
        found = command.get_command(typer.Context(command), rest[0])
        if found is None:
            return [rest[0]]
        command, rest = found, rest[1:]
    options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    options |= {"-h", "--help"}
    given = [word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
    return [name for name in given if name not in options]


def test_every_page_has_one_title_and_is_listed_in_the_index() -> None:
    listed = parse_page(DOCS / "index.md").links
    for path in DOCS.glob("*.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# "), path.name
        assert path.name == "index.md" or path.name in listed


def test_the_settings_reference_has_every_setting_with_its_default(tmp_path: Path) -> None:
    fences = [text for info, text in parse_page(DOCS / "operate.md").fences if info == "toml"]
    (tmp_path / "sextant.toml").write_text(fences[-1])
    loaded = load(tmp_path, environment={})
    assert loaded.settings == Settings()
    assert {row.name for row in loaded.rows()} == set(loaded.origins)


def test_the_first_pages_stay_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README_LINES
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(architecture) <= ARCHITECTURE_CHARACTERS
    glossary = architecture.partition("## Glossary")[2]
    rows = [line for line in glossary.splitlines() if line.startswith("| ")]
    assert 0 < len(rows) - 1 <= GLOSSARY_WORDS
