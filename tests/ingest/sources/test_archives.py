import bz2
import gzip
import io
import lzma
import random
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.errors import (
    BrokenFile,
    SextantError,
    TooMuch,
    UnknownFormat,
    Unreachable,
    UnsafeSource,
)
from sextant.ingest.sources import SourceRules, complete, items, place_of
from sextant.ingest.sources.rules import MEGABYTE
from sextant.ingest.values import Item, Refusal
from tests.ingest.sources.looking import found_in, paths, refused, skipped, texts

Files = Mapping[str, bytes]
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "a.tar": lambda data: data,
    "a.tar.gz": gzip.compress,
    "a.tar.bz2": lambda data: bz2.compress(data, 1),
    "a.tar.xz": lzma.compress,
}


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 5, 17, 8, 30, 0)), data, method)
    return buffer.getvalue()


def tarred(files: Files) -> bytes:
    return tar_of(*(member(name, len(data), data=data) for name, data in files.items()))


def member(
    name: str, size: int = 0, kind: bytes = tarfile.REGTYPE, data: bytes = b"", target: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname, info.mtime = size, kind, target, 1_000_000_000
    return info, data


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data) if data else None)
    return buffer.getvalue()


def put(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


@pytest.mark.parametrize("name", ["a.zip", *PACKERS])
def test_every_kind_of_archive_gives_its_files_in_order(tmp_path: Path, name: str) -> None:
    files = {"b.md": b"two", "./docs/a.md": b"one" * 50_000, "a-b/c.md": b"", ".hidden": b"x"}
    data = zipped(files) if name == "a.zip" else PACKERS[name](tarred(files))
    found = found_in(put(tmp_path, name, data))
    assert paths(found) == ["a-b/c.md", "b.md", "docs/a.md"]
    assert texts(found) == {"a-b/c.md": b"", "b.md": b"two", "docs/a.md": b"one" * 50_000}
    assert skipped(found) == {".hidden"}


def test_entries_have_their_size_and_time(tmp_path: Path) -> None:
    [zip_item] = found_in(put(tmp_path, "a.zip", zipped({"a.md": b"abc"})))
    [tar_item] = found_in(put(tmp_path, "a.tar", tarred({"a.md": b"abc"})))
    assert isinstance(zip_item, Item)
    assert isinstance(tar_item, Item)
    assert zip_item.modified == datetime(2026, 5, 17, 8, 30, tzinfo=UTC)
    assert tar_item.modified == datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC)
    assert zip_item.size == tar_item.size == 3


def test_items_can_be_loaded_long_after_the_listing_and_in_any_order(tmp_path: Path) -> None:
    inner = gzip.compress(tarred({"a.md": b"a", "b.md": b"b"}))
    found = found_in(put(tmp_path, "a.zip", zipped({"in.tgz": inner, "c.md": b"c"})))
    loaded = [item.load() for item in reversed(found) if isinstance(item, Item)]
    assert loaded == [b"b", b"a", b"c"]


def test_an_archive_in_a_folder_is_opened_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    put(tmp_path, "b.zip", zipped({"x/y.md": b"y"}))
    (tmp_path / "c.md").touch()
    assert paths(found_in(tmp_path)) == ["a.md", "b.zip/x/y.md", "c.md"]


def test_the_rules_choose_entries_too(tmp_path: Path) -> None:
    archive = put(tmp_path, "a.zip", zipped({"a.md": b"a", "b.txt": b"b", "__MACOSX/a.md": b""}))
    found = found_in(archive, include=("*.md",))
    assert paths(found) == ["a.md"]
    assert skipped(found) == {"b.txt", "__MACOSX/a.md"}


def test_the_rules_reach_into_archives_that_they_do_not_name(tmp_path: Path) -> None:
    inner = zipped({"c.md": b"", "c.txt": b""})
    put(tmp_path, "in.zip", zipped({"a.md": b"", "b.txt": b"", "x.zip": inner}))
    put(tmp_path, "out.zip", zipped({"a.md": b""}))
    found = found_in(tmp_path, include=("*.md",), exclude=("out.zip",))
    assert paths(found) == ["in.zip/a.md", "in.zip/x.zip/c.md"]


HOSTILE_NAMES = ["../a.md", "/etc/a.md", "x/../../a.md", "C:/a.md", "c:a.md", "x\\..\\a.md"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_that_lead_out_of_the_archive_are_refused(tmp_path: Path, name: str) -> None:
    for archive in (
        put(tmp_path, "a.zip", zipped({name: b"x", "ok.md": b""})),
        put(tmp_path, "a.tar", tarred({name: b"x", "ok.md": b""})),
    ):
        found = found_in(archive)
        assert paths(found) == ["ok.md"]
        assert refused(found) == {name: UnsafeSource}


def test_names_that_are_not_utf8_are_refused_and_shown_safely(tmp_path: Path) -> None:
    info, data = member("caf\udce9\x1b.md", 1, data=b"x")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(data))
    found = found_in(put(tmp_path, "a.tar", buffer.getvalue()))
    assert refused(found) == {"caf\\xe9\\x1b.md": BrokenFile}


