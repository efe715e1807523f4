"""Where a server is, and which key it gets."""

from dataclasses import replace
from pathlib import Path

import pytest

from sextant.errors import ConfigError
from sextant.llms.compatible.address import Address, key, parse
from sextant.settings import ModelSettings, Settings

VARIABLE = "SEXTANT_HTTP_KEY"


@pytest.mark.parametrize(
    ("rest", "address"),
    [
        ("//h/v1#m", Address("http://h/v1", "h", "m")),
        ("//h:8080/v1/#a/b:c", Address("http://h:8080/v1", "h:8080", "a/b:c")),
        ("//h:8080", Address("http://h:8080/v1", "h:8080", "")),
        ("//[::1]:80/api/v1#m", Address("http://[::1]:80/api/v1", "[::1]:80", "m")),
    ],
)
def test_address_says_where_and_which(rest: str, address: Address) -> None:
    assert parse("http", rest) == address


@pytest.mark.parametrize(
    "rest", ["", "//", "/v1#m", "//h:port/v1", "//[::1/v1", "//u:p@h/v1", "//@h/v1", "//h/v1?key=x"]
)
def test_address_that_is_none_or_holds_a_secret_is_refused(rest: str) -> None:
    with pytest.raises(ConfigError, match="Write") as raised:
        parse("http", rest)
    assert "u:p" not in str(raised.value)


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv(VARIABLE, raising=False)
    path = tmp_path / "key"
    path.write_text("key-in-a-file\n", encoding="utf-8")
    path.chmod(0o600)
    return str(path)


def test_key_comes_from_its_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "key-of-a-variable")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    assert key(parse("http", "//h/v1#m"), Settings()) == "key-of-a-variable"


def test_server_that_needs_no_key_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    assert key(parse("http", "//h/v1#m"), Settings()) == ""


@pytest.mark.parametrize(
    ("llm", "told"),
    [
        ("http://h/v1#other", "key-in-a-file"),
        ("https://h/v1#m", ""),
        ("http://elsewhere/v1#m", ""),
        ("openai:gpt-5-mini", ""),
        ("none", ""),
    ],
)
def test_key_file_is_for_the_server_that_the_setting_names(
    llm: str, told: str, key_file: str
) -> None:
    settings = replace(Settings(llm=llm), model=ModelSettings(key_file=key_file))
    assert key(parse("http", "//h/v1#m"), settings) == told
