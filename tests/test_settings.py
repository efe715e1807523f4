"""Where settings come from, and what is said when they are wrong."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sextant import entrypoints
from sextant.errors import ConfigError
from sextant.settings import (
    M365TenantSettings,
    RemoteEndpointSettings,
    ToolServerSettings,
    load,
    section,
)


def test_the_environment_wins_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    (tmp_path / "sextant.toml").write_text(
        'store = "sqlite:a"\n[keyword]\nlanguage = "german"\ntitle_weight = 3\n'
    )
    loaded = load(tmp_path, {"SEXTANT_STORE": "sqlite:b", "SEXTANT_KEYWORD_LANGUAGE": "french"})
    assert loaded.settings.store == "sqlite:b"
    assert loaded.settings.keyword.language == "french"
    assert loaded.settings.keyword.title_weight == 3
    assert loaded.settings.embedder == "bge-fast:"
    origins = {row.name: row.origin for row in loaded.rows()}
    assert origins["store"] == "SEXTANT_STORE"
    assert origins["keyword.title_weight"].endswith("sextant.toml")
    assert origins["embedder"] == "default"


@pytest.mark.parametrize(
    "written", ['["fastify.dev", "b"]', "fastify.dev, b", ' ["fastify.dev","b"]']
)
def test_a_list_of_texts_in_the_environment_is_json_or_has_commas(
    tmp_path: Path, written: str
) -> None:
    settings = load(tmp_path, {"SEXTANT_CHAT_TOOL_HOSTS": written}).settings
    assert settings.chat.tool_hosts == ("fastify.dev", "b")


@pytest.mark.parametrize("written", ['["fastify.dev"', "[1]", "[fastify.dev]"])
def test_a_list_that_is_no_json_is_refused(tmp_path: Path, written: str) -> None:
    with pytest.raises(ConfigError, match=r"SEXTANT_CHAT_TOOL_HOSTS sets chat\.tool_hosts"):
        load(tmp_path, {"SEXTANT_CHAT_TOOL_HOSTS": written})


def test_a_pattern_that_begins_with_a_bracket_is_a_text(tmp_path: Path) -> None:
    settings = load(tmp_path, {"SEXTANT_CHAT_APPROVE": "[fg]*.write_*,b"}).settings
    assert settings.chat.approve == ("[fg]*.write_*", "b")


def test_numbers_come_from_the_environment_too(tmp_path: Path) -> None:
    environment = {"SEXTANT_SQLITE_WAIT_SECONDS": "2.5", "SEXTANT_LIMITS_K": "7"}
    settings = load(tmp_path, environment).settings
    assert (settings.sqlite.wait_seconds, settings.limits.k) == (2.5, 7)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('stoer = "x"', "Did you mean store?"),
        ("[keyword]\nlangauge = 'x'", "Did you mean keyword.language?"),
        ("[store]\nx = 1", "not a setting"),
        ("keyword = 1", "not a setting"),
        ("store = 1", "takes text"),
        ("[sqlite]\nreaders = 'many'", "sqlite.readers to 'many'; it takes a whole number"),
        ("[sqlite]\nreaders = true", "takes a whole number"),
        ("[sqlite]\nreaders = 2.7", "sqlite.readers to 2.7; it takes a whole number"),
        ("[sqlite]\nflush_chunks = inf", "takes a whole number"),
        ("[sqlite]\nflush_chunks = nan", "takes a whole number"),
        (f"[sqlite]\nwait_seconds = {10**400}", "takes a number"),
        (f"[sqlite]\nreaders = {'9' * 5_000}", "not valid TOML"),
        ("[sqlite]\nreaders = 0", "between 1 and 64"),
        ("[sqlite]\nwait_seconds = nan", "between 0 and 3600"),
        ("[keyword]\ntitle_weight = -5", "between 0 and 100"),
        ("[limits]\nk = 0", "between 1"),
        ("store =", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_what_to_do(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "sextant.toml").write_text(content)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {})
    assert said in str(caught.value)
    assert caught.value.hint


def test_remote_endpoints_have_a_table_and_a_token_each(tmp_path: Path) -> None:
    table = '[[chat.remotes]]\nname = "{}"\nurl = "https://lab.example/remote"\n'
    (tmp_path / "sextant.toml").write_text(table.format("lab"))
    found = load(tmp_path, {"SEXTANT_CHAT_REMOTES_LAB_TOKEN": "x"})
    assert found.settings.chat.remotes == (
        RemoteEndpointSettings("lab", "https://lab.example/remote"),
    )
    assert found.unknown == ()
    (tmp_path / "sextant.toml").write_text(table.format("a.b") + table.format("A-B"))
    with pytest.raises(ConfigError, match="SEXTANT_CHAT_REMOTES_A_B_TOKEN"):
        load(tmp_path, {})


def test_servers_of_tools_have_a_table_each(tmp_path: Path) -> None:
    (tmp_path / "sextant.toml").write_text(
        '[[toolbox.servers]]\nname = "github"\nat = "https://mcp.example/mcp"\nscope = "all"\n'
        '[[toolbox.servers]]\nname = "files"\nat = "npx files /srv"\nvariables = ["CA"]\n'
    )
    found = load(
        tmp_path, {"SEXTANT_TOOLS_GITHUB_TOKEN": "t", "SEXTANT_TOOLS_X_CLIENT_SECRET": "s"}
    )
    assert found.settings.toolbox.servers == (
        ToolServerSettings("github", "https://mcp.example/mcp", scope="all"),
        ToolServerSettings("files", "npx files /srv", ("CA",)),
    )
    assert found.unknown == ()


def test_directories_of_microsoft_365_are_tables(tmp_path: Path) -> None:
    (tmp_path / "sextant.toml").write_text(
        '[[m365.tenants]]\nid = "t1"\ntenant = "acme"\npersonas = ["sre"]\n'
    )
    found = load(tmp_path, environment={"SEXTANT_M365_SECRET": "never a setting"})
    assert found.settings.m365.tenants == (M365TenantSettings("t1", "acme", ("sre",)),)
    assert found.unknown == ()
    (tmp_path / "sextant.toml").write_text('[[m365.tenants]]\ntenant = "acme"\n')
    with pytest.raises(ConfigError, match=r"has a directory in m365\.tenants with no id"):
        load(tmp_path, environment={})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('name = "a"', "has a server in toolbox.servers with no at"),
        ('at = "npx a"', "has a server in toolbox.servers with no name"),
        ('name = "a"\nat = "x"\ntoken = "t"', "with the unknown key 'token'"),
        ('name = "a"\nat = "x"\nvariables = "CA"', "whose variables are not texts"),
        (
            'name = "a.b"\nat = "x"\n[[toolbox.servers]]\nname = "A-B"\nat = "y"',
            "two servers in toolbox.servers whose token is SEXTANT_TOOLS_A_B_TOKEN",
        ),
    ],
)
def test_a_wrong_server_of_tools_is_refused(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "sextant.toml").write_text(f"[[toolbox.servers]]\n{table}\n")
    with pytest.raises(ConfigError, match=said):
        load(tmp_path, {})


def test_a_config_file_can_be_named_and_must_then_be_there(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('embedder = "tiny:"')
    named = {"SEXTANT_CONFIG": str(tmp_path / "other.toml")}
    assert load(tmp_path, named).settings.embedder == "tiny:"
    with pytest.raises(ConfigError, match="not a file"):
        load(tmp_path, {"SEXTANT_CONFIG": str(tmp_path / "none.toml")})


def test_an_unknown_variable_is_reported_but_harmless(tmp_path: Path) -> None:
    assert load(tmp_path, {"SEXTANT_STOER": "x", "PATH": "y"}).unknown == ("SEXTANT_STOER",)


@dataclass(frozen=True)
class AcmeSettings:
    """What a plugin declares."""

    retries: int = 3
    hosts: tuple[str, ...] = ()
    where: Path = Path()


def _with_plugins(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    points = EntryPoints(EntryPoint(name, "acme:open", entrypoints.STORES) for name in names)
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)


def test_the_table_of_a_plugin_has_its_own_ranges_and_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with_plugins(monkeypatch, "acme")
    (tmp_path / "sextant.toml").write_text('[acme]\nretries = 0\nhosts = ["a", "b"]\n')
    loaded = load(tmp_path, {}).settings
    assert section(loaded, "acme", AcmeSettings) == AcmeSettings(0, ("a", "b"))
    loaded = load(tmp_path, {"SEXTANT_ACME_HOSTS": "c, d"}).settings
    assert section(loaded, "acme", AcmeSettings).hosts == ("c", "d")
    (tmp_path / "sextant.toml").write_text('[acme]\nwhere = "/tmp"\n')
    with pytest.raises(ConfigError, match=r"acme\.where has a type"):
        section(load(tmp_path, {}).settings, "acme", AcmeSettings)


def test_a_variable_is_of_the_plugin_with_the_longest_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with_plugins(monkeypatch, "acme", "acme-store")
    loaded = load(tmp_path, {"SEXTANT_ACME_STORE_URL": "x"}).settings
    assert loaded.plugins == {"acme-store": {"url": "x"}}
