"""A store as one file, and back."""

import asyncio
import io
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sextant.errors import (
    Conflict,
    NotAStore,
    NotFound,
    StoreDamaged,
)
from sextant.ports import Store
from sextant.stores.sqlite.store import restore_store
from sextant.testing.store_suite import samples
from sextant.testing.store_suite.samples import SCOPE
from sextant.types import Scope
from tests.stores.sqlite.house import fill, lines, truth, use


def test_a_backup_of_a_store_in_use_restores_to_an_equal_store(tmp_path: Path) -> None:
    async def back_up(store: Store) -> list[str]:
        await fill(store)
        await store.truth.write(Scope("other"), [samples.runbook()])
        before = await lines(store)
        writing = asyncio.gather(
            *(
                store.truth.write(Scope("busy"), [replace(samples.runbook(), key=str(at))])
                for at in range(20)
            )
        )
        assert await store.admin.backup(tmp_path / "b.tar") == (tmp_path / "b.tar").stat().st_size
        await writing
        return before

    before = use(tmp_path / "s", back_up)
    tenants = restore_store(tmp_path / "b.tar", tmp_path / "restored")
    assert {"acme", "other"} <= set(tenants)
    assert use(tmp_path / "restored", lines) == before
    use(
        tmp_path / "restored",
        lambda store: store.truth.write(SCOPE, [replace(samples.policy(), key="x")]),
    )
    assert not use(tmp_path / "restored", lambda store: store.admin.check(SCOPE))


def test_a_backup_overwrites_nothing_and_a_restore_only_an_empty_folder(tmp_path: Path) -> None:
    async def twice(store: Store) -> None:
        await fill(store)
        await store.admin.backup(tmp_path / "b.tar")
        (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
        for taken in ("b.tar", "dangling"):
            with pytest.raises(Conflict, match="exists already"):
                await store.admin.backup(tmp_path / taken)

    use(tmp_path / "s", twice)
    with pytest.raises(Conflict, match="not empty"):
        restore_store(tmp_path / "b.tar", tmp_path / "s")
    (tmp_path / "empty").mkdir()
    assert restore_store(tmp_path / "b.tar", tmp_path / "empty") == ["acme"]


def test_a_damaged_or_foreign_backup_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    async def back_up(store: Store) -> None:
        await fill(store)
        await store.admin.backup(tmp_path / "b.tar")

    use(tmp_path / "s", back_up)
    whole = (tmp_path / "b.tar").read_bytes()
    middle = len(whole) // 2
    bad = {
        "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        "cut": whole[: middle // 512 * 512],
        "text": b"not a backup",
        "empty": b"",
    }
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        archive.add(tmp_path / "b.tar", "../evil")
    bad["evil"] = (tmp_path / "evil.tar").read_bytes()
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises((StoreDamaged, NotAStore)):
            restore_store(tmp_path / name, tmp_path / "restored")
        assert not (tmp_path / "restored").exists()
    with pytest.raises(NotFound):
        restore_store(tmp_path / "nowhere", tmp_path / "restored")


def test_a_damaged_database_is_not_backed_up_as_if_it_were_whole(tmp_path: Path) -> None:
    use(tmp_path / "s", fill)
    pages = bytearray(truth(tmp_path / "s").read_bytes())
    for at in range(4_096, len(pages), 4_096):
        pages[at + 3 : at + 12] = b"\xff" * 9  # how many cells a page has, and where
    truth(tmp_path / "s").write_bytes(pages)
    with pytest.raises(StoreDamaged, match="'acme'"):
        use(tmp_path / "s", lambda store: store.admin.backup(tmp_path / "b.tar"))
    assert not (tmp_path / "b.tar").exists()


def test_of_two_backups_to_one_file_one_is_written_and_the_other_refused(tmp_path: Path) -> None:
    async def twice(store: Store) -> list[Any]:
        await fill(store)
        both = (store.admin.backup(tmp_path / "b.tar") for _ in range(2))
        return await asyncio.gather(*both, return_exceptions=True)

    told = use(tmp_path / "s", twice)
    assert sorted(type(one).__name__ for one in told) == ["Conflict", "int"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tar", "s"]
    assert restore_store(tmp_path / "b.tar", tmp_path / "restored") == ["acme"]


@pytest.mark.parametrize("sums", ["5", '"x"', "[1]", "[" * 100_000], ids=len)
def test_a_backup_whose_list_is_none_is_refused(tmp_path: Path, sums: str) -> None:
    said = f'{{"format": 2, "sha256": {sums}}}'.encode()
    with tarfile.open(tmp_path / "b.tar", "w") as archive:
        member = tarfile.TarInfo("sextant-backup.json")
        member.size = len(said)
        archive.addfile(member, io.BytesIO(said))
    with pytest.raises(StoreDamaged, match="list"):
        restore_store(tmp_path / "b.tar", tmp_path / "restored")
