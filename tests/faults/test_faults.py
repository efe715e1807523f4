from __future__ import annotations

import asyncio
import errno
import random
import shutil
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sextant.errors import NotAStore, StoreDamaged, StoreError
from sextant.ports import Store
from sextant.query import Query
from sextant.stores.sqlite.upkeep.backup import restore
from sextant.types import Found
from tests.faults.shim import Disk, build, run_worker
from tests.faults.worker import SEED, WRITER, large_put
from tests.torture.model import (
    ALL,
    WORDS,
    Model,
    Operation,
    Rebuild,
    Write,
    make_put,
    observe,
    open_here,
    operation,
    perform,
    version_of,
)
from tests.torture.verify import strays, sweeping

BOTH = pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
OPERATIONS = 60
FULL_OR_BROKEN = {"StoreFull", "StoreUnwritable"}


@dataclass(frozen=True, slots=True)
class Made:
    """A store with segments and a tail, closed, and what it holds."""

    folder: Path
    model: Model


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("original") / "store"
    return Made(folder, make_store(folder))


@pytest.fixture(scope="session")
def segmented(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("segmented") / "store"
    return Made(folder, make_segments(folder, 3_600, 140, 5))


@pytest.fixture
def made(original: Made, tmp_path: Path) -> Made:
    return Made(shutil.copytree(original.folder, tmp_path / "store"), original.model)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("shim"))


T = TypeVar("T")
Lines = Sequence[dict[str, Any]]


def in_store(folder: Path, task: Callable[[Store], Awaitable[T]]) -> T:
    async def run() -> T:
        store = await open_here(folder)
        try:
            return await task(store)
        finally:
            await store.admin.close()

    return asyncio.run(run())


def make_store(folder: Path) -> Model:
    model = Model()

    async def task(store: Store) -> None:
        for number in range(OPERATIONS):
            act = operation(SEED, WRITER, number)
            await perform(store, act, await version_of(store, act))
            model.apply(act)

    in_store(folder, task)
    return model


def outcomes(before: Model, lines: Lines) -> list[Model]:
    """Return what may be there: all that was acknowledged, and perhaps one that failed since."""
    model, failed, pending = before.copy(), list[Operation](), None
    for line in lines:
        if "intent" in line:
            pending = operation(SEED, WRITER, line["intent"])
        elif "done" in line and pending is not None:
            model.apply(pending)
            failed, pending = [], None
        elif "failed" in line and pending is not None:
            failed, pending = [*failed, pending], None
    possible = [model]
    for act in failed:
        possible.append(model.copy())
        possible[-1].apply(act)
    return possible


def errors(lines: Lines) -> set[str]:
    return {line["error"] for line in lines if "failed" in line}


def last(lines: Lines, name: str) -> Any:
    return next(line[name] for line in reversed(lines) if name in line)


def assert_whole(folder: Path, possible: Sequence[Model]) -> None:
    """The store holds one of these, its arrays agree, it takes more, and then it is tidy."""

    async def task(store: Store) -> None:
        assert await observe(store) in [model.lines() for model in possible]
        assert await store.admin.check(ALL) == []
        await store.truth.write(ALL, [sweeping(1)])
        assert await store.admin.check(ALL) == []

    in_store(folder, task)
    assert strays(folder) == []


def strive(made: Made, library: Path, disk: Disk, operations: int = 50) -> Lines:
    """Go on writing while the disk fails, and return what a worker said of it."""
    task = ("strive", made.folder, disk.every, OPERATIONS, operations)
    return run_worker(*task, library=library, disk=disk, below=made.folder)


@BOTH
@pytest.mark.parametrize("every", [3, 7, 29, 101])
def test_operations_on_a_failing_disk_are_done_or_raise_a_typed_error(
    made: Made, library: Path, every: int, error: int
) -> None:
    lines = strive(made, library, Disk(every, error))
    assert errors(lines)
    assert errors(lines) <= FULL_OR_BROKEN
    possible = outcomes(made.model, lines)
    assert last(lines, "seen") in [model.lines() for model in possible]
    assert_whole(made.folder, possible)


@BOTH
def test_operations_whose_sync_fails_are_not_acknowledged(
    made: Made, library: Path, error: int
) -> None:
    lines = strive(made, library, Disk(2, error, calls="s"))
    assert errors(lines)
    assert errors(lines) <= FULL_OR_BROKEN
    assert_whole(made.folder, outcomes(made.model, lines))


@BOTH
def test_segments_that_cannot_be_written_cost_no_write(
    made: Made, library: Path, error: int
) -> None:
    lines = strive(made, library, Disk(2, error, named="/segments"))
    failed = [line for line in lines if "failed" in line]
    acts = [operation(SEED, WRITER, line["intent"]) for line in lines if "intent" in line]
    assert last(lines, "injected") > 0
    assert len(failed) <= sum(isinstance(act, Rebuild) for act in acts)
    assert_whole(made.folder, outcomes(made.model, lines))


@BOTH
@pytest.mark.parametrize("every", [1, 2, 5, 40])
def test_store_that_could_not_be_made_can_be_made_later(
    tmp_path: Path, library: Path, every: int, error: int
) -> None:
    folder = tmp_path / "store"
    disk = Disk(every, error)
    lines = run_worker("start", folder, every, library=library, disk=disk, below=tmp_path)
    assert errors(lines) <= FULL_OR_BROKEN
    assert last(lines, "done") == 0
    assert_whole(folder, outcomes(Model(), lines))


