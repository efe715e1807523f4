"""A server that is killed again and again: whatever it acknowledged is there in the end, whole."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import httpx2

from tests.serve.jobs.killing import TOKEN, Life
from tests.serve.jobs.working import in_loop

KILLS, SENDERS = 4, 3
PARAGRAPH = "Nothing of note happens in {name}, and it goes on for quite a while, as such do. "


def text_of(name: str) -> str:
    """Return a text of several chunks in which the name is the only news."""
    return "\n\n".join(f"Part {part}. " + PARAGRAPH.format(name=name) * 2 for part in range(6))


class Senders:
    """Uploads one file after the other, each once, and notes which were acknowledged."""

    def __init__(self) -> None:
        self.tried: set[str] = set()
        self.acknowledged: dict[str, str] = {}

    async def send(self, url: str, countdown: int, life: Life) -> None:
        """Upload from several places at once until so many are acknowledged; then it dies."""
        goal = len(self.acknowledged) + countdown
        async with client_of(url) as client:
            sending = [asyncio.create_task(self._go_on(client, goal)) for _ in range(SENDERS)]
            await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
            life.kill()
            for outcome in await asyncio.gather(*sending, return_exceptions=True):
                assert outcome is None or isinstance(outcome, httpx2.TransportError), outcome

    async def _go_on(self, client: httpx2.AsyncClient, goal: int) -> None:
        while len(self.acknowledged) < goal:
            name = f"Harbor{len(self.tried):03}"
            self.tried.add(name)
            files = {"file": (f"{name}.md", f"# {name}\n\n{text_of(name)}".encode())}
            response = await client.post("/api/ingest", files=files)
            assert response.status_code == 202, response.text
            self.acknowledged[name] = response.headers["location"]


def client_of(url: str) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return httpx2.AsyncClient(base_url=url, headers=headers, timeout=60)


@in_loop
async def test_what_was_acknowledged_survives_any_kill(tmp_path: Path) -> None:
    rng, senders = random.Random("kill"), Senders()
    life = Life(tmp_path)
    for _ in range(KILLS):
        url = await asyncio.to_thread(life.url)
        heir = Life(tmp_path)
        if rng.random() < 0.5:  # it is there before, and notices by itself that this one died
            await asyncio.to_thread(heir.url)
        await senders.send(url, rng.randint(1, 6), life)
        life = heir
    try:
        async with client_of(await asyncio.to_thread(life.url)) as client:
            for location in senders.acknowledged.values():
                assert (await _ended(client, location))["state"] == "done"
            await _check(client, senders, tmp_path)
    finally:
        life.kill()


async def _ended(client: httpx2.AsyncClient, location: str) -> dict[str, Any]:
    while True:
        response = await client.get(location, params={"wait": 30})
        assert response.status_code == 200, response.text
        job: dict[str, Any] = response.json()
        if job["state"] not in ("queued", "running"):
            return job


async def _check(client: httpx2.AsyncClient, senders: Senders, home: Path) -> None:
    """Every acknowledged document can be found, and none is half there."""
    assert len(senders.acknowledged) >= KILLS
    found = (await client.get("/api/documents", params={"limit": 1000})).json()["documents"]
    names = {document["title"] for document in found}
    assert set(senders.acknowledged) <= names <= senders.tried
    whole = {name: await _read(client, name) for name in names}
    for name, text in whole.items():
        assert text == "".join(text_of(name).split())
    for name in senders.acknowledged:
        asked = {"query": f"What happens in {name}?", "topK": 3}
        results = (await client.post("/api/search", json=asked)).json()["results"]
        assert f"upload/{name}.md" in {result["documentId"] for result in results}
    jobs = (await client.get("/api/jobs", params={"limit": 1000})).json()["jobs"]
    for job in jobs:
        await _ended(client, f"/api/jobs/{job['id']}")
    async with asyncio.timeout(30):  # files go right after their job is said to be over
        while list((home / "s.serve" / "spool").iterdir()):
            await client.get("/api/jobs", params={"limit": 1})


async def _read(client: httpx2.AsyncClient, name: str) -> str:
    """Return the text of a document without its blanks."""
    page = (await client.get(f"/api/documents/upload/{name}.md")).json()
    return "".join("".join(chunk["text"].split()) for chunk in page["chunks"])
