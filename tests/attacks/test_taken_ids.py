"""That an id is taken may be learnt; whose it is, from where and who sees it may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2

from tests.attacks.test_reputation import call, upsert
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import TENANT, api, post

HELD: dict[str, dict[str, Any]] = {
    "seen": {},
    "hidden": {"personas": ["boss"]},
    "elsewhere": {"name": "wiki"},
    "hidden-elsewhere": {"name": "wiki", "personas": ["boss"]},
}


async def refusal(client: httpx2.AsyncClient, document_id: str) -> dict[str, Any]:
    """Try to bring a document, and return how that is refused, without its id."""
    job = (await post(client, {"documents": [{"id": document_id, "text": "Mine."}]})).json()
    failed = [{**one, "path": ""} for one in job["report"]["failed"]]
    return {"problem": job["problem"], "failed": failed, "state": job["state"]}


@in_loop
async def test_an_id_of_somebody_else_is_refused_in_the_same_words(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client(roles=TENANT, personas=["*"]) as owner,
        door.client() as stranger,
        door.client(personas=["boss"]) as boss,
    ):
        for name, options in HELD.items():
            body = {"documents": [{"id": name, "text": "The secret."}], **options}
            assert (await post(owner, body)).json()["state"] == "done"
        told = [await refusal(one, name) for one in (stranger, boss) for name in HELD]
        assert told[0]["problem"]["detail"] == "That id is taken."
        assert all(one == told[0] for one in told)
        written = [await upsert(one, name) for one in (stranger, boss) for name in HELD]
        assert "That id is taken." in written[0]["content"][0]["text"]
        assert all(one == written[0] for one in written)


@in_loop
async def test_what_is_hidden_is_deleted_in_the_same_words_as_what_is_not_there(
    tmp_path: Path,
) -> None:
    async with (
        api(tmp_path) as door,
        door.client(roles=TENANT, personas=["*"]) as owner,
        door.client() as stranger,
    ):
        body = {"documents": [{"id": "hidden", "text": "The secret."}], "personas": ["boss"]}
        assert (await post(owner, body)).json()["state"] == "done"
        answers = [await stranger.delete(f"/api/documents/{name}") for name in ("hidden", "no")]
        assert [one.status_code for one in answers] == [404, 404]
        entries = [
            await call(stranger, "KnowledgeStore.DeleteEntry", EntryId=name)
            for name in ("hidden#c0", "no#c0")
        ]
        assert entries[0] == entries[1]