def test_an_entry_without_a_name_or_with_an_endless_one_is_refused(tmp_path: Path) -> None:
    found = found_in(put(tmp_path, "a.tar", tarred({".": b"x", "n" * 900: b"x", "ok.md": b""})))
    assert paths(found) == ["ok.md"]
    assert refused(found) == {".": BrokenFile, "n" * 900: TooMuch}


def test_zip_names_in_utf8_without_the_mark_are_understood(tmp_path: Path) -> None:
    data = zipped({"caf__.md": b"x"}).replace(b"caf__", "café".encode())
    assert paths(found_in(put(tmp_path, "a.zip", data))) == ["café.md"]


def test_links_and_devices_in_an_archive_are_refused(tmp_path: Path) -> None:
    data = tar_of(
        member("link.md", kind=tarfile.SYMTYPE, target="/etc/passwd"),
        member("hard.md", kind=tarfile.LNKTYPE, target="../x"),
        member("null", kind=tarfile.CHRTYPE),
        member("pipe", kind=tarfile.FIFOTYPE),
        member("folder", kind=tarfile.DIRTYPE),
        member("link.md/under.md", 1, data=b"x"),
    )
    found = found_in(put(tmp_path, "a.tar", data))
    assert paths(found) == ["link.md/under.md"]
    assert refused(found) == dict.fromkeys(["link.md", "hard.md", "null", "pipe"], UnsafeSource)


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert refused(found_in(tmp_path / "a.zip")) == {"link.md": UnsafeSource}


def test_encrypted_and_oddly_packed_entries_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.md": b"x"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refused(found_in(put(tmp_path, "a.zip", bytes(data)))) == {"a.md": Unreachable}
    packed = zipped({"a.md": b"x"}, zipfile.ZIP_LZMA)
    assert refused(found_in(put(tmp_path, "b.zip", packed))) == {"a.md": UnknownFormat}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_entries_with_one_name_the_later_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, text in [("a.md", "1"), ("a.md", "2"), ("./a.md", "3"), ("A.md", "4")]:
            archive.writestr(name, text)
    found = found_in(tmp_path / "a.zip")
    assert texts(found) == {"A.md": b"4", "a.md": b"1"}
    refusals = [what for what in found if isinstance(what, Refusal)]
    assert [(what.path, type(what.error)) for what in refusals] == [("a.md", UnsafeSource)] * 2


def test_a_nested_archive_and_a_folder_of_its_name_make_no_path_twice(tmp_path: Path) -> None:
    files = {"in.zip": zipped({"a.md": b"1"}), "in.zip/a.md": b"2"}
    found = found_in(put(tmp_path, "a.zip", zipped(files)))
    assert texts(found) == {"in.zip/a.md": b"1"}
    assert refused(found) == {"in.zip/a.md": UnsafeSource}


def test_a_flat_zip_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    bomb = zipped({"bomb.txt": bytes(30 * MEGABYTE), "ok.md": b"ok"})
    found = found_in(put(tmp_path, "a.zip", bomb))
    assert texts(found) == {"ok.md": b"ok"}
    assert refused(found) == {"bomb.txt": TooMuch}


def test_a_nested_bomb_is_refused_before_it_unfolds(tmp_path: Path) -> None:
    layer = zipped({"0.txt": bytes(MEGABYTE)})
    for _ in range(3):
        layer = zipped({f"{n}.zip": layer for n in range(10)})
    found = found_in(put(tmp_path, "a.zip", layer))
    assert paths(found) == []
    assert len(refused(found)) == 100
    assert set(refused(found).values()) == {TooMuch}


def test_an_archive_within_an_archive_is_read_as_deep_as_the_rules_say(tmp_path: Path) -> None:
    layer = zipped({"core.md": b"core"})
    for name in ("3.zip", "2.zip", "1.zip"):
        layer = zipped({name: layer, f"beside-{name}.md": b""})
    archive = put(tmp_path, "a.zip", layer)
    assert len(paths(found_in(archive))) == 2
    assert refused(found_in(archive)) == {"1.zip/2.zip": TooMuch}
    assert refused(found_in(archive, nesting=0)) == {"1.zip": TooMuch}
    assert "1.zip/2.zip/3.zip/core.md" in paths(found_in(archive, nesting=3))


