"""POST /api/ingest: files, documents, bundles and addresses come in, and nothing else does."""

from __future__ import annotations

import asyncio
import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from sextant.serve.caller import Role
from sextant.serve.records.folder import server_folder
from sextant.settings import Rule
from tests.loopback import Answer, Request, answering
from tests.serve.jobs.working import in_loop
from tests.serve.rest.sending import CURATOR, TENANT, api, ids, post, refused, upload
from tests.serve.running import served, small

GUIDE = "# Guide\n\nHarbor Queue is owned by Team Y.\n"


HALF = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.md"\r\n\r\nhalf'


def spooled(folder: Path) -> list[str]:
    return [path.name for path in (server_folder(small(folder)) / "spool").iterdir()]


@in_loop
async def test_a_file_comes_in_as_a_job_that_can_be_followed(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        response = await client.post("/api/ingest", files={"file": ("guide.md", GUIDE)})
        assert response.status_code == 202
        job = response.json()
        assert response.headers["location"] == f"/api/jobs/{job['id']}"
        assert job["what"] == "guide.md"
        while job["state"] not in ("done", "failed"):
            job = (await client.get(response.headers["location"], params={"wait": 30})).json()
        assert (job["state"], job["report"]["added"], job["problem"]) == ("done", 1, None)
        page = (await client.get("/api/documents/upload/guide.md")).json()
        assert page["document"]["title"] == "Guide"
        assert str(tmp_path) not in str(page)
    assert spooled(tmp_path) == []


@in_loop
async def test_the_same_name_replaces_and_the_same_content_changes_nothing(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        first = await upload(client, {"a.md": GUIDE, "sub/b.md": GUIDE})
        again = await upload(client, {"a.md": GUIDE})
        other = await upload(client, {"a.md": "# New\n\nAll is new.\n"})
        reports = [one.json()["report"] for one in (first, again, other)]
        assert [one["added"] for one in reports] == [2, 0, 0]
        assert [one["unchanged"] for one in reports] == [0, 1, 0]
        assert [one["updated"] for one in reports] == [0, 0, 1]
        assert await ids(client) == ["upload/a.md", "upload/sub/b.md"]


@in_loop
async def test_options_of_an_upload_hold_for_its_files(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.md", GUIDE)
        archive.writestr("y.txt", "left out")
    fields = {"tags": ["one", "two,three"], "personas": "sre", "sourceType": "runbook"}
    async with served(small(tmp_path)) as server, server.client() as client:
        sent = {"docs.zip": packed.getvalue()}
        response = await upload(client, sent, name="wiki", sync="true", exclude="*.txt", **fields)
        assert response.json()["state"] == "done", response.text
        page = await client.get("/api/documents", params={"personaId": "sre"})
        [document] = page.json()["documents"]
        assert document["id"] == "wiki/docs.zip/x.md"
        assert document["tags"] == ["one", "three", "two"]
        assert (document["personas"], document["sourceType"]) == (["sre"], "runbook")
        await upload(client, {"new.md": GUIDE}, name="wiki", sync="true")
        assert await ids(client) == ["wiki/new.md"]


@in_loop
async def test_names_that_lead_elsewhere_or_cannot_be_are_refused(tmp_path: Path) -> None:
    astray = ("../up.md", "/etc/passwd", "a/../../b.md", ".hidden.md", "c/.git/x.md", "\\\\s\\x/..")
    clashing = (("a.md", "a.md"), ("a", "a/b.md"), ("x" * 300,))
    async with served(small(tmp_path)) as server, server.client() as client:
        for names in (*(("fine.md", name) for name in astray), *clashing):
            parts = [("file", (name, GUIDE)) for name in names]
            response = await client.post("/api/ingest", files=parts)
            assert response.status_code == 422, (names, response.text)
            assert spooled(tmp_path) == []
        assert (await upload(client, {}, note="no file")).status_code in (415, 422)
        assert not (await client.get("/api/jobs")).json()["jobs"]


BROKEN = (
    ("multipart/form-data", b"", 400),
    ("multipart/form-data; boundary=x", b"no boundary here", 400),
    ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data", 422),
    ("multipart/form-data; boundary=x", HALF, 422),
    ("text/plain", b"hello", 415),
    ("application/json", b"{", 400),
    ("application/json", b"[]", 422),
    ("application/json", b"{}", 422),
    ("application/json", b'{"documents": []}', 422),
    ("application/json", b'{"documents": [{"title": "no text"}]}', 422),
    ("application/json", b'{"documents": [{"id": "../x", "text": "t"}]}', 422),
    ("application/json", b'{"documents": [{"id": "x", "text": "\\ud800"}]}', 422),
    ("application/json", b'{"documents": [{"id": "x", "text": 5}]}', 422),
    ("application/json", b'{"documents": [{"text": "t"}], "url": "https://x.example"}', 422),
    ("application/json", b'{"documents": [{"text": "t"}], "sync": true}', 422),
    ("application/json", b'{"documents": [{"text": "t"}], "name": "a/b"}', 422),
    ("application/json", b'{"documents": [{"text": "t"}, {"text": "t"}]}', 422),
)


@in_loop
async def test_what_cannot_be_taken_is_a_problem(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        for kind, body, status in BROKEN:
            headers = {"Content-Type": kind}
            response = await client.post("/api/ingest", content=body, headers=headers)
            assert response.status_code == status, (body, response.text)
            assert response.headers["content-type"] == "application/problem+json"
            assert spooled(tmp_path) == []
        assert not (await client.get("/api/jobs")).json()["jobs"]


@in_loop
async def test_an_upload_over_the_limit_is_refused_whether_or_not_it_says_so(
    tmp_path: Path,
) -> None:
    async def pieces() -> Any:
        yield b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.md"\r\n\r\n'
        for _ in range(40):
            yield b"a" * 65_536
        yield b"\r\n--x--\r\n"

    async with served(small(tmp_path), upload_megabytes=1) as server, server.client() as client:
        refused(await upload(client, {"a.md": b"a" * 2_000_000}), 413, "too_large")
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        response = await client.post("/api/ingest", content=pieces(), headers=kind)
        refused(response, 413, "too_large")
        assert not (await client.get("/api/jobs")).json()["jobs"]
    assert spooled(tmp_path) == []


@in_loop
async def test_documents_come_in_as_json_with_all_they_say_of_themselves(tmp_path: Path) -> None:
    long = {
        "id": "runbooks/service-a",
        "title": 'Service A: "how" to',
        "url": "https://wiki.example/a",
        "text": "# Other\n\nService A depends on Harbor Queue. \N{ROCKET}",
        "sourceType": "runbook",
        "language": "en",
        "tags": ["one", "x: y"],
        "created": "2024-01-02T03:04:05Z",
        "modified": "2024-02-02T03:04:05+01:00",
        "metadata": {"owner": "Team\u0085 Y\x00", "level": 3, "list": ["a", "b"]},
    }
    body = {"documents": [long, {"content": "Short.", "title": "A/B", "personas": ["sre"]}]}
    async with served(small(tmp_path)) as server, server.client() as client:
        job = (await post(client, body, personaId="")).json()
        assert (job["state"], job["report"]["added"]) == ("done", 2), job
        document = (await client.get("/api/documents/runbooks/service-a")).json()
        told = document["document"]
        assert told["title"] == long["title"]
        assert (told["url"], told["sourceType"], told["language"]) == (
            long["url"], "runbook", "en"
        )  # fmt: skip
        assert told["tags"] == ["one", "x: y"]
        assert told["created"] == "2024-01-02T03:04:05Z"
        assert told["modified"] == "2024-02-02T02:04:05Z"
        assert told["metadata"]["level"] == "3"
        assert told["metadata"]["list"] == "a, b"
        assert "Team" in told["metadata"]["owner"]
        assert "\N{ROCKET}" in document["chunks"][0]["text"]
        other = await client.get("/api/documents/upload/A-B", params={"personaId": "sre"})
        assert other.json()["document"]["personas"] == ["sre"]
        assert await ids(client) == ["runbooks/service-a"]


@in_loop
async def test_a_whole_number_may_be_written_with_a_point(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        body = b'{"documents": [{"text": "Harbor Queue is busy."}], "depth": 1.0}'
        headers = {"Content-Type": "application/json"}
        response = await client.post("/api/ingest", content=body, headers=headers)
        assert response.status_code == 202, response.text


@in_loop
async def test_documents_that_come_later_take_nothing_away(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        await post(client, {"documents": [{"id": "a", "text": "Alpha."}]})
        await post(client, {"documents": [{"id": "b.md", "text": "Beta."}]})
        await post(client, {"documents": [{"url": "https://x.example/c?d=1", "text": "Gamma."}]})
        assert await ids(client) == ["a", "b.md", "upload/x.example/c?d=1"]
        job = (await post(client, {"documents": [{"id": "b.md", "text": "Other."}]})).json()
        assert job["report"]["updated"] == 1


@in_loop
async def test_a_bundle_of_entities_relations_and_chunks_comes_in_as_it_is(tmp_path: Path) -> None:
    bundle = {
        "entities": [
            {"id": "svc-a", "name": "Service A", "type": "Service", "aliases": ["SvcA"]},
            {"id": "team-y", "name": "Team Y", "type": "Team"},
        ],
        "relations": [
            {
                "id": "r1",
                "sourceEntityId": "team-y",
                "targetEntityId": "svc-a",
                "relationType": "owns",
                "evidenceChunkIds": ["doc-1#1"],
            }
        ],
        "chunks": [
            {
                "id": "doc-1#1",
                "content": "Team Y owns Service A.",
                "title": "Owners",
                "url": "https://wiki.example/owners",
                "entityIds": ["svc-a", "team-y"],
            }
        ],
    }
    async with served(small(tmp_path)) as server, server.client() as client:
        job = (await post(client, bundle)).json()
        assert job["state"] == "done", job
        assert "doc-1" in await ids(client)
        entity = (await client.get("/api/entities/svc-a")).json()
        assert [one["kind"] for one in entity["relations"] if one["source"] == "team-y"] == ["owns"]
        broken = await post(client, {"chunks": [{"id": "x#1", "content": "t", "colour": "red"}]})
        assert broken.json()["state"] == "failed"
        assert broken.json()["problem"]["code"] == "broken_file"


def page_of_a_site(request: Request) -> Answer:
    """Answer for a site of one page."""
    if request.path != "/handbook":
        return Answer(404)
    body = b"<title>Handbook</title><p>Harbor Queue is slow.</p>"
    return Answer(200, body, {"content-type": "text/html"})


@in_loop
async def test_an_address_is_fetched_only_if_it_is_not_private(tmp_path: Path) -> None:
    settings = small(tmp_path)
    trusting = replace(settings, ingest=replace(settings.ingest, private_addresses=True))
    with answering(page_of_a_site) as url:
        async with served(settings) as server, server.client() as client:
            job = (await post(client, {"url": f"{url}/handbook"})).json()
            assert (job["state"], job["problem"]["code"]) == ("failed", "unsafe_source")
        async with served(trusting) as server, server.client() as client:
            job = (await post(client, {"urls": [f"{url}/handbook", f"{url}/none"]})).json()
            assert (job["state"], job["report"]["added"]) == ("done_with_refusals", 1)
            assert job["report"]["failedCount"] == 1
            assert await ids(client) == [f"{url}/handbook"]


ELSEWHERE = (
    "file:///etc/passwd",
    "/etc/passwd",
    "~/x",
    "C:/x",
    "",
    " https://x.example",
    "\0https://x.example",
    "https:/etc/passwd",
    "ftp://x.example/",
    "http://user:word@x.example/",
)


@in_loop
async def test_the_server_never_reads_its_own_disk_for_anybody(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        for address in ELSEWHERE:
            for body in ({"url": address}, {"urls": ["https://x.example", address]}):
                refused(await post(client, body), 422, "invalid_input")
        assert not (await client.get("/api/jobs")).json()["jobs"]


@in_loop
async def test_what_nobody_can_read_fails_and_says_why(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        job = (await upload(client, {"a.pdf": "no pdf"})).json()
        assert (job["state"], job["problem"]["code"]) == ("failed", "broken_file")
        job = (await upload(client, {"a.pdf": "no pdf", "b.md": GUIDE})).json()
        assert (job["state"], job["report"]["failed"][0]["path"]) == ("done_with_refusals", "a.pdf")


@in_loop
async def test_where_the_server_keeps_its_files_marks_no_document(tmp_path: Path) -> None:
    settings = small(tmp_path)
    rules = (Rule("spool/**", personas=("nobody",)), Rule("upload/**", tags=("sent",)))
    ruled = replace(settings, ingest=replace(settings.ingest, rules=rules))
    async with served(ruled) as server, server.client() as client:
        await upload(client, {"a.md": GUIDE})
        [document] = (await client.get("/api/documents")).json()["documents"]
        assert (document["personas"], document["tags"]) == ([], ["sent"])


@in_loop
async def test_who_may_not_write_brings_nothing(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client(roles=TENANT - {Role.WRITE}) as client:
        refused(await upload(client, {"a.md": GUIDE}), 403, "forbidden")
        assert not await ids(client)


@in_loop
async def test_a_tenant_in_address_or_body_must_be_the_callers_own(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client("acme") as client, door.client("evil") as eve:
        body = {"documents": [{"id": "a", "text": "Alpha."}]}
        refused(await post(eve, body, tenantId="acme"), 403, "forbidden")
        refused(await post(eve, {**body, "tenantId": "acme"}), 403, "forbidden")
        refused(await upload(eve, {"a.md": GUIDE}, tenantId="acme"), 403, "forbidden")
        assert not await ids(client)
        assert (await post(eve, {**body, "tenantId": "evil"})).json()["state"] == "done"


@in_loop
async def test_a_caller_gives_documents_only_to_personas_of_its_own(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client(personas=["sre"]) as limited,
        door.client(roles=TENANT) as free,
    ):
        body = {"documents": [{"id": "a", "text": "Alpha."}]}
        refused(await post(limited, {**body, "personas": ["boss"]}), 403, "forbidden")
        nested = {"documents": [{"text": "Alpha.", "personas": ["boss"]}]}
        refused(await post(limited, nested), 403, "forbidden")
        refused(await upload(limited, {"a.md": GUIDE}, personas="boss"), 403, "forbidden")
        assert (await post(limited, body)).json()["state"] == "done"
        assert await ids(limited) == ["a"]
        assert await ids(free) == []


@in_loop
async def test_nobody_replaces_or_removes_what_it_cannot_see(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client(personas=["sre"]) as limited,
        door.client() as plain,
        door.client(roles=TENANT, personas=["*"]) as free,
    ):
        for name, own in (("upload", "a"), ("wiki", "z")):
            secret = {"documents": [{"id": own, "text": "The secret."}], "personas": ["boss"]}
            assert (await post(free, {**secret, "name": name})).json()["state"] == "done"
        for own, client in (("b", limited), ("c", plain)):
            job = (await post(client, {"documents": [{"id": "a", "text": "Mine."}]})).json()
            assert (job["state"], job["problem"]["code"]) == ("failed", "conflict")
            body = {"documents": [{"id": own, "text": "Mine."}], "name": "wiki", "sync": True}
            assert (await post(client, body)).json()["state"] == "done"
        for own in ("a", "z"):
            kept = await free.get(f"/api/documents/{own}", params={"all": "true"})
            assert kept.json()["chunks"][0]["text"] == "The secret."


@in_loop
async def test_a_document_that_is_replaced_stays_with_those_who_see_it(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client() as plain,
        door.client(roles=CURATOR, personas=["a", "b"]) as team,
        door.client(roles=TENANT, personas=["*"]) as free,
    ):
        at, seen_by_a = "/api/documents/policy", {"personaId": "a"}

        async def send(client: httpx2.AsyncClient, text: str, **more: Any) -> Any:
            body = {"documents": [{"id": "policy", "text": text, **more}]}
            return (await post(client, body)).json()

        assert (await send(plain, "Book trains."))["state"] == "done"
        assert (await send(team, "Book planes."))["report"]["updated"] == 1
        read = (await plain.get(at)).json()
        assert (read["document"]["personas"], read["chunks"][0]["text"]) == ([], "Book planes.")
        narrowing = await send(team, "Book boats.", personas=["a"])
        assert narrowing["problem"]["code"] == "forbidden"
        assert narrowing["problem"]["hint"]
        assert (await send(plain, "Book buses."))["problem"]["code"] == "conflict"
        assert (await send(free, "Book carts.", personas=["a"]))["report"]["updated"] == 1
        assert (await plain.get(at)).status_code == 404
        assert (await send(team, "Book bikes."))["report"]["updated"] == 1
        assert (await team.get(at, params=seen_by_a)).json()["document"]["personas"] == ["a"]
        assert (await send(free, "Book bikes."))["report"]["updated"] == 1
        assert (await plain.get(at)).json()["document"]["personas"] == []


@in_loop
async def test_somebody_who_leaves_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server:
        head = (
            "POST /api/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {server.token}\r\nContent-Length: 100000\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
            '--x\r\nContent-Disposition: form-data; name="f"; filename="a.md"\r\n\r\nhalf'
        )
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head.encode())
        await writer.drain()
        async with asyncio.timeout(30), server.client() as client:
            while not spooled(tmp_path):
                await client.get("/api/jobs")
            writer.close()
            await writer.wait_closed()
            while spooled(tmp_path):
                await client.get("/api/jobs")
            assert not (await client.get("/api/jobs")).json()["jobs"]
