"""A value `keyvault:NAME` is read from the vault, is shown to nobody, and fails with what to do."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sextant.build import open_tool_server
from sextant.errors import ConfigError, MissingExtra, SettingsUnreachable
from sextant.prompting.secrets.keys import key_for
from sextant.prompting.secrets.redact import redacted
from sextant.settings import (
    KEYVAULT_VARIABLE,
    ModelSettings,
    Settings,
    ToolServerSettings,
    load,
    read_secret_variable,
)
from sextant.settings.credentials import credential_for
from tests.cli.commands import sextant
from tests.links.token_server import TokenServer
from tests.settings_sources.azure_server import VERSION, AzureServer


def variables(azure: AzureServer, **more: str) -> dict[str, str]:
    return {KEYVAULT_VARIABLE: azure.url, **more}


def test_a_setting_has_the_value_of_its_secret_and_shows_only_where_it_is(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"audience": "api://zebrafish"}
    loaded = load(tmp_path, variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:audience"))
    assert loaded.settings.oidc.audience == "api://zebrafish"
    (row,) = [row for row in loaded.rows() if row.name == "oidc.audience"]
    assert (row.value, row.origin) == ("keyvault:audience", "SEXTANT_OIDC_AUDIENCE")
    assert loaded.unknown == ()


def test_a_file_may_name_a_secret_and_the_environment_still_wins(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"port": "4711"}
    (tmp_path / "sextant.toml").write_text('[serve]\nport = "keyvault:port"\n')
    assert load(tmp_path, variables(azure)).settings.serve.port == 4711
    loaded = load(tmp_path, variables(azure, SEXTANT_SERVE_PORT="80"))
    assert loaded.settings.serve.port == 80
    assert ("serve.port", 80) in [(row.name, row.value) for row in loaded.rows()]


def test_a_version_and_another_vault_are_named_by_the_whole_identifier(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"audience": "api://whole"}
    for end in ("", f"/{VERSION}"):
        reference = f"keyvault:{azure.url}/secrets/audience{end}"
        found = load(tmp_path, {"SEXTANT_OIDC_AUDIENCE": reference}).settings
        assert found.oidc.audience == "api://whole"


def test_the_variables_of_secrets_may_name_one(
    azure: AzureServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    azure.secrets = {"model-key": "zebrafish-key-1", "pipeline": "zebrafish-secret-2"}
    monkeypatch.setenv(KEYVAULT_VARIABLE, azure.url)
    monkeypatch.setenv("OPENAI_API_KEY", "keyvault:model-key")
    monkeypatch.setenv("SEXTANT_CLIENT_SECRET", " keyvault:pipeline ")
    monkeypatch.setenv("SEXTANT_NEO4J_PASSWORD", "as it is")
    assert key_for(["OPENAI_API_KEY"], ModelSettings()) == "zebrafish-key-1"
    assert credential_for(load().settings).secret == "zebrafish-secret-2"
    assert read_secret_variable("SEXTANT_NEO4J_PASSWORD") == "as it is"


def test_a_command_that_is_started_gets_the_secret_that_it_was_promised(
    azure: AzureServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    azure.secrets = {"promised": "zebrafish-token-3"}
    monkeypatch.setenv(KEYVAULT_VARIABLE, azure.url)
    monkeypatch.setenv("PROMISED_TOKEN", "keyvault:promised")

    async def variable() -> str:
        at = f"'{sys.executable}' -m tests.links.hostile_server promised"
        choice = ToolServerSettings("v", at, ("PROMISED_TOKEN",))
        server = open_tool_server(Settings(), choice)
        try:
            return str((await server.tools())[0]["description"])
        finally:
            await server.close()

    assert asyncio.run(variable()) == "zebrafish-token-3"


def test_a_snippet_for_a_client_has_the_reference_and_where_the_vault_is(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"audience": "api://zebrafish"}
    told = variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:audience")
    done = sextant(tmp_path, "mcp", "--config", "claude", **told)
    assert done.returncode == 0, done.stderr
    assert "zebrafish" not in done.stdout + done.stderr
    assert "keyvault:audience" in done.stdout
    assert azure.url in done.stdout


def test_what_was_read_is_hidden_in_texts(azure: AzureServer, tmp_path: Path) -> None:
    azure.secrets = {"folder": "sqlite:zebrafish"}
    load(tmp_path, variables(azure, SEXTANT_STORE="keyvault:folder"))
    assert redacted("The store sqlite:zebrafish is empty.") == "The store [hidden] is empty."


def test_no_command_shows_a_secret_not_even_one_that_is_wrong(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"store": "zebrafish"}
    told = variables(azure, SEXTANT_STORE="keyvault:store")
    checked, refused = (
        sextant(tmp_path, *one, **told) for one in (["config", "--json"], ["ask", "?"])
    )
    for done in (checked, refused):
        assert done.returncode == 1
        assert "zebrafish" not in done.stdout + done.stderr
        assert "SEXTANT_STORE sets store to" in done.stderr
    shown = json.loads(checked.stdout)["store"]
    assert shown["value"] == "keyvault:store"
    assert "[hidden]" in shown["problem"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SEXTANT_SERVE_PORT", "zebrafish"),
        ("SEXTANT_SERVE_PORT", "7000000"),
        ("SEXTANT_SERVE_AUTH", "zebrafish"),
        ("SEXTANT_TOOLBOX_SERVERS", '[{"zebrafish": 1}]'),
    ],
)
def test_a_secret_that_does_not_fit_is_not_quoted(
    azure: AzureServer, tmp_path: Path, setting: str, value: str
) -> None:
    azure.secrets = {"wrong": value}
    with pytest.raises(ConfigError, match="keyvault:wrong") as caught:
        load(tmp_path, variables(azure, **{setting: "keyvault:wrong"}))
    assert "zebrafish" not in str(caught.value)
    assert "7000000" not in str(caught.value)


def test_a_secret_is_read_once_however_often_it_is_asked_for(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"audience": "api://once"}
    for _ in range(3):
        load(tmp_path, variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:audience"))
    assert [path for path, has_token in azure.asked if has_token] == ["/secrets/audience/"]


@pytest.mark.parametrize(
    ("refusal", "message", "hint"),
    [
        ((404, "SecretNotFound", ""), "There is no secret gone in the key vault", "Correct"),
        ((403, "Forbidden", "ForbiddenByRbac"), "may not read the secret gone", "Secrets User"),
        ((403, "Forbidden", "AccessDenied"), "may not read the secret gone", "Secrets User"),
        ((403, "Forbidden", "ForbiddenByFirewall"), "network rules", "Let its address"),
        ((403, "Forbidden", "SecretDisabled"), "is disabled", "Enable it"),
    ],
)
def test_a_refusal_says_what_is_missing(
    azure: AzureServer, tmp_path: Path, refusal: tuple[int, str, str], message: str, hint: str
) -> None:
    azure.refusals["gone"] = refusal
    with pytest.raises(ConfigError, match=message) as caught:
        load(tmp_path, variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:gone"))
    assert hint in caught.value.hint


def test_a_secret_without_a_value_is_no_value(azure: AzureServer, tmp_path: Path) -> None:
    azure.secrets = {"blank": ""}
    with pytest.raises(ConfigError, match="The secret blank in the key vault 127"):
        load(tmp_path, variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:blank"))


def test_a_vault_that_fails_or_is_not_there_is_told_apart(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.refusals["late"] = (503, "ServiceUnavailable", "")
    told = variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:late")
    with pytest.raises(SettingsUnreachable, match="status 503"):
        load(tmp_path, told)
    with pytest.raises(SettingsUnreachable, match=r"127\.0\.0\.1 cannot be read now") as caught:
        load(tmp_path, told | {KEYVAULT_VARIABLE: "https://127.0.0.1:9"})
    assert KEYVAULT_VARIABLE in caught.value.hint


def test_a_machine_without_an_identity_is_told_how_to_get_one(
    azure: AzureServer, identity: TokenServer, tmp_path: Path
) -> None:
    identity.status, identity.body = 400, b"{}"
    with pytest.raises(ConfigError, match="gives this machine no token") as caught:
        load(tmp_path, variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:some"))
    assert "az login" in caught.value.hint


def test_a_host_that_wants_tokens_for_another_gets_none(azure: AzureServer, tmp_path: Path) -> None:
    azure.resource = "https://vault.azure.net"
    with pytest.raises(ConfigError, match="is not a key vault"):
        load(tmp_path, variables(azure, SEXTANT_OIDC_AUDIENCE="keyvault:some"))
    assert not any(has_token for _, has_token in azure.asked)


@pytest.mark.parametrize(
    ("vault", "reference", "message"),
    [
        ("", "keyvault:name", f"names the secret name, and {KEYVAULT_VARIABLE} is not set"),
        ("http://v.vault.azure.net", "keyvault:name", "is not the https address"),
        ("my-vault", "keyvault:name", "is not the https address"),
        ("https://user@v.vault.azure.net", "keyvault:name", "is not the https address"),
        ("https://v.vault.azure.net", "keyvault:", "names no secret"),
        ("https://v.vault.azure.net", "keyvault:a/b", "names no secret"),
        ("https://v.vault.azure.net", "keyvault:https://v.vault.azure.net/keys/a", "no secret"),
        ("https://v.vault.azure.net", "keyvault:http://v.vault.azure.net/secrets/a", "no secret"),
    ],
)
def test_a_reference_that_cannot_be_followed_is_refused_before_anybody_is_asked(
    tmp_path: Path, vault: str, reference: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, {KEYVAULT_VARIABLE: vault, "SEXTANT_STORE": reference})


def test_a_machine_without_the_sdk_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "azure.keyvault.secrets", None)
    told = {KEYVAULT_VARIABLE: "https://v.vault.azure.net", "SEXTANT_STORE": "keyvault:absent"}
    with pytest.raises(MissingExtra, match=r"azure\.keyvault\.secrets") as caught:
        load(tmp_path, told)
    assert "sextant[azure]" in caught.value.hint


def test_nothing_of_azure_is_imported_where_nobody_names_it() -> None:
    program = (
        "import sys; from sextant.settings import load; load(); "
        "print([name for name in sys.modules if name.split('.')[0] in ('azure', 'requests')])"
    )
    own = {name: value for name, value in os.environ.items() if not name.startswith("SEXTANT_")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=own
    )
    assert done.stdout.strip() == "[]"
