import os
import socket
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import (
    BrokenFile,
    InvalidInput,
    TooMuch,
    UnknownFormat,
    Unreachable,
    UnsafeSource,
)
from sextant.ingest.sources import SourceRules, complete, items, overlooked, place_of
from sextant.ingest.sources.names import fault_of, printable, told_apart
from sextant.ingest.values import Item, Refusal
from tests.ingest.sources.looking import found_in, paths, refused, skipped, texts
from tests.rights import without_privileges


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}")


def test_files_come_in_the_order_of_their_paths_with_their_bytes(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.md", "a/b/c.txt", "a.md", "a-b.md")
    found = found_in(tmp_path)
    assert paths(found) == sorted(["b.md", "a/z.md", "a/b/c.txt", "a.md", "a-b.md"])
    assert texts(found)["a/b/c.txt"] == b"text of a/b/c.txt"
    assert complete(what for what in found if isinstance(what, Refusal))


def test_an_item_knows_its_size_and_its_time_in_utc(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.utime(tmp_path / "a.md", (1_000_000_000, 1_000_000_000))
    [item] = found_in(tmp_path)
    assert isinstance(item, Item)
    assert item.size == len("text of a.md")
    assert item.modified == datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC)
    assert item.url == ""


def test_one_file_can_be_a_source_even_if_hidden(tmp_path: Path) -> None:
    write(tmp_path, ".notes.md")
    assert texts(found_in(tmp_path / ".notes.md")) == {".notes.md": b"text of .notes.md"}


def test_hidden_files_and_the_folders_of_tools_are_skipped_quietly(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".hidden.md", ".git/config", "x/node_modules/p/readme.md", "a.md~")
    found = found_in(tmp_path)
    assert paths(found) == ["a.md"]
    assert skipped(found) == {".hidden.md", ".git/", "x/node_modules/", "a.md~"}
    assert refused(found) == {}


def test_include_and_exclude_are_patterns_as_git_has_them(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "a.txt", "old/b.md", "new/c.md")
    found = found_in(tmp_path, include=("*.md",), exclude=("old/",))
    assert paths(found) == ["a.md", "new/c.md"]
    assert skipped(found) == {"a.txt", "old/"}


def test_a_pattern_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="include"):
        found_in(tmp_path, include=("!",))


def test_an_ignore_file_holds_for_its_folder_and_the_deepest_decides(tmp_path: Path) -> None:
    write(tmp_path, "a.log", "b/a.log", "b/keep.log", "b/c/x.md", "drafts/d.md", "e.md")
    (tmp_path / ".sextantignore").write_text("*.log\n/drafts/\n")
    (tmp_path / "b/.sextantignore").write_text("!keep.log\n/c/\n")
    found = found_in(tmp_path)
    assert paths(found) == ["b/keep.log", "e.md"]


def test_a_folder_whose_ignore_file_cannot_be_understood_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "a/secret.md", "b.md")
    os.mkfifo(tmp_path / "a/.sextantignore")
    found = found_in(tmp_path)
    assert paths(found) == ["b.md"]
    assert refused(found) == {"a/": UnknownFormat}


def test_links_out_of_the_tree_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "secret/passwords.md", "docs/a.md")
    (tmp_path / "docs/file.md").symlink_to(tmp_path / "secret/passwords.md")
    (tmp_path / "docs/folder").symlink_to("../secret")
    (tmp_path / "docs/nowhere.md").symlink_to("/nowhere/at/all")
    found = found_in(tmp_path / "docs")
    assert paths(found) == ["a.md"]
    assert refused(found) == dict.fromkeys(["file.md", "folder", "nowhere.md"], UnsafeSource)


def test_a_sibling_whose_name_starts_alike_is_out_of_the_tree(tmp_path: Path) -> None:
    write(tmp_path, "docs-private/a.md", "docs/b.md")
    (tmp_path / "docs/a.md").symlink_to("../docs-private/a.md")
    assert refused(found_in(tmp_path / "docs")) == {"a.md": UnsafeSource}


