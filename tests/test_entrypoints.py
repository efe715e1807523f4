"""What other packages register."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sextant import entrypoints
from sextant.errors import ConfigError


def install(folder: Path, package: str, *lines: str) -> None:
    """Let a folder hold a package of which there is nothing but what it registers."""
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    entrypoints._installed.cache_clear()
    yield
    entrypoints._installed.cache_clear()


def test_two_packages_that_register_one_name_are_refused_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "acme-one", "[sextant.stores]", "acme = one:open")
    install(tmp_path, "acme-two", "[sextant.stores]", "acme = two:open")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match=r"register acme in sextant\.stores") as caught:
        entrypoints.registered(entrypoints.STORES)
    assert "acme-one and acme-two" in str(caught.value)
    assert caught.value.hint
    assert "acme" not in entrypoints.registered(entrypoints.LLMS)


def test_a_package_that_is_found_twice_registers_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("first", "second"):
        install(tmp_path / place, "acme-one", "[sextant.stores]", "acme = one:open")
        monkeypatch.syspath_prepend(str(tmp_path / place))
    assert entrypoints.registered(entrypoints.STORES)["acme"].value == "one:open"


def test_one_name_may_be_of_two_packages_in_different_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "acme-one", "[sextant.stores]", "acme = one:open")
    install(tmp_path, "acme-two", "[sextant.llms]", "acme = two:open")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "acme" in entrypoints.plugin_names()
