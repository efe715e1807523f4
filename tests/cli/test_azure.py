"""Making what the store needs in Azure, and checking it, against an emulator of Cosmos DB."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from azure.cosmos import PartitionKey

from sextant.settings import COSMOS_KEY_VARIABLE, AzureSettings
from sextant.stores.azure.connection import open_cosmos
from tests.cli.commands import asked, sextant
from tests.loopback import Answer, answering
from tests.stores.azure.opening import KEY

SETTINGS = """store = "azure:"
index = "memory:"
embedder = "tiny:16"

[azure]
cosmos_endpoint = "{url}"
database = "of-commands"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cosmosdb: str) -> Path:
    """A folder with settings for the emulator."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(COSMOS_KEY_VARIABLE, KEY)
    (tmp_path / "sextant.toml").write_text(SETTINGS.format(url=cosmosdb))
    return tmp_path


def test_a_dry_run_shows_the_containers_and_makes_none() -> None:
    shown = asked("azure", "init", "--dry-run")
    assert shown.exit_code == 0
    plan = json.loads(shown.stdout)
    assert plan["database"] == "of-commands"
    assert [one["name"] for one in plan["containers"]] == [
        "entities",
        "relations",
        "chunks",
        "records",
    ]
    assert {one["partition_key"] for one in plan["containers"]} == {"/tenant"}


def test_a_check_names_what_is_missing_until_it_is_made(folder: Path) -> None:
    toml = folder / "sextant.toml"
    toml.write_text(toml.read_text().replace("of-commands", "made-later"))
    before = json.loads(asked("azure", "check", "--json").stdout)
    missing = [one for one in before if one["what"].startswith("Container")]
    assert len(missing) == 4
    assert all("sextant azure init" in one["hint"] for one in missing)
    made = asked("azure", "init")
    assert made.exit_code == 0
    assert "entities, relations, chunks, records" in " ".join(made.stdout.split())
    after = json.loads(asked("azure", "check", "--json").stdout)
    problems = [one["what"] for one in after if one["problem"]]
    assert problems == ["Consistency is Session"], "the emulator knows no other"
    assert {"Signed in with the key of an emulator", "Items can be written"} <= {
        one["what"] for one in after
    }


def test_a_store_without_an_index_is_told_before_anybody_asks_it(folder: Path) -> None:
    toml = folder / "sextant.toml"
    toml.write_text(toml.read_text().replace('index = "memory:"\n', ""))
    for options in ((), ("--dry-run",)):
        ended = asked("azure", "init", *options)
        assert ended.exit_code == 0
        assert "azure.search_endpoint is not set" in " ".join(ended.stderr.split())


def test_an_endpoint_that_is_none_is_told(folder: Path) -> None:
    (folder / "sextant.toml").write_text('store = "azure:"\nembedder = "tiny:16"\n')
    shown = asked("azure", "check")
    assert shown.exit_code == 1
    assert "azure.cosmos_endpoint is not set" in shown.stderr


@pytest.mark.parametrize("cosmos", ["https://account.invalid", ""])
def test_who_is_not_signed_in_is_told_that_and_of_no_role(folder: Path, cosmos: str) -> None:
    toml = folder / "sextant.toml"
    own = toml.read_text().replace('index = "memory:"\n', "")
    own = re.sub('http://.*"', f'{cosmos}"', own) if cosmos else own
    toml.write_text(f'{own}search_endpoint = "https://127.0.0.1:9"\n')
    with answering(lambda _: Answer(400)) as identity:
        shown = sextant(
            folder,
            *("azure", "check", "--json"),
            AZURE_TOKEN_CREDENTIALS="ManagedIdentityCredential",
            IDENTITY_ENDPOINT=f"{identity}/msi/token",
            IDENTITY_HEADER="any",
            **{COSMOS_KEY_VARIABLE: KEY},
        )
    assert shown.returncode == 1
    problems = [one for one in json.loads(shown.stdout) if one["problem"]]
    unsigned = [one for one in problems if "az login" in one["hint"]]
    assert len(unsigned) == 1
    assert "role" not in shown.stdout
    assert shown.stderr == ""


def test_containers_that_somebody_else_fills_are_read_and_not_written(
    folder: Path, cosmosdb: str
) -> None:
    async def make() -> None:
        connection = open_cosmos(AzureSettings(cosmosdb))
        async with connection.client as client:
            database = await client.create_database_if_not_exists("of-others")
            for name in ("entities", "relations", "chunks"):
                await database.create_container_if_not_exists(name, PartitionKey("/id"))

    asyncio.run(make())
    toml = folder / "sextant.toml"
    toml.write_text(toml.read_text().replace("of-commands", "of-others"))
    for command in (("init",), ("check",)):
        ended = asked("azure", *command)
        told = " ".join(f"{ended.stdout} {ended.stderr}".split())
        assert ended.exit_code == 1
        assert "the partition key /id, not /tenant" in told
        assert "azure.read_only" in told
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("# Service A\n")
    assert "the partition key /id" in " ".join(asked("ingest", "docs").stderr.split())
    toml.write_text(f"{toml.read_text()}read_only = true\n")
    ended = asked("azure", "check")
    assert ended.exit_code == 0, ended.stdout
    assert "Container entities" in ended.stdout
    assert "read only" in asked("azure", "init").stderr


def test_knowledge_is_taken_in_and_found_by_later_commands(folder: Path) -> None:
    assert asked("azure", "init").exit_code == 0
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("# Service A\n\nService A is owned by Team Y.\n")
    taken = asked("ingest", "docs")
    assert taken.exit_code == 0, taken.stderr
    listed = asked("documents", "list")
    assert "docs/a.md" in listed.stdout
