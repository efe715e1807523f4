"""Which role opens which route is said, and it is true; the examples that are told work."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sextant.serve.caller import EVERY_ROLE, Role
from sextant.serve.rest.openapi.operations import REPLY, TOLD
from sextant.serve.wire.answer import AskReply
from tests.serve.jobs.working import in_loop
from tests.serve.rest.knowing import door, told
from tests.serve.rest.sending import api


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str]:
    async def task() -> tuple[Any, str]:
        async with door(tmp_path_factory.mktemp("openapi")) as one:
            document = told(await one.client.get("/openapi.json"))
            return document, (await one.client.get("/docs")).text

    return asyncio.run(task())


def _operations(document: Any) -> list[tuple[str, str, Any]]:
    return [
        (method, path, operation)
        for path, own in document["paths"].items()
        for method, operation in own.items()
    ]


def test_every_operation_tells_its_roles_and_how_a_key_gets_them(shown: tuple[Any, str]) -> None:
    document, page = shown
    names = {role.value: role for role in Role}
    for _, _, operation in _operations(document):
        needed = [names[one] for one in operation["x-required-role"]]
        assert needed
        for role in needed:
            assert f"`{role}`" in operation["description"]
            assert f"--role {role.short}" in operation["description"]
            assert f"--role {role.short}" in page


async def _called(client: httpx2.AsyncClient, method: str, name: str) -> httpx2.Response:
    """Call an operation as its example does."""
    told_of = TOLD[name]
    body = {} if told_of.body is None else dict(told_of.body)
    path = told_of.path.replace("$", "")
    return await client.request(method, path, json=body if method != "get" else None)


async def _tried(client: httpx2.AsyncClient, document: Any, without: Role | None = None) -> None:
    """Try everything with its role, or what needs a role without that."""
    for method, path, operation in _operations(document):
        if without and without not in operation["x-required-role"]:
            continue
        reply = await _called(client, method, operation["operationId"])
        is_refused = reply.status_code == 403
        assert is_refused == bool(without), (path, method, reply.text)
        if is_refused:
            assert "--role" in reply.json()["hint"]


@in_loop
async def test_a_caller_without_the_role_that_is_told_is_refused_and_one_with_it_is_not(
    tmp_path: Path,
) -> None:
    async with api(tmp_path) as server, server.client("acme", EVERY_ROLE) as one:
        document = told(await one.get("/openapi.json"))
        await _tried(one, document)
        for role in Role:
            roles = EVERY_ROLE - {role} - ({Role.ADMIN} if role == Role.WRITE else set())
            async with server.client("acme", roles) as lacking:
                await _tried(lacking, document, role)
        for role in (Role.SEARCH, Role.READ, Role.WRITE):
            async with server.client("acme", frozenset({role}), ["*"]) as just:
                only = {
                    path: {m: o for m, o in own.items() if o["x-required-role"] == [role]}
                    for path, own in document["paths"].items()
                }
                await _tried(just, {"paths": only})


def test_the_page_has_a_call_for_every_operation_and_no_open_reference(
    shown: tuple[Any, str],
) -> None:
    document, page = shown
    assert "$ref" not in page
    assert "anyOf" not in page
    assert page.count("curl ") > len(_operations(document))
    for name in ("context.locale", "documents[].personas", "budget.milliseconds"):
        assert f"<code>{name}</code>" in page
    assert "Also called UserQueryText, userQueryText." in page
    assert "A reply" in page
    AskReply.model_validate(REPLY)


def test_the_examples_that_are_told_work(sample: Path, tmp_path: Path) -> None:
    async def task() -> dict[str, int]:
        async with door(tmp_path, sample) as one:
            document = told(await one.client.get("/openapi.json"))
            found = {}
            for method, _, operation in _operations(document):
                name = operation["operationId"]
                if "$" not in TOLD[name].path:
                    found[name] = (await _called(one.client, method, name)).status_code
            return found

    found = asyncio.run(task())
    assert len(found) > 12
    assert set(found.values()) <= {200, 202}, found
