"""Hostile files for every reader, sent as anybody sends files: read, or refused for a reason.

They are the shapes that once stalled a reader, as long as chance has it, then cut, bent, doubled,
spliced or called something else. The same seed makes the same files.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2

from tests.fuzz.inside import told_of_inside
from tests.fuzz.outcome import Outcome
from tests.fuzz.serving import Serving
from tests.ingest.read.shapes import PATHS, Make, shapes_of

AT_ONCE = 16
_LONGEST = 100_000
"""Signs of a shape: several times what stalled a reader for seconds when work was quadratic."""
_SLOW = {"docx": 2_000, "pptx": 4_000, "xlsx": 10_000}
"""Signs of formats whose parsers take a thousand calls for a paragraph."""
_MOST_MEGABYTES = 1_024
"""What a server takes at most that has read all of it; at rest it has about 150."""
_OUT_OF_TIME, _OUT_OF_MEMORY = "takes longer than", "parser crashed"
_OVER = ("done", "done_with_refusals", "failed")


@dataclass(frozen=True, slots=True)
class HostileFile:
    """A file, what it was made from, and whether its reader could still make sense of it."""

    name: str
    data: bytes
    made_of: str
    is_whole: bool


def make_file(seed: int, number: int) -> HostileFile:
    """Return the file of a number; the first of each format is as its shape has it."""
    rng = random.Random(f"{seed}/{number}")
    path = PATHS[number % len(PATHS)]
    shape, data = _shaped(rng, path)
    change = rng.choice(sorted(_CHANGES)) if number >= len(PATHS) else "none"
    name = f"{number}-{path}" if change != "renamed" else f"{number}-{rng.choice(PATHS)}"
    changed = _CHANGES[change](rng, data)
    return HostileFile(name, changed, f"{path}, {shape}, {change}", change in ("none", "doubled"))


def _shaped(rng: random.Random, path: str) -> tuple[str, bytes]:
    makers = _makers(path)
    shape = rng.choice(sorted(makers))
    longest = _SLOW.get(path.rpartition(".")[2], _LONGEST)
    size = round(longest ** rng.uniform(0.2, 1.0))
    return f"{size} signs of {shape}", makers[shape](size)


@cache
def _makers(path: str) -> dict[str, Make]:
    return shapes_of(path)


def _bent(rng: random.Random, data: bytes) -> bytes:
    bent = bytearray(data)
    for _ in range(rng.randint(1, 20)):
        bent[rng.randrange(len(bent))] = rng.randrange(256)
    return bytes(bent)


def _spliced(rng: random.Random, data: bytes) -> bytes:
    _, other = _shaped(rng, rng.choice(PATHS))
    return data[: rng.randrange(len(data))] + other[rng.randrange(len(other)) :]


_CHANGES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "none": lambda _, data: data,
    "renamed": lambda _, data: data,
    "doubled": lambda _, data: data + data,
    "cut": lambda rng, data: data[: rng.randrange(1, len(data) + 1)],
    "bent": _bent,
    "spliced": _spliced,
    "led by zeros": lambda rng, data: bytes(rng.randint(1, 64)) + data,
}


def send_files(server: Serving, cases: int, seed: int = 1) -> Outcome:
    """Send so many files, several in a job; what is wrong with what came of them is a failure."""
    outcome = Outcome()
    headers = {"Authorization": f"Bearer {server.token}"}
    with httpx2.Client(base_url=server.url, headers=headers, timeout=300) as http:
        for start in range(0, cases, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, cases))
            files = [make_file(seed, number) for number in numbers]
            try:
                _send(http, server, files, outcome)
            except (AssertionError, KeyError, ValueError, httpx2.HTTPError) as error:
                told = ", ".join(f"{one.name} ({one.made_of})" for one in files)
                outcome.failures.append(f"{type(error).__name__} {str(error)[:500]} of {told}")
        outcome.failures += _unwell(http, server)
    return outcome


def _send(
    http: httpx2.Client, server: Serving, files: Sequence[HostileFile], outcome: Outcome
) -> None:
    sent = http.post("/api/ingest", files=[("file", (one.name, one.data)) for one in files])
    assert sent.status_code == 202, sent.text
    job: dict[str, Any] = {"state": "queued"}
    while job["state"] not in _OVER:
        job = http.get(f"/api/jobs/{sent.json()['id']}", params={"wait": 30}).json()
        assert job["state"] in (*_OVER, "queued", "running"), job
    inside = told_of_inside(str(job), server.folder)
    assert not inside, f"The job tells {inside}."
    report = job["report"] or {}
    refused = {one["path"]: one for one in (*report["failed"], *report["skipped"])}
    for one in files:
        refusal = refused.get(one.name)
        outcome.note(one.name.partition("-")[2], refusal["code"] if refusal else "read")
        if refusal:
            outcome.failures += _wrong_refusals(one, refusal)


def _wrong_refusals(one: HostileFile, refusal: dict[str, str]) -> list[str]:
    """Return what is wrong with a refusal: no file here is so large that time or memory run out."""
    detail = refusal["detail"]
    is_wrong = _OUT_OF_TIME in detail or (one.is_whole and _OUT_OF_MEMORY in detail)
    is_wrong |= not (detail and refusal["hint"] and refusal["code"])
    return [f"{one.name} ({one.made_of}): {refusal}"] if is_wrong else []


def _unwell(http: httpx2.Client, server: Serving) -> list[str]:
    """Return what the server suffers from after all that."""
    wrong = []
    if (ready := http.get("/ready")).status_code != 200:
        wrong.append(f"The server is not ready: {ready.text}")
    asked = http.post("/api/ask", json={"query": "Who owns the payments service?"})
    if asked.status_code != 200:
        wrong.append(f"The server does not answer: {asked.text}")
    if (most := peak_megabytes(server.pid)) > _MOST_MEGABYTES:
        wrong.append(f"The server took {most} MB of memory.")
    return wrong


def peak_megabytes(pid: int) -> int:
    """Return how much memory a process took at most, where the system says so."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    lines = (line.split() for line in status.read_text().splitlines())
    return next(int(line[1]) >> 10 for line in lines if line and line[0] == "VmHWM:")
