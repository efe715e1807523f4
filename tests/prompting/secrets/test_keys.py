"""Keys come from the provider's variable, else from a file that is nobody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sextant.errors import ModelAuthentication
from sextant.prompting.secrets.keys import key_for, key_if_any
from sextant.prompting.secrets.redact import HIDDEN, redacted
from sextant.settings import ModelSettings

NONE = ModelSettings()


def in_file(path: Path, content: bytes, mode: int = 0o600) -> ModelSettings:
    path.write_bytes(content)
    path.chmod(mode)
    return ModelSettings(key_file=str(path))


def test_the_first_variable_that_is_set_wins() -> None:
    environment = {"A_KEY": " ", "B_KEY": " first-one \n", "C_KEY": "second-one"}
    assert key_for(["A_KEY", "B_KEY", "C_KEY"], NONE, environment) == "first-one"


def test_a_variable_goes_before_the_file(tmp_path: Path) -> None:
    settings = in_file(tmp_path / "key", b"\xef\xbb\xbfin-the-file\r\nand a note\n")
    assert key_for(["A_KEY"], settings, {"A_KEY": "in-the-variable"}) == "in-the-variable"
    assert key_for(["A_KEY"], settings, {}) == "in-the-file"


def test_a_key_that_was_read_is_hidden_from_then_on() -> None:
    key_for(["A_KEY"], NONE, {"A_KEY": "mellon-friend"})
    assert redacted("Speak mellon-friend and enter.") == f"Speak {HIDDEN} and enter."


def test_without_a_key_the_variables_are_named() -> None:
    with pytest.raises(ModelAuthentication, match="A_KEY or B_KEY is not set") as raised:
        key_for(["A_KEY", "B_KEY"], NONE, {})
    assert "SEXTANT_MODEL_KEY_FILE" in raised.value.hint
    with pytest.raises(ModelAuthentication, match="no key"):
        key_for([], NONE, {})
    assert key_if_any(["A_KEY"], NONE, {}) == ""


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ModelAuthentication, match=f"its mode is {mode:04o}") as raised:
        key_for([], in_file(tmp_path / "key", b"open-to-all", mode))
    assert "chmod 600" in raised.value.hint
    assert "open-to-all" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "nothing in its first line"),
        (b"\nkey-below", "nothing in its first line"),
        (b"two words", "no key"),
        ("schlüssel".encode(), "no key"),
        (b"nul\0nul", "no key"),
        (b"\xff\xfe", "no key"),
    ],
)
def test_what_is_no_key_is_refused_untold(tmp_path: Path, content: bytes, wrong: str) -> None:
    with pytest.raises(ModelAuthentication, match=wrong) as raised:
        key_for([], in_file(tmp_path / "key", content))
    assert "words" not in str(raised.value)


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(ModelAuthentication, match=f"{path.name} is not a file"):
            key_if_any([], ModelSettings(key_file=str(path)))


def test_a_variable_with_a_strange_letter_is_refused_untold() -> None:
    with pytest.raises(ModelAuthentication, match="What A_KEY holds is no key") as raised:
        key_for(["A_KEY"], NONE, {"A_KEY": "abc\ndef"})
    assert "def" not in str(raised.value)
