"""`sextant serve` as a process that is watched, limited and killed. Knows requests, no round.

Beside our package lies a reader that never ends; of each file it says which process is at it.
"""

from __future__ import annotations

import os
import re
import resource
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.attacks.test_stalled_readers import install_reader
from tests.cli.commands import environment, hear

TOKEN = "token-for-torture-0123456789"
SETTINGS = """\
store = "sqlite:kept"
embedder = "tiny:16"
[ingest]
read_seconds = 3600
wait_seconds = 3600
[serve]
jobs = 4
requests_per_minute = 1000000
audit = false
"""
"""What hangs, or waits for a turn that nobody gives back, does so longer than we are patient."""
PATIENCE_S = 180.0
ENDED = ("done", "done_with_refusals", "failed", "cancelled")
_PORT = r"http://127\.0\.0\.1:(\d+)"


class Workplace:
    """A folder with settings, a reader that never ends, and where it says who reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "sextant.toml").write_text(SETTINGS)
        self.site = install_reader(folder)
        self.pipe = folder / "readers"
        os.mkfifo(self.pipe)
        self._readers = os.open(self.pipe, os.O_RDWR)

    def reader(self) -> int:
        """Return the process that is at the next file which never ends."""
        told = b""
        while not told.endswith(b"\n"):
            if not select.select([self._readers], [], [], PATIENCE_S)[0]:
                raise TimeoutError("No process reads.")
            told += os.read(self._readers, 1)
        return int(told)

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._readers)


class Server:
    """One life of a server."""

    def __init__(self, place: Workplace, files: int = 0) -> None:
        self._place = place
        self._log = place.folder / "log"
        with self._log.open("ab") as log, _few_files(files):
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sextant", "serve", "--port", "0"],
                cwd=place.folder,
                env=environment(PYTHONPATH=str(place.site), SEXTANT_TOKEN=TOKEN),
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self._watchdog = threading.Timer(PATIENCE_S, self._process.kill)
        self._watchdog.start()
        told = hear(self._process.stdout, "Ctrl.C")
        self.host, self.port = "127.0.0.1", int(re.findall(_PORT, told)[0])
        self.http = httpx2.Client(
            base_url=f"http://{self.host}:{self.port}",
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=PATIENCE_S,
        )

    def upload(self, tenant: str, name: str, data: bytes) -> httpx2.Response:
        """Send a file."""
        return self.http.post(
            "/api/ingest", params={"tenantId": tenant}, files={"file": (name, data)}
        )

    def stall(self, tenant: str) -> str:
        """Send a file that is never read to an end, and return the job."""
        return job_of(self.upload(tenant, "a.stall", str(self._place.pipe).encode()))

    def cancel(self, tenant: str, job: str) -> None:
        """Want a job no more."""
        reply = self.http.delete(f"/api/jobs/{job}", params={"tenantId": tenant})
        assert reply.status_code in (200, 202, 409), reply.text

    def ended(self, tenant: str, job: str) -> dict[str, Any]:
        """Wait until a job is over; the watchdog bounds how long that takes."""
        while True:
            query: dict[str, str | int] = {"tenantId": tenant, "wait": 30}
            told: dict[str, Any] = self.http.get(f"/api/jobs/{job}", params=query).json()
            if told["state"] in ENDED:
                return told

    def answer(self, tenant: str, question: str) -> str:
        """Ask."""
        reply = self.http.post("/api/ask", params={"tenantId": tenant}, json={"query": question})
        assert reply.status_code == 200, reply.text
        return str(reply.json()["answer"])

    def readers(self) -> set[int]:
        """Return the processes that this one has started and that live."""
        pid = self._process.pid
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return {int(child) for task in tasks for child in (task / "children").read_text().split()}

    def kill(self) -> None:
        """End it as no program can expect, unless it has ended."""
        self._process.kill()
        self._leave()

    def stop(self) -> list[str]:
        """End it politely, and return what is to be said against how it went."""
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait()
        self._leave()
        wrong = [] if code == 0 else [f"The server ended with {code}."]
        log = self._log.read_text()
        return wrong + ([f"The server's log: {log[-4_000:]}"] if "Traceback" in log else [])

    def _leave(self) -> None:
        self._watchdog.cancel()
        self.http.close()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


@contextmanager
def living(place: Workplace, files: int = 0) -> Iterator[Server]:
    """Let a server live until the block ends, and no longer."""
    server = Server(place, files)
    try:
        yield server
    finally:
        server.kill()


def job_of(reply: httpx2.Response) -> str:
    """Return the job that was acknowledged."""
    assert reply.status_code == 202, reply.text
    return str(reply.json()["id"])


@contextmanager
def _few_files(most: int) -> Iterator[None]:
    """Let processes that are started meanwhile hold no more files open; 0 is as many as we may."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
