"""Settings of App Configuration win over the file, and lose to the environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sextant.errors import ConfigError, SettingsUnreachable
from sextant.settings import (
    APPCONFIG_LABEL_VARIABLE,
    APPCONFIG_VARIABLE,
    KEYVAULT_VARIABLE,
    load,
)
from tests.cli.commands import sextant
from tests.settings_sources.azure_server import REFERENCE_TYPE, AzureServer


def test_the_store_stands_between_the_file_and_the_environment(
    azure: AzureServer, tmp_path: Path
) -> None:
    (tmp_path / "sextant.toml").write_text(
        '[keyword]\nlanguage = "german"\ntitle_weight = 3\nheadings_weight = 4\n'
    )
    azure.keep("sextant:keyword.language", "french")
    azure.keep("sextant:keyword.title_weight", "5")
    azure.keep("sextant:chat.models", '["openai:a", "openai:b"]')
    azure.keep("other:store", "sqlite:theirs")
    told = {APPCONFIG_VARIABLE: azure.url, "SEXTANT_KEYWORD_TITLE_WEIGHT": "7"}
    loaded = load(tmp_path, told)
    own = loaded.settings.keyword
    assert (own.language, own.title_weight, own.headings_weight) == ("french", 7, 4)
    assert loaded.settings.chat.models == ("openai:a", "openai:b")
    assert loaded.settings.store == "sqlite:.sextant"
    assert loaded.origins["keyword.language"] == APPCONFIG_VARIABLE
    assert loaded.unknown == ()


def test_a_label_chooses_its_own_settings(azure: AzureServer, tmp_path: Path) -> None:
    azure.keep("sextant:serve.port", "1")
    azure.keep("sextant:serve.port", "2", label="prod")
    told = {APPCONFIG_VARIABLE: azure.url}
    assert load(tmp_path, told).settings.serve.port == 1
    assert load(tmp_path, told | {APPCONFIG_LABEL_VARIABLE: "prod"}).settings.serve.port == 2


def test_references_to_a_vault_are_followed_and_not_shown(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.secrets = {"audience": "api://zebrafish", "issuer": "https://zebrafish"}
    uri = f"{azure.url}/secrets/audience"
    azure.keep("sextant:oidc.audience", json.dumps({"uri": uri}), content_type=REFERENCE_TYPE)
    azure.keep("sextant:oidc.issuer", "keyvault:issuer")
    loaded = load(tmp_path, {APPCONFIG_VARIABLE: azure.url, KEYVAULT_VARIABLE: azure.url})
    assert loaded.settings.oidc.audience == "api://zebrafish"
    assert loaded.settings.oidc.issuer == "https://zebrafish"
    shown = {row.name: row.value for row in loaded.rows()}
    assert shown["oidc.audience"] == f"keyvault:{uri}"
    assert shown["oidc.issuer"] == "keyvault:issuer"


def test_a_key_that_names_no_setting_is_reported_and_stops_nothing(
    azure: AzureServer, tmp_path: Path
) -> None:
    azure.keep("sextant:serve.prot", "1")
    azure.keep("sextant:log.level", "error")
    done = sextant(tmp_path, "config", **{APPCONFIG_VARIABLE: azure.url})
    assert done.returncode == 0
    assert "sextant:serve.prot in SEXTANT_APPCONFIG names no setting" in done.stderr
    assert "SEXTANT_APPCONFIG" in next(
        line for line in done.stdout.splitlines() if line.startswith("log.level")
    )


def test_a_wrong_value_says_who_set_it(azure: AzureServer, tmp_path: Path) -> None:
    azure.keep("sextant:serve.port", "many")
    with pytest.raises(ConfigError, match=r"SEXTANT_APPCONFIG sets serve\.port to 'many'"):
        load(tmp_path, {APPCONFIG_VARIABLE: azure.url})


def test_a_refusal_names_the_role_that_is_missing(azure: AzureServer, tmp_path: Path) -> None:
    azure.refusals["/kv"] = (403, "Forbidden", "")
    with pytest.raises(ConfigError, match="may not read the settings in") as caught:
        load(tmp_path, {APPCONFIG_VARIABLE: azure.url})
    assert "App Configuration Data Reader" in caught.value.hint


def test_a_store_that_is_not_there_says_so(azure: AzureServer, tmp_path: Path) -> None:
    with pytest.raises(SettingsUnreachable, match="configuration store 127"):
        load(tmp_path, {APPCONFIG_VARIABLE: "https://127.0.0.1:9"})
    with pytest.raises(ConfigError, match="is not the https address of a configuration store"):
        load(tmp_path, {APPCONFIG_VARIABLE: "my-store"})
    assert azure.asked == []
