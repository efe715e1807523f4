"""A door that another package could bring: it has paths, limits and words for errors of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sextant.serve.caller import NOBODY, Role
from sextant.serve.door import Door, limits_of
from sextant.serve.house import House
from sextant.serve.http.problem import Problem
from sextant.serve.identity.bearer import Bearer

NAME, ROOT = "made-up", "/made-up"
SECRET = "/home/secret/of/the/house"


class Room:
    """Answers, fails, works for ever or tells for ever, as the path says."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.is_alive = False

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Live with the server."""
        self.is_alive = True
        yield
        self.is_alive = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Do what the path says."""
        assert self.is_alive
        request = Request(scope, receive)
        body = await request.body()
        response: Response = PlainTextResponse(body)
        match scope["path"].removeprefix(ROOT):
            case "/fails":
                raise RuntimeError(SECRET)
            case "/works":
                await asyncio.Event().wait()
            case "/tells":
                response = StreamingResponse(_told(), media_type="text/event-stream")
            case "/asks":
                self.house.enter(request.state.visit, NOBODY, Role.READ, "make up", "something")
        await response(scope, receive, send)


async def _told() -> AsyncIterator[str]:
    yield "data: {}\n\n"
    await asyncio.Event().wait()


def oops(problem: Problem, request_id: str) -> Response:
    """Tell an error in words that no other door has; it forgets all headers."""
    told = {"oops": problem.code, "id": request_id}
    return Response(json.dumps(told), problem.status, media_type="application/x-oops")


def open_door(house: House) -> Door:
    """Return the door."""
    room = Room(house)
    return Door(
        name=NAME,
        paths=(f"{ROOT}/*", "/api/made-up"),
        app=room,
        scheme=Bearer(house.identity, house.settings),
        limits=replace(limits_of(house.settings.serve), body_bytes=100, requests_per_minute=30),
        error_form=oops,
        open_paths=(f"{ROOT}/open",),
        index={NAME: ROOT},
        lifespan=room.lifespan,
    )
