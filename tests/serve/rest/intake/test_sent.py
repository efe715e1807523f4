"""Documents sent as JSON: found by the id they were sent with, cited in the text as sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import told
from tests.serve.rest.sending import ids, post, upload
from tests.serve.running import served, small

TEXT = """# Harbor Queue \N{ROCKET}

Harbor Queue is owned by Team Quay. It holds what Lighthouse sends.

## Escalation

Call the Pilot Desk after 15 minutes.
"""


def _document(document_id: str, text: str = TEXT, **more: Any) -> dict[str, Any]:
    fields = {"title": "Harbor Queue", "tags": ["queue"], "metadata": {"level": 3}}
    return {"id": document_id, "text": text, **fields, **more}


@in_loop
async def test_a_document_is_read_cited_and_deleted_by_the_id_it_was_sent_with(
    tmp_path: Path,
) -> None:
    odd = ["note1", "a b/ü.txt", "https://wiki.example/x?y=1", "report.pdf", "urn:x:1"]
    async with served(small(tmp_path)) as server, server.client() as client:
        body = {"documents": [_document(one, f"{one} needs Harbor Queue.") for one in odd]}
        job = (await post(client, body)).json()
        assert job["state"] == "done", job
        assert job["report"]["documents"] == sorted(odd)
        assert job["report"]["documentCount"] == len(odd)
        assert await ids(client) == sorted(odd)
        for one in odd:
            at = client.base_url.copy_with(path=f"/api/documents/{one.partition('?')[0]}")
            if "?" not in one:
                page = told(await client.get(at))
                assert page["document"]["id"] == one
                assert page["document"]["tags"] == ["queue"]
                assert (await client.delete(at)).status_code == 204
        assert await ids(client) == ["https://wiki.example/x?y=1"]


@in_loop
async def test_spans_are_places_in_the_text_that_was_sent(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        await post(client, {"documents": [_document("note1")]})
        page = told(await client.get("/api/documents/note1"))
        assert page["chunks"]
        for chunk in page["chunks"]:
            assert TEXT[chunk["start"] : chunk["end"]] == chunk["text"]
        question = {"query": "Who owns Harbor Queue?"}
        cited = told(await client.post("/api/ask", json=question))["citations"]
        assert [one["documentId"] for one in cited] == ["note1"]
        for one in cited:
            assert TEXT[one["start"] : one["end"]] == one["quote"]
        [found, *_] = told(await client.post("/api/search", json=question))["results"]
        assert TEXT[found["start"] : found["end"]] == found["snippet"]


@in_loop
async def test_a_base_address_gives_documents_their_links(tmp_path: Path) -> None:
    sent = [_document("guide/queue.md"), _document("own", url="https://wiki.example/own")]
    async with served(small(tmp_path)) as server, server.client() as client:
        job = (await post(client, {"documents": sent, "baseUrl": "https://docs.example/"})).json()
        assert job["state"] == "done", job
        links = {"guide/queue.md": "https://docs.example/guide/queue/"}
        links["own"] = "https://wiki.example/own"
        question = {"query": "Who owns Harbor Queue?"}
        for one in told(await client.post("/api/search", json=question))["results"]:
            assert one["url"] == links[one["documentId"]]
        refused = await post(client, {"documents": sent, "baseUrl": "docs.example"})
        assert refused.status_code == 422
        assert "base address" in refused.text


@in_loop
async def test_a_long_passage_comes_whole_where_that_is_asked_for(tmp_path: Path) -> None:
    text = "Harbor Queue is owned by Team Quay. " * 100
    chunk = {"id": "doc1#c0", "content": text, "headings": ["Queues", "Owners"]}
    async with served(small(tmp_path)) as server, server.client() as client:
        await post(client, {"chunks": [chunk]})
        asked = {"query": "Who owns Harbor Queue?"}
        (cut,) = told(await client.post("/api/search", json=asked))["results"]
        full = {**asked, "fullText": True}
        (whole,) = told(await client.post("/api/search", json=full))["results"]
        assert (cut["snippet"], whole["snippet"]) == (f"{text[:2_000]}…", text)
        assert whole["headings"] == ["Queues", "Owners"]


@in_loop
async def test_a_head_in_the_text_counts_and_what_is_sent_beside_it_goes_before(
    tmp_path: Path,
) -> None:
    text = "---\ntitle: Of the head\nlanguage: de\ntags: [head]\n---\nHarbor Queue ist hier.\n"
    async with served(small(tmp_path)) as server, server.client() as client:
        await post(client, {"documents": [_document("a", text, title="Beside")]})
        page = told(await client.get("/api/documents/a"))
        document = page["document"]
        assert (document["title"], document["language"]) == ("Beside", "de")
        assert document["tags"] == ["head", "queue"]
        assert [one["text"] for one in page["chunks"]] == ["Harbor Queue ist hier."]
        assert text[page["chunks"][0]["start"] :].startswith("Harbor Queue")


@in_loop
async def test_what_is_sent_again_replaces_or_changes_nothing(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        reports = [
            (await post(client, {"documents": [_document("note1", text)]})).json()["report"]
            for text in (TEXT, TEXT, "Other text.")
        ]
        assert [one["added"] for one in reports] == [1, 0, 0]
        assert [one["unchanged"] for one in reports] == [0, 1, 0]
        assert [one["updated"] for one in reports] == [0, 0, 1]
        assert [one["documents"] for one in reports] == [["note1"]] * 3
        page = told(await client.get("/api/documents/note1"))
        assert [one["text"] for one in page["chunks"]] == ["Other text."]


@in_loop
async def test_a_source_is_synchronised_whatever_its_documents_are_called(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        both = [_document("a", "Alpha."), _document("b", "Beta.")]
        await post(client, {"documents": both, "name": "wiki"})
        await post(client, {"documents": [_document("other", "Gamma.")]})
        job = await post(client, {"documents": both[:1], "name": "wiki", "sync": True})
        assert job.json()["report"]["removed"] == 1
        assert await ids(client) == ["a", "other"]
        await upload(client, {"c.md": "Delta."}, name="wiki", sync="true")
        assert await ids(client) == ["other", "wiki/c.md"]


@in_loop
async def test_an_id_of_another_source_is_not_taken_over(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        await upload(client, {"a.md": "Alpha."})
        body = {"documents": [_document("upload/a.md", "Mine now.")], "name": "wiki"}
        job = (await post(client, body)).json()
        assert (job["state"], job["problem"]["code"]) == ("failed", "conflict")
        assert job["report"]["failed"][0]["path"] == "upload/a.md"
        page = told(await client.get("/api/documents/upload/a.md"))
        assert page["chunks"][0]["text"] == "Alpha."


@in_loop
async def test_documents_link_to_each_other_by_their_ids(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        there = _document("runbooks/b", "# Beta\n\nBeta stands here.", title="")
        here = _document("runbooks/a", "# Alpha\n\nAlpha: see [the other](b).", title="")
        await post(client, {"documents": [here, there]})
        body = {"entityIds": ["alpha"], "kinds": ["links_to"]}
        found = told(await client.post("/api/expand", json=body))
        assert [one["target"] for one in found["relations"]] == ["doc:runbooks/b"]


@in_loop
async def test_what_has_no_id_is_named_by_the_report(tmp_path: Path) -> None:
    async with served(small(tmp_path)) as server, server.client() as client:
        body = {"documents": [{"url": "https://x.example/c?d=1", "text": "One."},
                              {"title": "A/B", "text": "Two."}, {"text": "Three."}]}  # fmt: skip
        named = (await post(client, body)).json()["report"]["documents"]
        assert named == await ids(client)
        assert named[0] == "upload/A-B"
        assert named[2] == "upload/x.example/c?d=1"
        files = (await upload(client, {"a.md": "Four."})).json()["report"]
        assert (files["documents"], files["documentCount"]) == (["upload/a.md"], 1)