def test_an_archive_that_seems_to_hold_itself_for_ever_ends(tmp_path: Path) -> None:
    inner = zipped({"r.zip": b"placeholder"}, zipfile.ZIP_STORED)
    for _ in range(20):
        inner = zipped({"r.zip": inner}, zipfile.ZIP_STORED)
    found = found_in(put(tmp_path, "r.zip", inner))
    assert refused(found) == {"r.zip/r.zip": TooMuch}


def test_the_total_counts_across_nested_archives_and_ends_the_reading(tmp_path: Path) -> None:
    inner = zipped({"x.txt": noise(600), "y.txt": noise(700)})
    archive = put(tmp_path, "a.zip", zipped({"a.zip": inner, "b.txt": b"b"}))
    found = found_in(archive, most_total=len(inner) + 1000)
    assert paths(found) == ["a.zip/x.txt"]
    assert refused(found) == {"a.zip/": TooMuch, "./": TooMuch}
    assert not complete(what for what in found if isinstance(what, Refusal))


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.bz2", "a.tar.xz"])
def test_a_packed_tar_bomb_is_stopped_while_it_unpacks(tmp_path: Path, name: str) -> None:
    bomb = PACKERS[name](tarred({"bomb.txt": bytes(8 * MEGABYTE)}))
    found = found_in(put(tmp_path, name, bomb), most_bytes=MEGABYTE)
    assert refused(found) == {"./": TooMuch}


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_too_many_entries_are_refused(tmp_path: Path, name: str) -> None:
    files = {f"{n:03}.md": b"x" for n in range(101)}
    data = zipped(files) if name == "a.zip" else PACKERS[name](tarred(files))
    archive = put(tmp_path, name, data)
    assert len(paths(found_in(archive, most_entries=101))) == 101
    assert refused(found_in(archive, most_entries=100))["./"] is TooMuch


def test_an_entry_over_the_limit_of_size_is_refused_alone(tmp_path: Path) -> None:
    for archive in (
        put(tmp_path, "a.zip", zipped({"big.bin": noise(2000), "ok.md": b""})),
        put(tmp_path, "a.tar", tarred({"big.bin": noise(2000), "ok.md": b""})),
    ):
        found = found_in(archive, most_bytes=1000)
        assert (paths(found), refused(found)) == (["ok.md"], {"big.bin": TooMuch})


@pytest.mark.parametrize("claimed", [10, 100_000])
def test_an_entry_that_lies_about_its_size_is_not_believed(tmp_path: Path, claimed: int) -> None:
    content = noise(5000)
    data = zipped({"a.bin": content})
    true_size, claim = struct.pack("<L", len(content)), struct.pack("<L", claimed)
    assert data.count(true_size) >= 2
    [item] = found_in(put(tmp_path, "a.zip", data.replace(true_size, claim)))
    assert isinstance(item, Item)
    with pytest.raises(BrokenFile):
        item.load()


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """The densest bombs let many entries of the list point at one packed body."""
    data = zipped({"a.md": noise(3000)})
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    listed = data[start:end]
    twice = listed + listed.replace(b"a.md", b"b.md")
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(twice), start, 0)
    found = found_in(put(tmp_path, "a.zip", data[:start] + twice + tail))
    assert refused(found) == {"a.md": BrokenFile, "b.md": BrokenFile}


def test_a_list_of_entries_that_is_too_long_is_not_loaded(tmp_path: Path) -> None:
    listed = bytes(3 * MEGABYTE)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), 0, 0)
    found = found_in(put(tmp_path, "a.zip", listed + tail), most_entries=10)
    assert refused(found) == {"./": TooMuch}


def test_a_tar_header_of_many_megabytes_is_not_loaded(tmp_path: Path) -> None:
    size = 5 * MEGABYTE
    info, _ = member("x", size, tarfile.XHDTYPE)
    data = info.tobuf(tarfile.USTAR_FORMAT) + bytes(size) + tarred({"a.md": b""})
    assert refused(found_in(put(tmp_path, "a.tar", data))) == {"./": TooMuch}


def test_a_tar_header_that_is_slow_to_search_is_refused(tmp_path: Path) -> None:
    size = 60_000
    info, _ = member("x", size, tarfile.XHDTYPE)
    data = info.tobuf(tarfile.USTAR_FORMAT) + b"1" * size + bytes(512) + tarred({"a.md": b""})
    assert refused(found_in(put(tmp_path, "a.tar", data))) == {"./": BrokenFile}


def test_a_tar_of_headers_upon_headers_ends(tmp_path: Path) -> None:
    record = b"11 path=xy\n"
    info, _ = member("x", len(record), tarfile.XHDTYPE)
    header = info.tobuf(tarfile.USTAR_FORMAT) + record.ljust(512, b"\0")
    found = found_in(put(tmp_path, "a.tar", header * 3000))
    assert refused(found) == {"./": BrokenFile}


