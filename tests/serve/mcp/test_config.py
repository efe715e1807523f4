"""`sextant mcp --config`: what it prints is all that a client needs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from tests.cli.commands import SETTINGS, asked, environment, told
from tests.cli.knowledge import OPEN, OWNER
from tests.ingest.folders import lay_out
from tests.serve.mcp.doors import call


def printed(*arguments: str) -> list[Any]:
    """Return the JSON that a command prints, piece after piece."""
    ended = asked("mcp", "--config", *arguments)
    assert ended.exit_code == 0, ended.output
    found, text = [], ended.stdout.lstrip()
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:].lstrip()
    return found


def test_a_client_that_is_configured_so_gets_a_cited_answer_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    lay_out(home / "docs", OPEN)
    elsewhere.mkdir()
    (home / "sextant.toml").write_text(SETTINGS)
    monkeypatch.chdir(home)
    told("ingest", "docs")
    (snippet,) = printed("claude")
    server = snippet["mcpServers"]["sextant"]
    assert {"--portable-names", "--read-only"} <= {*server["args"]}
    started = StdioServerParameters(
        command=server["command"],
        args=server["args"],
        env=environment() | server["env"],
        cwd=elsewhere,
    )

    async def run() -> None:
        async with Client(stdio_client(started)) as client:
            assert "citations" in await call(client, "graphrag_query", query=OWNER)
            tools = (await client.list_tools()).tools
            assert "RAGPipeline_SearchAndRank" in [one.name for one in tools]
            assert all(one.annotations and one.annotations.read_only_hint for one in tools)

    asyncio.run(run())


def test_a_client_that_starts_us_where_there_is_no_store_yet_is_told_so(tmp_path: Path) -> None:
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sextant", "mcp", "--store", "sqlite:new", "--tenant", "acme", "--read-only"],
        env=environment(),
        cwd=tmp_path,
    )

    async def run() -> None:
        async with Client(stdio_client(started)) as client:
            reply = await call(client, "graphrag_query", query=OWNER)
            assert reply["state"] == "empty"
            assert reply["answer"].startswith("This tenant holds nothing yet")
            asked = await client.call_tool("graphrag_query", {"query": OWNER})
            assert isinstance(asked.content[0], TextContent)
            assert asked.content[0].text.endswith(f"The store is `sqlite:{tmp_path / 'new'}`.")
            found = await call(client, "RAGPipeline.SearchAndRank", UserQueryText=OWNER)
            assert "The tenant holds nothing yet" in found["DebugInformation"]

    asyncio.run(run())


def started_and_left(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start `sextant mcp` as a client that closes stdin at once."""
    command = [sys.executable, "-m", "sextant", "mcp", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_store_that_is_made_anew_is_named_on_stderr(tmp_path: Path) -> None:
    for wanted in ([f"There is no store sqlite:{tmp_path / 'new'} yet", "sextant ingest DOCS"], []):
        started = started_and_left(tmp_path, "--store", "sqlite:new")
        assert started.returncode == 0
        assert all(one in started.stderr for one in wanted)
        assert bool(wanted) == ("note:" in started.stderr)


@pytest.mark.parametrize("more", [(), ("--read-only",), ("--serve", "knowledge-store")])
def test_a_store_in_a_folder_that_is_not_there_is_a_typo_and_makes_nothing(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    started = started_and_left(tmp_path, "--store", "sqlite:typo/kept", *more)
    assert started.returncode == 1
    assert f"There is no store sqlite:{tmp_path / 'typo' / 'kept'}" in started.stderr
    assert "hint: Correct --store" in started.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_snippet_for_a_store_that_is_not_there_warns_and_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = asked("mcp", "--config", "claude")
    json.loads(ended.stdout)
    assert "warning: There is no store sqlite:.sextant yet" in ended.stderr
    assert "sextant ingest DOCS" in ended.stderr
    assert "without --read-only it may also write" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_store_in_the_home_of_somebody_is_named_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (snippet,) = printed("claude", "--store", "sqlite:~/kept")
    assert f"sqlite:{tmp_path}/kept" in snippet["mcpServers"]["sextant"]["args"]


def test_each_kind_of_client_has_its_own_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    claude, vscode, copilot = printed("--tenant", "acme", "--persona", "sre", "--llm", "none")
    assert claude["mcpServers"]["sextant"]["command"] == sys.executable
    assert vscode["servers"]["sextant"]["type"] == "stdio"
    assert copilot["mcpServers"]["sextant"]["type"] == "local"
    assert copilot["mcpServers"]["sextant"]["tools"] == ["*"]
    arguments = claude["mcpServers"]["sextant"]["args"]
    assert arguments[:3] == ["-m", "sextant", "mcp"]
    assert f"sqlite:{tmp_path}/.sextant" in arguments
    assert arguments[arguments.index("--tenant") + 1] == "acme"
    assert arguments[arguments.index("--persona") + 1] == "sre"


def test_a_server_over_http_is_told_by_its_address_or_bridged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = "https://sextant.example/mcp"
    (direct,), (bridged,) = (printed("vscode", "--url", url, *how) for how in ((), ("--bridge",)))
    entry = direct["servers"]["sextant"]
    assert (entry["type"], entry["url"]) == ("http", f"{url}?names=portable")
    assert entry["headers"]["Authorization"].startswith("Bearer ")
    assert bridged["servers"]["sextant"]["args"][-2:] == ["--url", entry["url"]]
    assert "SEXTANT_TOKEN" in bridged["servers"]["sextant"]["env"]
    assert len(printed("--url", url)) == 3
    (of_a_server,) = printed("vscode", "--url", "https://sextant.example")
    assert of_a_server == direct
    assert (
        "claude_desktop_config.json needs --bridge"
        in asked("mcp", "--config", "claude", "--url", url).stderr
    )


def test_no_secret_is_ever_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEXTANT_TOKEN", "hush-hush-hush-hush")
    monkeypatch.setenv("SEXTANT_HTTP_KEY", "hush-hush-hush-hush")
    monkeypatch.setenv("SEXTANT_EMBEDDER", "tiny:16")
    found = json.dumps(printed())
    assert "hush" not in found
    assert "tiny:16" in found


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--config", "emacs"), "is no client that is known here"),
        (("claude",), "is not expected here"),
        (("--config", "--serve", "knowledge-store"), "contradict each other"),
        (("--bridge", "--url", "http://x/mcp"), "--bridge needs --config and --url"),
        (("--read-only", "--url", "http://x/mcp"), "--read-only is for a store"),
        (("--read-only", "--serve", "knowledge-store"), "--read-only is for a store"),
        (("--auth", "magic", "--serve", "knowledge-store"), "--auth sets serve.auth to 'magic'"),
        (("--serve", "kitchen"), "is not a server"),
        (("--url", "ftp://x"), "is not an address"),
        (("--url", "http://[::bad"), "is not an address"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = asked("mcp", *arguments)
    assert ended.exit_code == 1
    assert sentence in ended.stderr
    assert ended.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_help_names_the_clients() -> None:
    shown = asked("mcp", "--help").stdout
    assert "[CLIENT]" in shown
    for client in ("claude", "vscode", "copilot"):
        assert client in shown


def test_the_command_line_starts_without_the_sdk() -> None:
    check = "import sys, sextant.cli; sys.exit(any(n.startswith('mcp') for n in sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
