"""The bot from the command line: its app package, and a look at it on this machine."""

from __future__ import annotations

import json
import urllib.request
import zipfile
from pathlib import Path

import pytest

from sextant.cli.m365.playground import playground_variables
from tests.cli.commands import SETTINGS, asked, hear, sextant, started

APP_ID = "11111111-2222-3333-4444-555555555555"
CONFIGURED = f"""{SETTINGS}
[serve]
public_url = "https://sextant.example.com/"
[m365]
app_id = "{APP_ID}"
name = "Ask Contoso"
examples = ["Who owns Service A?"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_package_is_made_of_the_settings(folder: Path) -> None:
    (folder / "sextant.toml").write_text(CONFIGURED)
    ended = asked("m365", "package", "--out", "app.zip", "--developer", "Contoso")
    assert ended.exit_code == 0, ended.output
    assert "app.zip is written" in ended.stdout
    with zipfile.ZipFile("app.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["name"]["short"] == "Ask Contoso"
    assert manifest["developer"]["name"] == "Contoso"
    assert manifest["bots"][0]["botId"] == APP_ID
    assert manifest["validDomains"] == ["sextant.example.com"]


def test_a_declarative_agent_that_signs_in_to_nothing_is_told_so(folder: Path) -> None:
    (folder / "sextant.toml").write_text(CONFIGURED)
    ended = asked("m365", "package", "--declarative", "--out", "agent.zip")
    assert ended.exit_code == 0, ended.output
    assert "--oauth-reference" in ended.stderr
    with zipfile.ZipFile("agent.zip") as archive:
        assert "plugin.json" in archive.namelist()


def test_nothing_is_written_of_a_broken_package(folder: Path) -> None:
    (folder / "icon.png").write_bytes(b"no picture")
    given = (
        "m365",
        "package",
        "--out",
        "app.zip",
        "--url",
        "https://s.example",
        "--developer",
        "C",
    )
    for options, told in (
        (("--app-id", "7"), "bots.0.botId"),
        ((), "Set m365.app_id"),
        (("--app-id", APP_ID, "--name", "n" * 40), "name.short"),
        (("--app-id", APP_ID, "--color", "icon.png"), "icons.color"),
        (("--app-id", APP_ID, "--outline", "no-such.png"), "icons.outline cannot be read"),
    ):
        ended = asked(*given, *options)
        assert ended.exit_code == 1
        assert told in ended.stderr.replace("\n", " ")
    assert not (folder / "app.zip").exists()
    ended = asked(
        "m365", "package", "--out", "no/such/app.zip", "--url", "https://s", "--app-id", APP_ID
    )
    assert "cannot be written" in ended.stderr


def test_the_bot_can_be_tried_without_an_account(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("# Service A\n\nTeam Y owns Service A.\n")
    (folder / "sextant.toml").write_text(SETTINGS)
    assert sextant(folder, "ingest", "docs").returncode == 0
    with started(folder, "m365", "try", "--no-playground", "--port", "0") as server:
        said = hear(server.stdout, "Ctrl\\+C")
        url = next(word for word in said.split() if word.endswith("/api/messages"))
        activity = {
            "type": "message",
            "channelId": "emulator",
            "serviceUrl": "http://localhost:56150/_connector",
            "conversation": {"id": "1"},
            "from": {"id": "user"},
            "recipient": {"id": "bot"},
            "text": "Who owns Service A?",
            "deliveryMode": "expectReplies",
        }
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(url, json.dumps(activity).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            [reply] = json.load(answer)["activities"]
    assert "Team Y" in reply["text"]


def test_the_playground_gets_no_secret_of_ours() -> None:
    given = {"PATH": "/bin", "SEXTANT_M365_SECRET": "s", "AZURE_KEY": "k", "NODE_OPTIONS": "--a"}
    told = playground_variables(given)
    assert set(told) == {"PATH", "NODE_OPTIONS"}
    assert told["NODE_OPTIONS"].startswith("--a --import data:")