def test_links_that_go_round_end(tmp_path: Path) -> None:
    write(tmp_path, "a/b.md")
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "a/self").symlink_to("self")
    (tmp_path / "a/ping").symlink_to("pong")
    (tmp_path / "a/pong").symlink_to("ping")
    (tmp_path / "a/dangling").symlink_to("missing")
    found = found_in(tmp_path)
    assert paths(found) == ["a/b.md"]
    assert refused(found) == {
        "a/up": UnsafeSource,
        "a/self": UnsafeSource,
        "a/ping": UnsafeSource,
        "a/pong": UnsafeSource,
        "a/dangling": Unreachable,
    }


def test_a_link_within_the_tree_does_not_make_a_second_document(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md")
    (tmp_path / "b.md").symlink_to("docs/a.md")
    (tmp_path / "more").symlink_to("docs")
    found = found_in(tmp_path)
    assert paths(found) == ["docs/a.md"]
    assert skipped(found) == {"b.md", "more"}


def test_links_into_hidden_folders_are_read_as_mounted_configurations_need(tmp_path: Path) -> None:
    write(tmp_path, "..2026/a.md")
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "a.md").symlink_to("..data/a.md")
    assert texts(found_in(tmp_path)) == {"a.md": b"text of ..2026/a.md"}


def test_pipes_and_sockets_never_block(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.md"))
        found = found_in(tmp_path)
    assert paths(found) == ["a.md"]
    assert refused(found) == {"pipe.md": UnknownFormat, "s.md": UnknownFormat}


def test_a_file_that_turns_into_a_pipe_or_a_link_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "docs/b.md", "secret.md")
    first, second = found_in(tmp_path / "docs")
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    for name in ("a.md", "b.md"):
        (tmp_path / "docs" / name).unlink()
    os.mkfifo(tmp_path / "docs/a.md")
    (tmp_path / "docs/b.md").symlink_to("../secret.md")
    with pytest.raises(UnknownFormat):
        first.load()
    with pytest.raises(UnsafeSource):
        second.load()


def test_a_folder_that_turns_into_a_link_is_not_read_through(tmp_path: Path) -> None:
    write(tmp_path, "docs/a/b.md", "secret/b.md")
    [item] = found_in(tmp_path / "docs")
    assert isinstance(item, Item)
    (tmp_path / "docs/a").rename(tmp_path / "elsewhere")
    (tmp_path / "docs/a").symlink_to(tmp_path / "secret")
    with pytest.raises(UnsafeSource):
        item.load()


def test_a_file_that_vanished_is_unreachable(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    [item] = found_in(tmp_path)
    assert isinstance(item, Item)
    (tmp_path / "a.md").unlink()
    with pytest.raises(Unreachable, match=r"a\.md") as refusal:
        item.load()
    assert str(tmp_path) not in str(refusal.value)


def test_the_listing_is_lazy_and_what_vanishes_meanwhile_is_unreachable(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "c/d.md")
    listing = items(place_of(str(tmp_path)), SourceRules())
    first = next(listing)
    assert first.path == "a.md"
    (tmp_path / "b.md").unlink()
    (tmp_path / "c/d.md").unlink()
    (tmp_path / "c").rmdir()
    assert refused(list(listing)) == {"b.md": Unreachable, "c/": Unreachable}


def test_a_link_to_a_hidden_folder_is_told(tmp_path: Path) -> None:
    write(tmp_path, ".store/a.md")
    (tmp_path / "docs").symlink_to(".store")
    assert refused(found_in(tmp_path)) == {"docs": UnsafeSource}


def test_a_huge_file_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(2 * 1024**3)
    assert refused(found_in(tmp_path)) == {"huge.txt": TooMuch}


def test_a_file_that_grows_after_it_was_listed_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    [item] = found_in(tmp_path, most_bytes=100)
    assert isinstance(item, Item)
    (tmp_path / "a.md").write_text("x" * 101)
    with pytest.raises(TooMuch, match="100 bytes"):
        item.load()


def test_names_that_differ_in_case_or_composition_stay_two_documents(tmp_path: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "café.md") for form in ("NFC", "NFD"))
    write(tmp_path, "Read.md", "read.md", composed, decomposed)
    if len(list(tmp_path.iterdir())) < 4:
        pytest.skip("this file system holds them for one")
    found = texts(found_in(tmp_path))
    assert set(found) == {"Read.md", "read.md", composed, "café [2].md"}
    assert found[composed] == f"text of {composed}".encode()


