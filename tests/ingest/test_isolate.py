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

from sextant.errors import BrokenFile, ReadError, TooMuch
from sextant.ingest.isolate import Isolation, IsolationLimits
from sextant.ingest.read import read

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
WANTED = read("a.md", TEXT)
HUNGRY = b"[" + b"[]," * 4_000_000 + b"[]]"


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
    assert await isolation.read("a.md", TEXT) == WANTED
    before = pids(isolation)
    assert await isolation.read("a.md", TEXT) == WANTED
    assert pids(isolation) == before
    await isolation.close()


async def test_office_files_are_read_apart() -> None:
    isolation = Isolation()
    data = workbook()
    assert await isolation.read("a.xlsx", data) == read("a.xlsx", data)
    await isolation.close()


async def test_errors_come_back_as_they_were_raised() -> None:
    isolation = Isolation()
    with pytest.raises(BrokenFile, match="named like a xlsx") as caught:
        await isolation.read("a.xlsx", b"text")
    assert caught.value.hint
    assert await isolation.read("a.md", TEXT) == WANTED
    await isolation.close()


async def test_more_files_than_workers_wait_for_their_turn() -> None:
    isolation = Isolation(IsolationLimits(workers=2))
    found = await asyncio.gather(*(isolation.read("a.md", TEXT) for _ in range(5)))
    assert found == [WANTED] * 5
    assert len(pids(isolation)) <= 2
    await isolation.close()


@linux
async def test_a_worker_that_hangs_costs_its_file_only() -> None:
    isolation = Isolation(IsolationLimits(seconds=4))
    await isolation.read("a.md", TEXT)
    (hung,) = pids(isolation)
    os.kill(hung, signal.SIGSTOP)
    with pytest.raises(TooMuch, match="longer than 4 s"):
        await isolation.read("a.md", TEXT)
    assert is_gone(hung)
    assert await isolation.read("a.md", TEXT) == WANTED
    await isolation.close()


@linux
async def test_a_worker_that_died_is_replaced() -> None:
    isolation = Isolation()
    await isolation.read("a.md", TEXT)
    (dead,) = pids(isolation)
    os.kill(dead, signal.SIGKILL)
    assert is_gone(dead)
    assert await isolation.read("a.md", TEXT) == WANTED
    await isolation.close()


@linux
async def test_a_file_that_takes_too_much_memory_is_refused_and_the_next_is_read() -> None:
    isolation = Isolation(IsolationLimits(memory=200 << 20))
    with pytest.raises(TooMuch, match="memory"):
        await isolation.read("a.json", HUNGRY)
    assert await isolation.read("a.md", TEXT) == WANTED
    await isolation.close()


@linux
async def test_a_worker_that_cannot_even_start_is_an_error_of_the_file() -> None:
    isolation = Isolation(IsolationLimits(memory=1 << 20))
    with pytest.raises(ReadError):
        await isolation.read("a.md", TEXT)
    await isolation.close()
    assert pids(isolation) == []


@linux
async def test_cancelling_a_read_ends_its_worker() -> None:
    isolation = Isolation()
    await isolation.read("a.md", TEXT)
    (worker,) = pids(isolation)
    os.kill(worker, signal.SIGSTOP)
    reading = asyncio.create_task(isolation.read("a.md", TEXT))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert is_gone(worker)
    assert await isolation.read("a.md", TEXT) == WANTED
    await isolation.close()


@linux
def test_closing_leaves_no_process() -> None:
    async def run() -> list[int]:
        isolation = Isolation()
        await asyncio.gather(*(isolation.read("a.md", TEXT) for _ in range(2)))
        workers = pids(isolation)
        await isolation.close()
        return workers

    assert all(map(is_gone, asyncio.run(run())))


PARENT = textwrap.dedent("""
    import asyncio, sys
    from sextant.ingest.isolate import Isolation

    async def run():
        isolation = Isolation()
        await isolation.read("a.json", b"[1]")
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
