"""Backups: a job writes all tenants to one file, which whoever runs the server can fetch.

A backup holds the knowledge of every tenant, so an administrator of one tenant gets none.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from sextant.errors import Conflict, NotFound
from sextant.serve.caller import Role, Wanted
from sextant.serve.house import House
from sextant.serve.jobs import Job, Kind, Order, Whose, whose
from sextant.serve.records.idempotency import digest_of
from sextant.serve.rest.intake.submitting import HEADERS, answer
from sextant.serve.rest.openapi.schemas import NOT_MODIFIED, problems
from sextant.serve.rest.request.common_parameters import For, visit_of
from sextant.serve.rest.request.parameters import in_path
from sextant.serve.rest.request.refusals import Refused
from sextant.serve.rest.request.replies import tagged
from sextant.serve.rest.request.routing import Operations
from sextant.serve.wire.jobs import BackupsPage, JobShape
from sextant.serve.wire.knowledge import moment_of

MEDIA = "application/x-tar"
MOST = 16
_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")
_RANGE_HEADER = {
    "name": "Range",
    "in": "header",
    "schema": {"type": "string"},
    "description": "Only so much of the file, as in `bytes=0-1023`.",
}
_NAME = re.compile(r"sextant-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}\.tar")
BackupName = Annotated[
    str,
    in_path(),
    Field(max_length=64, description="As the list has it.", examples=["sextant-….tar"]),
]


def routes(house: House) -> Operations:
    """Return what can be done with backups."""
    operations = Operations("operate")
    _back_up(operations, house)
    _list(operations, house)
    _get(operations, house)
    _delete(operations, house)
    return operations


def _back_up(operations: Operations, house: House) -> None:
    @operations.on(
        "POST",
        "/api/backups",
        operation_id="backUp",
        summary="Back up all tenants",
        headers=HEADERS,
        responses={
            200: {"model": JobShape, "description": "The job, which ended within the wait."},
            202: {"model": JobShape, "description": "The job; its report names the backup."},
            **problems(409),
        },
    )
    async def back_up(request: Request, wanted: For) -> Response:
        """Write all tenants to one file while the store is in use.

        This is for whoever runs the server: it needs Sextant.Admin and OnBehalf.
        """
        name = _new_name()
        by = _operator(house, request, wanted, "back up", name)

        async def submit(mark: str) -> Job:
            if len(await asyncio.to_thread(_listed, house.jobs.backups)) >= MOST:
                raise Conflict(f"There are {MOST} backups already.", "Delete one of them first.")
            order = Order(Kind.BACKUP, name, "backup", {"name": name})
            return await house.jobs.submit(by, order, mark)

        return await answer(house, request, wanted, by, digest_of(b""), submit)


def _list(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/backups",
        operation_id="listBackups",
        summary="List backups",
        responses={
            200: {"model": BackupsPage, "description": "All backups, the newest first."},
            **NOT_MODIFIED,
            **problems(),
        },
    )
    async def list_backups(request: Request, wanted: For) -> Response:
        """List the backups that are kept beside the store."""
        _operator(house, request, wanted, "list backups", "")
        return tagged(request, {"backups": await asyncio.to_thread(_listed, house.jobs.backups)})


def _get(operations: Operations, house: House) -> None:
    @operations.on(
        "GET",
        "/api/backups/{name}",
        operation_id="getBackup",
        summary="Fetch a backup",
        media=(MEDIA,),
        headers=[_RANGE_HEADER],
        responses={
            200: {"description": "The file.", "content": {MEDIA: {"schema": {"type": "string"}}}},
            206: {"description": "A part of the file, as Range asks."},
            **problems(404, 416),
        },
    )
    async def get_backup(request: Request, wanted: For, name: BackupName) -> Response:
        """Send a backup, or the part of it that `Range` names; `sextant restore` reads it."""
        _operator(house, request, wanted, "fetch backup", name)
        path, size = await asyncio.to_thread(_found, house.jobs.backups, name)
        _check_range(request, size)
        return FileResponse(path, headers={"cache-control": "no-store"}, media_type=MEDIA)


def _delete(operations: Operations, house: House) -> None:
    @operations.on(
        "DELETE",
        "/api/backups/{name}",
        operation_id="deleteBackup",
        summary="Delete a backup",
        responses={204: {"description": "It is gone."}, **problems(404)},
    )
    async def delete_backup(request: Request, wanted: For, name: BackupName) -> Response:
        """Delete a backup from the server."""
        _operator(house, request, wanted, "delete backup", name)
        path, _ = await asyncio.to_thread(_found, house.jobs.backups, name)
        await asyncio.to_thread(path.unlink, missing_ok=True)
        return Response(status_code=204)


def _operator(house: House, request: Request, wanted: Wanted, verb: str, subject: str) -> Whose:
    """Return whose job it is, if it is somebody's who may see every tenant."""
    visit = visit_of(request)
    scope = house.enter(visit, wanted, Role.ADMIN, verb, subject, Role.ON_BEHALF)
    return whose(scope, visit.caller)


def _new_name() -> str:
    return f"sextant-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}.tar"


def _found(folder: FilePath, name: str) -> tuple[FilePath, int]:
    """Return where a backup is, and its size."""
    for one, status in _kept(folder):
        if one == name:
            return folder / name, status.st_size
    raise NotFound("There is no such backup.", "See GET /api/backups for those there are.")


def _check_range(request: Request, size: int) -> None:
    """Refuse a range that is not one, or that lies beyond the end."""
    asked = request.headers.get("range")
    if asked is not None and not _is_range(asked, size):
        raise Refused(416, "invalid_range", f"The file has {size} bytes.", "Ask for bytes=0-1023.")


def _is_range(asked: str, size: int) -> bool:
    found = _RANGE.fullmatch(asked)
    if not found or not any(found.groups()):
        return False
    first, last = found[1], int(found[2] or size)
    return int(first) < size and int(first) <= last if first else last > 0


def _kept(folder: FilePath) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the backups, the newest first; one may be deleted meanwhile."""
    for name in sorted(filter(_NAME.fullmatch, os.listdir(folder)), reverse=True):  # noqa: PTH208
        with suppress(FileNotFoundError):
            yield name, (folder / name).stat()


def _listed(folder: FilePath) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "bytes": status.st_size,
            "created": moment_of(datetime.fromtimestamp(int(status.st_mtime), UTC)),
        }
        for name, status in _kept(folder)
    ]
