"""What a server says as it opens: where it is, who may come in, and what it lacks."""

from __future__ import annotations

import asyncio
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.build import open_sextant
from sextant.cli.shared import startup as opening
from sextant.serve.caller import Role
from sextant.serve.mcp.transports.single_server import running_alone
from sextant.serve.records.folder import server_folder
from sextant.serve.running import running
from sextant.settings import OidcSettings, ServeSettings, Settings
from sextant.types import Chunk, Document, Put, Scope
from tests.serve.identity.making import Keys
from tests.serve.mcp.doors import take_in
from tests.serve.running import small

EVERYWHERE = {"host": "0.0.0.0", "auth": "api-key"}
OTHERS = r"http://127\.0\.0\.1:\d+(/mcp)? and at all other addresses of this machine\n"
OF_NAMES = "gets 421 until serve.hosts has that name"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose store knows something."""
    asyncio.run(take_in(tmp_path))
    return tmp_path


def settings_for(folder: Path, **own: Any) -> Settings:
    return small(folder, serve=ServeSettings(port=0, **own))


def shown(capsys: pytest.CaptureFixture[str], settings: Settings) -> tuple[str, str]:
    """Open a server, and return what it says and what it warns of."""

    async def run() -> None:
        async with running(settings) as server:
            await opening.show(server, settings, None)

    asyncio.run(run())
    said, warned = capsys.readouterr()
    return said, warned


def test_a_server_that_lacks_nothing_warns_of_nothing_and_asks_what_it_knows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said, warned = shown(capsys, settings_for(folder))
    assert warned == ""
    assert '{"query": "What is Service A?"}' in said


def test_a_tenant_that_nobody_knows_is_said_to_have_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said, warned = shown(capsys, settings_for(folder, tenant="acme"))
    assert "has nothing of the tenant acme" in warned
    assert "`sextant ingest DOCS --tenant acme`" in warned
    assert '{"query": "What do you know?"}' in said


def test_what_only_a_persona_may_see_is_not_told_to_whoever_reads_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def write() -> None:
        plan = Document("plan", "Harbor Queue plan", personas=frozenset({"sre"}))
        async with await open_sextant(small(tmp_path)) as sextant:
            await sextant.write(Scope(), [Put(plan, (Chunk("plan#c0", "It moves."),))])

    asyncio.run(write())
    said, warned = shown(capsys, settings_for(tmp_path))
    assert "plan" not in said
    assert warned == ""


def test_a_server_for_other_machines_says_how_it_is_reached_and_by_whom(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for(folder, **EVERYWHERE)
    said, warned = shown(capsys, settings)
    assert re.search(OTHERS, said)
    assert "Bearer KEY" in said
    assert OF_NAMES in warned
    assert "There is no key yet: `sextant keys create --name NAME --role search`" in warned
    with closing(Keys(server_folder(settings))) as keys:
        key, _ = keys.create("ci", "default", [Role.SEARCH])
    named = settings_for(folder, **EVERYWHERE, hosts="sextant.example")
    assert shown(capsys, named)[1] == ""
    with closing(Keys(server_folder(settings))) as keys:
        keys.revoke(key.id)
    assert "There is no key yet" in shown(capsys, named)[1]


def test_a_server_of_an_issuer_says_whose_tokens_it_takes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    oidc = OidcSettings(issuer="https://login.example/v2.0", audience="api://sextant")
    said, _ = shown(capsys, replace(settings_for(folder, auth="oidc"), oidc=oidc))
    assert "of https://login.example/v2.0 for api://sextant, with roles in roles" in said
    assert "Bearer TOKEN" in said


def test_one_of_three_servers_says_how_it_is_reached_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for(folder, **EVERYWHERE)

    async def run() -> None:
        async with running_alone(settings, "llm-orchestration") as server:
            await opening.show_alone(server, "llm-orchestration", settings.serve)

    asyncio.run(run())
    said, warned = capsys.readouterr()
    assert re.search(OTHERS, said)
    assert OF_NAMES in warned