def test_a_decomposed_name_is_reported_composed_and_can_be_read(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "é/ü.md")
    write(tmp_path, decomposed)
    assert list(texts(found_in(tmp_path))) == ["é/ü.md"]


@pytest.mark.parametrize("name", [b"caf\xe9.md", b"\xff/a.md", b"a\nb.md", b"\x1b[31mred.md"])
def test_names_that_no_terminal_can_show_are_refused_and_shown_safely(
    tmp_path: Path, name: bytes
) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)  # noqa: PTH118
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    with open(path, "wb"):  # noqa: PTH123
        pass
    found = found_in(tmp_path)
    [shown] = refused(found)
    assert shown.isprintable()
    assert shown.encode()
    assert set(refused(found).values()) == {BrokenFile}


def test_what_may_not_be_read_is_unreachable(open_path: Path) -> None:
    write(open_path, "open.md", "shut.md", "closed/a.md")
    (open_path / "shut.md").chmod(0)
    (open_path / "closed").chmod(0)
    try:
        with without_privileges():
            found = found_in(open_path)
            [shut] = [what for what in found if isinstance(what, Item) and what.path == "shut.md"]
            with pytest.raises(Unreachable, match="permission denied"):
                shut.load()
    finally:
        (open_path / "closed").chmod(0o755)
    assert refused(found) == {"closed/": Unreachable}


def test_a_folder_that_cannot_be_listed_makes_the_listing_incomplete(open_path: Path) -> None:
    write(open_path, "a.md", "closed/a.md")
    (open_path / "closed").chmod(0)
    try:
        with without_privileges():
            found = found_in(open_path)
    finally:
        (open_path / "closed").chmod(0o755)
    refusals = [what for what in found if isinstance(what, Refusal)]
    assert not complete(refusals)
    assert [overlooked(refusal) for refusal in refusals] == ["closed/"]


def test_a_place_that_is_gone_hides_everything(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    place = place_of(str(folder))
    folder.rmdir()
    [refusal] = items(place, SourceRules())
    assert isinstance(refusal, Refusal)
    assert overlooked(refusal) == ""
    assert not complete([refusal])


def test_what_is_skipped_or_refused_by_itself_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path, ".git/config", "big.md")
    refusals = [what for what in found_in(tmp_path, most_bytes=1) if isinstance(what, Refusal)]
    assert len(refusals) == 2
    assert complete(refusals)


def test_a_very_deep_folder_is_no_trouble(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 300)
    write(tmp_path, f"{deep}/a.md")
    assert paths(found_in(tmp_path)) == [f"{deep}/a.md"]


def test_a_path_that_is_too_long_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "/".join(["x" * 200] * 5) + "/a.md")
    assert list(refused(found_in(tmp_path)).values()) == [TooMuch]


def test_ten_thousand_tiny_files_are_listed_and_read(tmp_path: Path) -> None:
    for folder in range(100):
        (tmp_path / f"{folder:02}").mkdir()
        for number in range(100):
            (tmp_path / f"{folder:02}/{number:02}.md").write_bytes(b"%d" % number)
    found = texts(found_in(tmp_path))
    assert len(found) == 10_000
    assert list(found) == sorted(found)
    assert found["42/17.md"] == b"17"


@given(st.sets(st.text(st.sampled_from("aeé\u0301.[2] ü"), min_size=1, max_size=4)))
def test_names_of_a_folder_are_told_apart_in_their_normal_form(names: set[str]) -> None:
    apart = told_apart(names)
    assert apart.keys() == names
    assert len(set(apart.values())) == len(names)
    assert all(unicodedata.is_normalized("NFC", name) for name in apart.values())


@given(st.text(st.characters(codec=None)))
def test_what_is_printed_of_a_name_is_always_safe(name: str) -> None:
    shown = printable(name)
    assert fault_of(shown[:800]) is None
    assert shown.encode().decode() == shown
