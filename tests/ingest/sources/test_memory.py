"""A hostile corpus in a process of its own, whose resident memory is read at the end."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from sextant.ingest.sources.rules import MEGABYTE

READ_ALL = """
import resource, sys
from sextant.ingest.sources import SourceRules, items, place_of
from sextant.ingest.values import Item
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = peak()
loaded = refused = 0
for what in items(place_of(sys.argv[1]), SourceRules()):
    if isinstance(what, Item):
        loaded += len(what.load())
    else:
        refused += 1
print(peak() - before, loaded, refused)
"""
HUGE = 700 * MEGABYTE


class Zeros:
    """A file of zeros that is nowhere."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int) -> bytes:
        piece = bytes(min(size, self.left))
        self.left -= len(piece)
        return piece


def bombs(folder: Path) -> None:
    with (
        zipfile.ZipFile(folder / "flat.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as flat,
        flat.open("zeros.txt", "w", force_zip64=True) as file,
    ):
        for _ in range(HUGE // MEGABYTE):
            file.write(bytes(MEGABYTE))
    with zipfile.ZipFile(folder / "nested.zip", "w") as nested:
        nested.write(folder / "flat.zip", "inner.zip")
    with tarfile.open(folder / "bomb.tar.gz", "w:gz", compresslevel=1) as tar:
        info = tarfile.TarInfo("zeros.txt")
        info.size = HUGE
        tar.addfile(info, Zeros(HUGE))  # type: ignore[arg-type]
    with (folder / "sparse.txt").open("wb") as file:
        file.truncate(2 * 1024**3)


def test_bombs_and_huge_files_leave_memory_where_it_was(tmp_path: Path) -> None:
    bombs(tmp_path)
    (tmp_path / "fine.bin").write_bytes(bytes(8 * MEGABYTE))
    run = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    grown, loaded, refused = map(int, run.stdout.split())
    assert loaded == 8 * MEGABYTE
    assert refused == 4
    assert grown < 100


def test_a_long_list_of_entries_costs_little(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(20_000):
            archive.writestr(zipfile.ZipInfo(f"folder/{number:06}.md"), b"x")
    run = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    grown, loaded, _ = map(int, run.stdout.split())
    assert loaded == 20_000
    assert grown < 100