@BOTH
@pytest.mark.parametrize("every", [1, 3, 10])
def test_backup_that_fails_leaves_nothing_behind_and_can_be_tried_again(
    made: Made, tmp_path: Path, library: Path, every: int, error: int
) -> None:
    target = tmp_path / "backups" / "backup.tar"
    target.parent.mkdir()
    task, disk = ("back_up", made.folder, every, target), Disk(every, error)
    lines = run_worker(*task, library=library, disk=disk, below=target.parent)
    assert errors(lines) == ({"StoreFull"} if error == errno.ENOSPC else {"StoreUnwritable"})
    assert [line["left"] for line in lines if "left" in line] == [[], ["backup.tar"]]
    restore(target, tmp_path / "restored")
    assert_whole(tmp_path / "restored", [made.model])
    assert_whole(made.folder, [made.model])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("missing: the right to mount a tmpfs, to have a small disk that fills up")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def filled(before: Model, lines: Lines) -> list[Model]:
    model = before.copy()
    for line in lines:
        if "kept" in line:
            model.apply(Write((large_put(line["kept"]),)))
    return [model]


def test_full_disk_keeps_what_was_acknowledged_and_goes_on_once_there_is_room(
    small_disk: Path,
) -> None:
    folder, ballast = small_disk / "store", small_disk / "ballast"
    ballast.write_bytes(bytes(4 << 20))
    lines = run_worker("fill", folder, 0)
    kept = filled(Model(), lines)
    assert errors(lines) == {"StoreFull"}
    assert last(lines, "seen") == kept[0].lines()
    again = run_worker("fill", folder, 1_000)
    assert errors(again) <= FULL_OR_BROKEN
    kept = filled(kept[0], again)
    ballast.unlink()
    assert_whole(folder, kept)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody can reach, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="sextant-faults-"))
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    shutil.rmtree(folder)


def test_empty_folder_that_may_not_be_written_is_refused(public: Path) -> None:
    folder = public / "store"
    folder.mkdir(mode=0o555)
    lines = run_worker("trespass", folder)
    assert [(line["failed"], line["error"]) for line in lines] == [("open", "StoreUnwritable")]
    assert list(folder.iterdir()) == []


def test_store_that_may_not_be_written_refuses_writes(original: Made, public: Path) -> None:
    folder = shutil.copytree(original.folder, public / "store")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    lines = run_worker("trespass", folder)
    assert "write" in {line["failed"] for line in lines}
    assert errors(lines) == {"StoreUnwritable"}
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert_whole(folder, [original.model])


def test_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(NotAStore):
        asyncio.run(open_here(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def make_segments(folder: Path, *sizes: int) -> Model:
    """Make a store with a segment of each size; larger ones come first, or they are merged."""
    model = Model()
    for at, size in enumerate(sizes):
        put = make_put(random.Random(at), f"a-{at}", at, size)
        in_store(folder, lambda store, put=put: store.truth.write(ALL, [put]))  # type: ignore[misc]
        model.apply(Write((put,)))
    return model


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at in range(0, len(content), 97):
        content[at] ^= 0x10
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


EACH = {"first": slice(0, 1), "last": slice(-1, None), "all": slice(None)}


async def answers(store: Store) -> list[Found]:
    return [await store.index.search(ALL, Query(word, k=50)) for word in WORDS]


@pytest.fixture(scope="session")
def undamaged(segmented: Made) -> list[Found]:
    return in_store(segmented.folder, answers)


@pytest.mark.parametrize(
    ("which", "damage"),
    [("all", damage) for damage in (flip, cut, empty, grow, Path.unlink)]
    # How a file is damaged and where it stands are found out apart.
    + [(which, damage) for which in ("first", "last") for damage in (flip, Path.unlink)],
)
def test_damaged_segments_change_no_answer_and_are_replaced(
    segmented: Made,
    undamaged: list[Found],
    tmp_path: Path,
    which: str,
    damage: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = shutil.copytree(segmented.folder, tmp_path / "store")
    files = sorted(folder.glob("tenants/*/segments/*.seg"))
    assert len(files) == 3
    for path in files[EACH[which]]:
        damage(path)
    assert in_store(folder, answers) == undamaged
    assert "is damaged" in caplog.text
    assert_whole(folder, [segmented.model])
    caplog.clear()
    in_store(folder, answers)
    assert caplog.text == ""


def garbage(path: Path, start: int, size: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(random.Random(start).randbytes(size))


def truth_of(folder: Path) -> Path:
    (path,) = folder.glob("tenants/*/truth.db")
    return path


@pytest.mark.parametrize("size", [16, 100, 4_096, 1 << 20])
def test_database_that_is_none_is_refused(made: Made, size: int) -> None:
    garbage(truth_of(made.folder), 0, size)
    with pytest.raises((NotAStore, StoreDamaged)):
        in_store(made.folder, lambda store: store.index.search(ALL, Query(WORDS[0])))
    with pytest.raises((NotAStore, StoreDamaged)):
        in_store(made.folder, lambda store: store.truth.write(ALL, [sweeping(1)]))


async def use_all(store: Store) -> None:
    await answers(store)
    await observe(store)
    await store.admin.check(ALL)
    await store.truth.write(ALL, [sweeping(1)])
    await store.admin.check(ALL)


def test_database_with_a_bad_page_works_or_says_so(original: Made, tmp_path: Path) -> None:
    pages = truth_of(original.folder).stat().st_size // 4_096
    said = set()
    for page in range(1, pages):
        folder = shutil.copytree(original.folder, tmp_path / f"bad-{page}")
        garbage(truth_of(folder), page * 4_096, 4_096)
        try:
            in_store(folder, use_all)
        except StoreError as error:
            said.add(type(error))
    assert said == {StoreDamaged}
