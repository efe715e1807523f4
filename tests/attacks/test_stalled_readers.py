"""Files that are never read to an end, uploaded and cancelled: whoever else asks hears an answer.

The reader that never ends comes from a package beside ours, and says of each file which process is
at it. Nothing here waits for a time: a test that hangs has failed.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx2
import pytest

from tests.cli.commands import SETTINGS, hear, sextant, started
from tests.ingest.read.shapes import LEAD
from tests.ingest.test_isolate import is_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel about processes")

UPLOADS = 7
READER = """
import os
from sextant.plugins import FileFormat

def read(given):
    with open(given.data.decode(), "w") as told:
        told.write(f"{os.getpid()}\\n")
    while True:
        pass

FORMAT = FileFormat(read, endings=("stall",))
"""
FACT = b"# Harbor Queue\n\nTeam Phoenix owns the Harbor Queue.\n"
QUESTION = "Who owns the Harbor Queue?"
UNDERLINES = LEAD.encode() + b"=\n" * 200_000


@dataclass(frozen=True)
class Attacked:
    """A server, its process, who attacks, who else is there, and which processes read."""

    pid: int
    attacker: httpx2.Client
    victim: httpx2.Client
    pipe: Path
    readers: IO[str]

    def stall(self) -> str:
        """Upload a file that is never read to an end, and return the job."""
        return upload(self.attacker, "a.stall", str(self.pipe).encode())

    def reader(self) -> int:
        """Return the process that is at the next file."""
        return int(self.readers.readline())


def upload(client: httpx2.Client, name: str, data: bytes) -> str:
    reply = client.post("/api/ingest", files={"file": (name, data)})
    assert reply.status_code == 202, reply.text
    return str(reply.json()["id"])


def ended(client: httpx2.Client, job: str) -> dict[str, Any]:
    """Wait until a job is over, however long that takes."""
    while True:
        told: dict[str, Any] = client.get(f"/api/jobs/{job}", params={"wait": 30}).json()
        if told["state"] in ("done", "failed", "cancelled"):
            return told


def answer(client: httpx2.Client) -> str:
    return str(client.post("/api/ask", json={"query": QUESTION}).json()["answer"])


def install_reader(folder: Path) -> Path:
    site = folder / "site"
    metadata = site / "stall-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "stall.py").write_text(READER)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stall\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[sextant.formats]\nstall = stall:FORMAT\n")
    return site


@contextmanager
def attacked(folder: Path) -> Iterator[Attacked]:
    (folder / "sextant.toml").write_text(SETTINGS)
    keys = [
        re.findall(r"\S{30,}", sextant(folder, *create, tenant).stdout)[0]
        for tenant in ("attacker", "victim")
        for create in [("keys", "create", "--role", "write", "--role", "search", "-n", "k", "-t")]
    ]
    pipe = folder / "readers"
    os.mkfifo(pipe)
    with (
        started(
            folder,
            *("serve", "--port", "0", "--auth", "api-key"),
            patience_s=600,
            PYTHONPATH=str(install_reader(folder)),
        ) as child,
        os.fdopen(os.open(pipe, os.O_RDWR), "r") as readers,
    ):
        url = re.findall(r"http://127\.0\.0\.1:\d+", hear(child.stdout, r"http://127\.0\.0\.1:\d+"))
        clients = [
            httpx2.Client(base_url=url[0], headers={"Authorization": f"Bearer {key}"}, timeout=300)
            for key in keys
        ]
        with clients[0] as attacker, clients[1] as victim:
            yield Attacked(child.pid, attacker, victim, pipe, readers)
        child.send_signal(signal.SIGTERM)
        assert child.wait() == 0


def test_uploads_that_never_end_and_are_cancelled_leave_others_their_answers(
    tmp_path: Path,
) -> None:
    with attacked(tmp_path) as one:
        assert ended(one.victim, upload(one.victim, "fact.md", FACT))["state"] == "done"
        for _ in range(UPLOADS):  # each was once read for half a minute, in a thread of the server
            job = upload(one.attacker, "lines.md", UNDERLINES)
            one.attacker.delete(f"/api/jobs/{job}")
            ended(one.attacker, job)
        for _ in range(UPLOADS):
            job = one.stall()
            process = one.reader()
            assert one.attacker.delete(f"/api/jobs/{job}").status_code in (200, 202)
            assert ended(one.attacker, job)["state"] == "cancelled"
            assert is_gone(process)
        held = [one.stall() for _ in range(UPLOADS)]
        process = one.reader()
        assert "Phoenix" in answer(one.victim)
        ready = one.victim.get("/ready")
        assert (ready.status_code, ready.json()["status"]) == (200, "ready")
        more = upload(one.victim, "more.md", FACT.replace(b"Harbor", b"Winter"))
        assert ended(one.victim, more)["state"] == "done"
        for job in held:
            one.attacker.delete(f"/api/jobs/{job}")
        assert is_gone(process)
        job = one.stall()
        process = one.reader()
    assert is_gone(process)
