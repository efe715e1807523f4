"""`sextant serve` as a person runs it: started, asked, and told to end."""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import SETTINGS, asked, hear, sextant, started

_QUESTION = "What is Service A?"
_TOKEN = "a-token-that-stays-0123"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("serve")
    (made / "sextant.toml").write_text(SETTINGS)
    (made / "a.md").write_text("# Service A\n\nTeam Phoenix owns Service A.\n")
    assert sextant(made, "ingest", "a.md").returncode == 0
    return made


def _answer(said: str, token: str = "") -> Any:
    """Ask as the printed line says, which is something that is known."""
    found = re.search(r"^curl .*$", said, re.MULTILINE)
    assert found, said
    assert _QUESTION in found[0]
    words = shlex.split(found[0])
    given = [words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H"]
    headers = {name: value.replace("$SEXTANT_TOKEN", token) for name, value in given}
    body = words[words.index("-d") + 1].encode()
    with urllib.request.urlopen(urllib.request.Request(words[1], body, headers)) as answer:
        return json.load(answer)


def _ended(child: subprocess.Popen[bytes], by: signal.Signals) -> str:
    """Tell a server to end, and return what it said of it."""
    child.send_signal(by)
    assert child.wait() == 0
    assert child.stderr
    return child.stderr.read().decode()


def test_the_printed_line_asks_a_question_and_a_polite_kill_ends_it_well(folder: Path) -> None:
    with started(folder, "serve", "--port", "0") as child:
        said = hear(child.stdout, r"Ctrl\+C")
        answer = _answer(said)
        assert _ended(child, signal.SIGTERM) == "Closing.\n"
    assert "Phoenix" in answer["answer"]
    assert answer["citations"]
    for name in ("/openapi.json", "/mcp", "token"):
        assert name in said


def test_a_token_of_ones_own_is_used_and_not_shown_and_ctrl_c_ends_it_well(folder: Path) -> None:
    with started(folder, "serve", "--port", "0", SEXTANT_TOKEN=_TOKEN) as child:
        said = hear(child.stdout, r"Ctrl\+C")
        answer = _answer(said, _TOKEN)
        assert _ended(child, signal.SIGINT) == "Closing.\n"
    assert answer["citations"]
    assert _TOKEN not in said


def test_a_server_that_asks_nobody_warns_loudly(folder: Path) -> None:
    with started(folder, "serve", "--port", "0", "--auth", "none") as child:
        said = hear(child.stdout, r"Ctrl\+C")
        answer = _answer(said)
        assert "warning: Nobody is asked for a token" in _ended(child, signal.SIGTERM)
    assert answer["citations"]
    assert "Bearer" not in said


def test_with_json_logs_every_line_on_stderr_is_json(folder: Path) -> None:
    with started(
        folder,
        *("serve", "--port", "0", "--auth", "none"),
        SEXTANT_LOG_LEVEL="info",
        SEXTANT_LOG_FORMAT="json",
    ) as child:
        _answer(hear(child.stdout, r"Ctrl\+C"))
        lines = [json.loads(line) for line in _ended(child, signal.SIGTERM).splitlines()]
    levels = {one["message"]: one["level"] for one in lines}
    assert levels["Closing."] == "info"
    assert "warning" in levels.values()
    (request,) = [one for one in lines if one["message"].startswith("POST /api/ask: 200")]
    assert request["tenant"] == "default"
    assert len(request["requestId"]) == 24
    assert _QUESTION not in json.dumps(lines)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--host", "0.0.0.0"], "listens on this machine only"),
        (["--host", "0.0.0.0", "--auth", "none"], "listens on this machine only"),
        (["--host", "no.such.host.invalid"], "listens on this machine only"),
        (["--host", "no.such.host.invalid", "--auth", "api-key"], "cannot be listened on"),
        (["--auth", "guess"], "--auth sets serve.auth to 'guess'"),
        (["--auth", "oidc"], "oidc.issuer is not set"),
        (["--store", "nothing:here"], "names no store"),
        (["--llm", "nothing:here"], "names no llm"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_line(
    arguments: list[str], reason: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    ended = asked("serve", "--port", "0", *arguments)
    assert ended.exit_code == 1
    assert ended.stderr.startswith("error:")
    assert reason in ended.stderr
    assert "hint:" in ended.stderr


def test_a_store_of_another_embedder_is_refused_before_a_server_says_where_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SEXTANT_EMBEDDER", "tiny:8")
    ended = asked("serve", "--port", "0")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "were made by tiny:16" in ended.stderr


def test_a_port_that_is_taken_is_said_in_a_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = asked("serve", "--port", str(port))
        worse = [asked("serve", "--port", str(port), "--auth", one) for one in ("magic", "oidc")]
    assert ended.exit_code == 1
    assert f"127.0.0.1:{port} cannot be listened on" in ended.stderr
    for one, reason in zip(worse, ("serve.auth", "oidc.issuer"), strict=True):
        assert reason in one.stderr
        assert "listened" not in one.stderr


def test_a_store_that_is_not_there_is_made_and_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    with started(tmp_path, "serve", "--port", "0", "--store", "sqlite:new") as child:
        said = hear(child.stdout, r"Ctrl\+C")
        warned = _ended(child, signal.SIGTERM)
    assert "The store sqlite:new is empty" in warned
    assert "`sextant ingest DOCS --store sqlite:new`" in warned
    assert '{"query": "What do you know?"}' in said


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_help_says_what_holds_without_options(command: str) -> None:
    told = " ".join(asked(command, "--help").stdout.replace("│", " ").split())
    for default in ("127.0.0.1, this machine only", "8787", "local", "the tenant default"):
        assert f"[default: ({default})]" in told


def test_help_says_what_to_begin_with() -> None:
    told = " ".join(asked("--help").stdout.split())
    for command in ("sextant ingest DOCS", 'sextant ask "…"', "sextant mcp --config claude"):
        assert command in told


def test_it_answers_where_a_process_may_open_few_files(folder: Path) -> None:
    with started(folder, "serve", "--port", "0", files=256) as child:
        answer = _answer(hear(child.stdout, r"Ctrl\+C"))
    assert "Phoenix" in answer["answer"]
