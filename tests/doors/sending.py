"""Requests over HTTP as values, with names for ids that only a server knows, and bare replies.

Names in a path or a body: ``JOB-0`` is the first job of whoever sends it, ``THEIR-JOB-0`` the first
of the other tenant, ``THEM`` the other tenant itself, ``LAST-REPLY`` the latest answer that came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.doors.worlds import Tenant

LAST_REPLY = "LAST-REPLY"
_JOB = re.compile(r"(THEIR-)?JOB-(\d)")
_NEVER = "no-such-job"
_TIMES = re.compile(rb'"(created|started|ended)":("[^"]*"|null)')
_TOOK = re.compile(rb'"milliseconds":[0-9.e-]+')
_OF_TIME = {"date"}
_OF_IDS = {"mcp-session-id"}


@dataclass(frozen=True)
class Sent:
    """A request."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_again: bool = False
    """Only what has changed since it was read last is wanted."""


@dataclass(frozen=True)
class Bare:
    """A reply, without what is of no meaning: when it was, how long it took, which id it got."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class Names:
    """What names stand for that are the other tenant's."""

    them: str
    their_jobs: Callable[[], list[str]]


async def send(tenant: Tenant, request: Sent, names: Names, number: int) -> Bare:
    """Send a request for a tenant, and return the bare reply."""
    path = _named(tenant, request.path, names)
    headers = {"x-request-id": f"request-{number}", **request.headers}
    if request.is_again and path in tenant.tags:
        headers["if-none-match"] = tenant.tags[path]
    content = _content(tenant, request.body, names)
    if isinstance(request.body, Mapping):
        headers.setdefault("content-type", "application/json")
    reply = await tenant.client.request(request.method, path, content=content, headers=headers)
    _noted(tenant, path, reply)
    return _bare(tenant, path, reply)


def _content(tenant: Tenant, body: Any, names: Names) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    last = tenant.replies[-1] if tenant.replies else {}
    whole = {name: last if one == LAST_REPLY else one for name, one in body.items()}
    return _named(tenant, json.dumps(whole), names).encode()


def _named(tenant: Tenant, text: str, names: Names) -> str:
    def job(found: re.Match[str]) -> str:
        jobs = names.their_jobs() if found[1] else tenant.jobs
        number = int(found[2])
        return jobs[number] if number < len(jobs) else _NEVER

    return _JOB.sub(job, text).replace("THEM", names.them)


def _noted(tenant: Tenant, path: str, reply: httpx2.Response) -> None:
    if tag := reply.headers.get("etag"):
        tenant.tags[path] = tag
    media = reply.headers.get("content-type", "")
    if not reply.is_success or not media.startswith("application/json"):
        return
    told = reply.json()
    if path.startswith("/api/ingest") and told["id"] not in tenant.jobs:
        tenant.jobs.append(told["id"])
    if path.startswith("/api/ask"):
        tenant.replies.append(told)


def _bare(tenant: Tenant, path: str, reply: httpx2.Response) -> Bare:
    is_job = path.startswith(("/api/jobs", "/api/ingest"))
    assert reply.headers.get("content-length", str(len(reply.content))) == str(len(reply.content))
    headers = [
        (name, _without_ids(tenant, value.encode()).decode())
        for name, value in reply.headers.multi_items()
        if name not in _OF_TIME | _OF_IDS
        and name != "content-length"
        and not (is_job and name == "etag")
    ]
    body = _TOOK.sub(b'"milliseconds":0', _without_ids(tenant, reply.content))
    return Bare(
        reply.status_code,
        tuple(sorted(headers)),
        _TIMES.sub(rb'"\1":0', body) if is_job else body,
    )


def _without_ids(tenant: Tenant, text: bytes) -> bytes:
    for number, job in enumerate(tenant.jobs):
        text = text.replace(job.encode(), b"JOB-%d" % number)
    return text
