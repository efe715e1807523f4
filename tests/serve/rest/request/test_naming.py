"""For whom a request asks can be said in any place, once, and is never passed over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.serve.caller import EVERY_ROLE
from sextant.types import Scope
from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import page, told
from tests.serve.rest.sending import TENANT, WAIT, Api, api, refused

HUB = "thing:hub"
DOCUMENT = {"id": "new", "text": "Fresh text."}
BODIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "ask": ("POST", "/api/ask", {"query": "Where is the Hub?"}),
    "search": ("POST", "/api/search", {"query": "Where is the Hub?"}),
    "expand": ("POST", "/api/expand", {"entityIds": [HUB]}),
    "feedback": ("POST", "/api/feedback", {"verdict": "helpful", "documentId": "same.md"}),
    "profile": ("PUT", "/api/profiles/p", {}),
    "ingest": ("POST", "/api/ingest", {"documents": [DOCUMENT]}),
}
WITHOUT_BODY = (
    ("GET", "/api/documents"),
    ("GET", "/api/documents/same.md"),
    ("DELETE", "/api/documents/same.md"),
    ("GET", "/api/entities?name=Hub"),
    ("GET", f"/api/entities/{HUB}"),
    ("GET", "/api/profiles"),
    ("GET", "/api/profiles/p"),
    ("DELETE", "/api/profiles/p"),
    ("GET", "/api/jobs"),
    ("GET", "/api/jobs/none"),
    ("GET", "/api/jobs/none/events"),
    ("DELETE", "/api/jobs/none"),
    ("GET", "/api/status"),
)
TENANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("?tenantId={}", {}),
    ("", {"tenantId": "{}"}),
    ("", {"context": {"tenantId": "{}"}}),
)


async def _known(door: Api) -> None:
    for tenant in ("home", "other"):
        written = page("same.md", f"The Hub of {tenant} is in Oslo.")
        await door.server.house.sextant.write(Scope(tenant), [written])


async def _sent(
    client: httpx2.AsyncClient, name: str, query: str = "", **more: Any
) -> httpx2.Response:
    method, path, body = BODIES[name]
    return await client.request(method, path + query, json={**body, **more}, headers=WAIT)


def _for(tenant: str, query: str, fields: Any) -> tuple[str, Any]:
    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(own) for name, own in value.items()}
        return value.format(tenant)

    return query.format(tenant), filled(fields)


@in_loop
async def test_a_key_that_names_another_tenant_in_any_place_is_refused(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client("home", TENANT) as client:
        await _known(door)
        for name in BODIES:
            for query, fields in TENANTS:
                address, body = _for("other", query, fields)
                refused(await _sent(client, name, address, **body), 403, "forbidden")
            refused(await _sent(client, name, user={"aadObjectId": "ann"}), 403, "forbidden")
            refused(await _sent(client, name, "?aadObjectId=ann"), 403, "forbidden")
            both = await _sent(client, name, "?tenantId=home", context={"tenantId": "other"})
            refused(both, 403, "forbidden")
        for method, path in WITHOUT_BODY:
            address = f"{path}{'&' if '?' in path else '?'}tenantId=other"
            refused(await client.request(method, address), 403, "forbidden")


@in_loop
async def test_its_own_tenant_may_be_named_in_every_place_at_once(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client("home", TENANT) as client:
        await _known(door)
        for name in BODIES:
            own = {"tenantId": "home", "context": {"tenantId": "home", "locale": "de-DE"}}
            reply = await _sent(client, name, "?tenantId=home", **own)
            assert reply.status_code == 200, (name, reply.text)


@in_loop
async def test_who_asks_on_behalf_gets_the_tenant_that_any_place_names(tmp_path: Path) -> None:
    async with api(tmp_path) as door, door.client("home", EVERY_ROLE) as backend:
        await _known(door)
        for query, fields in TENANTS:
            address, body = _for("other", query, fields)
            asked = told(await _sent(backend, "ask", address, **body))
            assert [one["quote"] for one in asked["citations"]] == ["The Hub of other is in Oslo."]
            found = told(await _sent(backend, "search", address, **body))
            assert "other" in found["results"][0]["snippet"]
            expanded = told(await _sent(backend, "expand", address, **body))
            assert "other" in expanded["relations"][0]["sentence"]
            job = await _sent(backend, "ingest", address, **body)
            assert job.headers["location"].endswith("?tenantId=other")
            assert told(await backend.get(job.headers["location"]))["state"] == "done"
            gone = await backend.delete("/api/documents/new?tenantId=other")
            assert gone.status_code == 204, gone.text
            saved = told(await _sent(backend, "profile", address, **body))
            assert saved["name"] == "p"
            gone = await backend.delete("/api/profiles/p?tenantId=other")
            assert gone.status_code == 204


@in_loop
async def test_two_places_that_disagree_are_refused(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client("home", EVERY_ROLE) as backend,
        door.client("home", TENANT, ["sre", "support"]) as plain,
    ):
        await _known(door)
        for name in BODIES:
            two: tuple[tuple[str, dict[str, Any]], ...] = (
                ("?tenantId=home", {"tenantId": "other"}),
                ("?tenantId=home", {"context": {"tenantId": "other"}}),
                ("", {"tenantId": "home", "context": {"tenantId": "other"}}),
                ("?aadObjectId=ann", {"user": {"aadObjectId": "bob"}}),
            )
            for query, fields in two:
                refused(await _sent(backend, name, query, **fields), 422, "invalid_input")
            reply = await _sent(plain, name, "?personaId=sre", personaId="support")
            refused(reply, 422, "invalid_input")
        refused(await backend.get("/api/status?tenantId=home&tenantId=other"), 422, "invalid_input")


@in_loop
async def test_a_form_says_for_whom_it_is_like_any_body(tmp_path: Path) -> None:
    async with (
        api(tmp_path) as door,
        door.client("home", EVERY_ROLE) as backend,
        door.client("home", TENANT) as plain,
    ):

        async def sent(client: httpx2.AsyncClient, query: str, **form: Any) -> httpx2.Response:
            files = {"file": ("a.md", "The Hub is in Oslo.")}
            return await client.post(f"/api/ingest{query}", files=files, data=form, headers=WAIT)

        refused(await sent(plain, "", tenantId="other"), 403, "forbidden")
        refused(await sent(backend, "?tenantId=home", tenantId="other"), 422, "invalid_input")
        refused(await sent(backend, "", tenantId=["home", "other"]), 422, "invalid_input")
        refused(await sent(backend, "", tenant="other"), 422, "invalid_input")
        job = await sent(backend, "", tenantId="other", personaId="sre")
        assert told(job)["state"] == "done"
        assert job.headers["location"].endswith("?tenantId=other&personaId=sre")
        listed = told(await backend.get("/api/documents?tenantId=other&personaId=sre"))
        assert [(one["id"], one["personas"]) for one in listed["documents"]] == [
            ("upload/a.md", ["sre"])
        ]
        assert told(await backend.get("/api/documents"))["documents"] == []


@pytest.mark.parametrize("field", ["tenant_id", "TenantID", "tenant-id", "TENANTID"])
@in_loop
async def test_a_slip_of_the_pen_in_context_is_refused_and_other_fields_are_not(
    tmp_path: Path, field: str
) -> None:
    async with api(tmp_path) as door, door.client("home", TENANT) as client:
        for name in BODIES:
            reply = await _sent(client, name, context={field: "other"})
            refused(reply, 422, "invalid_input")
            [error] = reply.json()["errors"]
            assert error["field"] == f"context.{field}"
            assert "Did you mean tenantId?" in error["message"]
        more: dict[str, Any] = {"context": {"channel": "teams"}, "user": {"upn": "ann@x.example"}}
        told(await _sent(client, "ask", **more))
