"""Where the doors keep what is theirs."""

import stat
from pathlib import Path

import pytest

from sextant.errors import ConfigError
from sextant.serve.records.folder import lasting_folder, server_folder
from sextant.settings import ServeSettings, Settings


def test_the_folder_lies_beside_the_store_and_is_its_owners_only(tmp_path: Path) -> None:
    folder = server_folder(Settings(store=f"sqlite:{tmp_path}/deep/kept"))
    assert folder == tmp_path / "deep" / "kept.serve"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert server_folder(Settings(store=f"sqlite:{tmp_path}/deep/kept")) == folder


def test_the_folder_of_the_settings_goes_first(tmp_path: Path) -> None:
    named = Settings(store="memory:", serve=ServeSettings(folder=str(tmp_path / "own")))
    assert server_folder(named) == lasting_folder(named) == tmp_path / "own"


def test_a_store_in_memory_has_a_folder_that_does_not_last() -> None:
    settings = Settings(store="memory:")
    assert lasting_folder(settings) is None
    folder = server_folder(settings)
    assert folder.is_dir()
    assert server_folder(Settings(store="memory:")) == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for wrong in ("file", "file/deep"):
        with pytest.raises(ConfigError, match="cannot be made"):
            server_folder(Settings(serve=ServeSettings(folder=str(tmp_path / wrong))))
