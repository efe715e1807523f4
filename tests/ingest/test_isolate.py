"""Reading in a process apart: it may hang, die or eat memory, and nothing of it is left behind."""

import asyncio
import io
import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable

import openpyxl
import pytest

from sextant.errors import BrokenFile, ReadError, SextantError, TooMuch
from sextant.ingest.isolate import Isolation, IsolationLimits
from sextant.ingest.keeping.draft import Draft
from sextant.ingest.read import read
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.ingest.shaping.shape import Shaping, drafts_of
from sextant.ingest.shaping.wire import Order
from sextant.ingest.values import Item
from sextant.limits import Limits

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel about processes")


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Services", 0)
    sheet.append(["Name", "Owner"])
    sheet.append(["A", "Team Y"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


TEXT = b"# A\n\nOwned by Team Y."
HUNGRY = b"[" + b"[]," * 4_000_000 + b"[]]"
SHAPING = Shaping("docs", Ruling(), 800, Limits())
MARKS = Marks(("a tag",), ("boss",), reputation=0.25, ruled=("boss",))


def order(path: str, data: bytes) -> Order:
    return Order(path, data, "", None, "", "as it was", MARKS)


def drafts(path: str, data: bytes) -> tuple[Draft, ...]:
    """Return what is made of a file in this process."""
    item = Item(path, lambda: data, len(data))
    return tuple(drafts_of(item, read(path, data), "as it was", SHAPING, MARKS))


async def read_apart(isolation: Isolation, path: str, data: bytes) -> tuple[Draft, ...]:
    (read_one,) = await isolation.read([order(path, data)], SHAPING)
    if isinstance(read_one, SextantError):
        raise read_one
    return read_one.drafts


WANTED = drafts("a.md", TEXT)


def pids(isolation: Isolation) -> list[int]:
    return [worker._process.pid for worker in isolation._all]


def is_gone(pid: int) -> bool:
    """Wait until a process is gone, however long that takes."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watch], [], [], 60)[0])
    finally:
        os.close(watch)


async def test_a_worker_reads_what_would_be_read_here_and_is_kept() -> None:
    isolation = Isolation()
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    before = pids(isolation)
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    assert pids(isolation) == before
    await isolation.close()


async def test_office_files_are_read_apart() -> None:
    isolation = Isolation()
    data = workbook()
    assert await read_apart(isolation, "a.xlsx", data) == drafts("a.xlsx", data)
    await isolation.close()


async def test_errors_come_back_as_they_were_raised() -> None:
    isolation = Isolation()
    with pytest.raises(BrokenFile, match="named like a xlsx") as caught:
        await read_apart(isolation, "a.xlsx", b"text")
    assert caught.value.hint
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    await isolation.close()


async def test_no_more_workers_are_kept_than_are_wanted() -> None:
    isolation = Isolation(IsolationLimits(idle=2))
    found = await asyncio.gather(*(read_apart(isolation, "a.md", TEXT) for _ in range(3)))
    assert found == [WANTED] * 3
    assert len(pids(isolation)) == 2
    await isolation.close()


async def test_one_worker_reads_several_files_in_order() -> None:
    isolation = Isolation()
    files = [("a.md", TEXT), ("b.xlsx", b"no book"), ("c.txt", b"Harbor Queue is up.")]
    first, second, third = await isolation.read([order(*file) for file in files], SHAPING)
    assert isinstance(second, BrokenFile)
    assert [getattr(one, "drafts", ()) for one in (first, third)] == [
        drafts(*files[0]),
        drafts(*files[2]),
    ]
    assert len(pids(isolation)) == 1
    await isolation.close()


@linux
async def test_the_files_after_one_that_costs_too_much_are_read() -> None:
    isolation = Isolation(IsolationLimits(megabytes=200))
    files = [("a.md", TEXT), ("b.json", HUNGRY), ("c.md", TEXT)]
    first, second, third = await isolation.read([order(*file) for file in files], SHAPING)
    assert isinstance(second, TooMuch)
    assert "200 MB" in second.message
    assert "read_megabytes" in second.hint
    assert getattr(first, "drafts", ()) == WANTED
    assert getattr(third, "drafts", ()) == drafts("c.md", TEXT)
    await isolation.close()


@linux
async def test_a_worker_that_hangs_costs_its_file_only() -> None:
    isolation = Isolation(IsolationLimits(seconds=4))
    await read_apart(isolation, "a.md", TEXT)
    (hung,) = pids(isolation)
    os.kill(hung, signal.SIGSTOP)
    with pytest.raises(TooMuch, match="longer than 4 s"):
        await read_apart(isolation, "a.md", TEXT)
    assert is_gone(hung)
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    await isolation.close()


@linux
async def test_a_worker_that_died_is_replaced() -> None:
    isolation = Isolation()
    await read_apart(isolation, "a.md", TEXT)
    (dead,) = pids(isolation)
    os.kill(dead, signal.SIGKILL)
    assert is_gone(dead)
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    await isolation.close()


@linux
async def test_a_file_that_takes_too_much_memory_is_refused_and_the_next_is_read() -> None:
    isolation = Isolation(IsolationLimits(megabytes=200))
    with pytest.raises(TooMuch, match="memory"):
        await read_apart(isolation, "a.json", HUNGRY)
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    await isolation.close()


@linux
async def test_a_worker_that_cannot_even_take_the_file_is_an_error_of_the_file() -> None:
    isolation = Isolation(IsolationLimits(megabytes=1))
    with pytest.raises(ReadError):
        await read_apart(isolation, "a.md", TEXT * 500_000)
    await isolation.close()
    assert pids(isolation) == []


@linux
async def test_cancelling_a_read_ends_its_worker() -> None:
    isolation = Isolation()
    await read_apart(isolation, "a.md", TEXT)
    (worker,) = pids(isolation)
    os.kill(worker, signal.SIGSTOP)
    reading = asyncio.create_task(read_apart(isolation, "a.md", TEXT))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert is_gone(worker)
    assert await read_apart(isolation, "a.md", TEXT) == WANTED
    await isolation.close()


@linux
def test_closing_leaves_no_process() -> None:
    async def run() -> list[int]:
        isolation = Isolation()
        await asyncio.gather(*(read_apart(isolation, "a.md", TEXT) for _ in range(2)))
        workers = pids(isolation)
        await isolation.close()
        return workers

    assert all(map(is_gone, asyncio.run(run())))


PARENT = textwrap.dedent("""
    import asyncio, sys
    from sextant.ingest.isolate import Isolation
    from tests.ingest.test_isolate import TEXT, read_apart

    async def run():
        isolation = Isolation()
        await read_apart(isolation, "a.md", TEXT)
        (worker,) = isolation._all
        print(worker._process.pid, flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())
""")


def ignore_ctrl_c() -> None:
    """Begin as a shell that is no terminal begins what it puts into the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@linux
@pytest.mark.parametrize(
    ("way", "began"),
    [
        (signal.SIGKILL, None),
        (signal.SIGINT, None),
        (signal.SIGTERM, None),
        (signal.SIGTERM, ignore_ctrl_c),
    ],
)
@pytest.mark.parametrize("busy", [False, True])
def test_a_worker_dies_with_its_parent(
    way: signal.Signals, began: Callable[[], None] | None, busy: bool
) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=began,
    )
    with parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        if busy:  # one that does not look at its input
            os.kill(worker, signal.SIGSTOP)
        os.killpg(parent.pid, way) if way == signal.SIGINT else parent.send_signal(way)
        assert parent.wait() != 0
        assert is_gone(worker)
