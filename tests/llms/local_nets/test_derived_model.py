"""A derived model is kept, found again, and never trusted half."""

from __future__ import annotations

from pathlib import Path

import pytest

from sextant.llms.local_nets.derived_model import kept_or_derived


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "sextant"


def derived(model: bytes = b"model", *sources: bytes) -> tuple[bytes, bool]:
    """Return the model, and whether it had to be derived."""
    calls = []

    def derive() -> bytes:
        calls.append(model)
        return model

    return kept_or_derived("small", sources or (b"shipped",), derive), bool(calls)


def test_what_was_derived_once_is_found_again() -> None:
    assert derived() == (b"model", True)
    assert derived() == (b"model", False)


def test_a_relative_cache_folder_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    derived()
    assert not (tmp_path / "work" / "here").exists()
    assert (tmp_path / ".cache" / "sextant").is_dir()


def test_another_source_makes_another_model() -> None:
    derived()
    assert derived(b"other", b"shipped anew") == (b"other", True)


def test_the_same_bytes_cut_at_another_place_are_other_sources() -> None:
    derived(b"model", b"ab", b"c")
    assert derived(b"other", b"a", b"bc") == (b"other", True)


@pytest.mark.parametrize("damage", [b"", b"mod", b"no model at all, but long enough for one"])
def test_what_is_damaged_is_derived_anew_and_kept(damage: bytes, cache: Path) -> None:
    derived()
    (path,) = cache.iterdir()
    path.write_bytes(damage)
    assert derived() == (b"model", True)
    assert derived() == (b"model", False)


def test_where_nothing_can_be_written_it_is_derived_each_time(cache: Path) -> None:
    cache.write_text("a file where the folder would be")
    assert derived() == (b"model", True)
    assert derived() == (b"model", True)


def test_nothing_is_left_beside_the_model(cache: Path) -> None:
    derived()
    assert len(list(cache.iterdir())) == 1
