import os
from pathlib import Path

import pytest

from sextant.errors import InvalidInput, UnknownFormat, Unreachable
from sextant.ingest.sources import PlaceKind, place_of


def test_a_folder_is_called_by_its_last_part(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    place = place_of("docs/", tmp_path)
    assert (place.name, place.kind, place.address) == ("docs", PlaceKind.FOLDER, "docs/")


def test_the_working_folder_is_called_by_its_name(tmp_path: Path) -> None:
    assert place_of(".", tmp_path).name == tmp_path.name


def test_a_link_keeps_the_name_that_the_user_sees(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "docs").symlink_to("real")
    assert place_of("docs", tmp_path).name == "docs"


@pytest.mark.parametrize("name", ["a.zip", "A.ZIP", "a.tar", "a.tgz", "a.tar.gz", "a.tar.xz"])
def test_archives_are_known_by_their_ending(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert place_of(name, tmp_path).kind is PlaceKind.ARCHIVE


def test_any_other_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "notes.docx").touch()
    place = place_of(str(tmp_path / "notes.docx"))
    assert (place.name, place.kind) == ("notes.docx", PlaceKind.FILE)


@pytest.mark.parametrize(
    ("address", "name", "where"),
    [
        ("https://Docs.example.com", "docs.example.com", "https://docs.example.com/"),
        ("https://a.org:443/x/../g/#top", "a.org/g", "https://a.org/g/"),
        ("http://a.org:8080/p?q=1", "a.org:8080/p?q=1", "http://a.org:8080/p?q=1"),
    ],
)
def test_a_site_is_called_by_host_and_path(address: str, name: str, where: str) -> None:
    place = place_of(address)
    assert (place.kind, place.name, place.where) == (PlaceKind.SITE, name, where)


@pytest.mark.parametrize(
    "address",
    [
        "",
        " ",
        "a\0b",
        "ftp://a.org/x",
        "file:///etc/passwd",
        "http://",
        "https://u:p@a.org/",
        "http://[",
        "http://a.org:99999/",
        "http://a b.org/",
        "https://a.org/" + "x" * 5000,
    ],
)
def test_what_cannot_be_a_source_is_refused_with_a_hint(address: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        place_of(address)
    assert refusal.value.hint
    assert "u:p" not in str(refusal.value)


def test_a_name_that_leads_nowhere_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"There is no www\.example\.com here") as refusal:
        place_of("www.example.com", tmp_path)
    assert "https://" in refusal.value.hint
    assert str(tmp_path) not in str(refusal.value)


def test_a_link_to_itself_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(Unreachable):
        place_of("loop", tmp_path)


def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnknownFormat, match="pipe"):
        place_of("pipe", tmp_path)