def test_a_tar_that_leads_back_into_itself_ends(tmp_path: Path) -> None:
    record = b"15 size=-10240\n"
    info, _ = member("x", len(record), tarfile.XHDTYPE)
    pax = info.tobuf(tarfile.USTAR_FORMAT) + record.ljust(512, b"\0")
    data = tarred({"a.md": b"a"})[:1024] + pax + tarred({"b.md": b"b"})
    assert "./" in refused(found_in(put(tmp_path, "a.tar", data)))


@pytest.mark.parametrize("name", list(PACKERS))
def test_of_a_cut_off_tar_the_beginning_is_read(tmp_path: Path, name: str) -> None:
    files = {f"{n:02}.bin": noise(40_000 + n) for n in range(20)}
    data = PACKERS[name](tarred(files))
    found = found_in(put(tmp_path, name, data[: len(data) * 3 // 4]))
    read = {path for path in paths(found) if path in files}
    assert len(read) > 5
    assert all(texts(found)[path] == files[path] for path in read)
    assert refused(found)["./"] is BrokenFile


@pytest.mark.parametrize("name", ["a.zip", *PACKERS])
@pytest.mark.parametrize("data", [b"", b"not an archive", b"PK\x05\x06", bytes(10_240)])
def test_what_is_no_archive_is_broken_or_empty(tmp_path: Path, name: str, data: bytes) -> None:
    found = found_in(put(tmp_path, name, data))
    assert paths(found) == []
    assert refused(found) == {"./": BrokenFile} or (name == "a.tar" and data == bytes(10_240))


def test_a_damaged_entry_breaks_alone(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.bin": noise(5000), "b.md": b"fine"}))
    data[2000] ^= 0xFF
    first, second = found_in(put(tmp_path, "a.zip", bytes(data)))
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    with pytest.raises(BrokenFile):
        first.load()
    assert second.load() == b"fine"


def test_a_damaged_archive_within_an_archive_is_refused_alone(tmp_path: Path) -> None:
    files = {"a.tgz": gzip.compress(b"x")[:-4], "b.md": b"b", "c.zip": b"nothing"}
    found = found_in(put(tmp_path, "a.zip", zipped(files)))
    assert texts(found) == {"b.md": b"b"}
    assert refused(found) == {"a.tgz/": BrokenFile, "c.zip/": BrokenFile}


def test_a_tar_whose_packing_fails_its_check_is_read_and_told(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(tarred({"a.md": b"a"})))
    data[-8] ^= 0xFF
    found = found_in(put(tmp_path, "a.tgz", bytes(data)))
    assert (paths(found), refused(found)) == (["a.md"], {"./": BrokenFile})


def test_an_entry_that_claims_more_bytes_than_the_archive_has_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.md": noise(100)}))
    at = data.index(b"PK\x01\x02") + 20
    data[at : at + 4] = struct.pack("<L", 10_000_000)
    assert refused(found_in(put(tmp_path, "a.zip", bytes(data)))) == {"a.md": BrokenFile}


def test_a_date_that_does_not_exist_is_no_date(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.md": b"x"}))
    at = data.index(b"PK\x01\x02") + 14
    data[at : at + 2] = b"\0\0"
    [item] = found_in(put(tmp_path, "a.zip", bytes(data)))
    assert isinstance(item, Item)
    assert item.modified is None


def test_several_packed_streams_in_a_row_are_one_tar(tmp_path: Path) -> None:
    data = tarred({"a.md": b"a", "b.md": noise(100_000)})
    for name, pack in PACKERS.items():
        halves = pack(data[:50_000]) + pack(data[50_000:])
        assert paths(found_in(put(tmp_path, name, halves))) == ["a.md", "b.md"]


def test_an_archive_that_vanished_hides_what_was_in_it(tmp_path: Path) -> None:
    place = place_of(str(put(tmp_path, "a.zip", zipped({"a.md": b""}))))
    (tmp_path / "a.zip").unlink()
    assert refused(list(items(place, SourceRules()))) == {"./": Unreachable}


SMALL = {
    "a.zip": zipped({"a.md": b"hello" * 30, "b/in.zip": zipped({"c.md": b"c"})}),
    "a.tar": tarred({"a.md": b"hello" * 30, "b/" + "n" * 120: b"long name"}),
    "a.tar.gz": zlib.compress(tarred({"a.md": b"hello"}), wbits=31),
    "a.tar.xz": lzma.compress(tarred({"a.md": b"hello"})),
}


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(sorted(SMALL)), st.data())
def test_no_damage_does_more_than_a_typed_refusal(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    content = bytearray(SMALL[name])
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    archive = put(tmp_path_factory.mktemp("damaged"), name, bytes(content))
    for what in found_in(archive):
        if isinstance(what, Item):
            try:
                assert len(what.load()) == what.size
            except SextantError as error:
                assert isinstance(error, BrokenFile)  # noqa: PT017
