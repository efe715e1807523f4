"""An agent elsewhere that says some pieces at once, or each by itself, in the form that is asked.

``python -m bench.serving.remote_agent`` says its address in its first line, and serves until its
standard input ends: ``/lines/…`` is a remote endpoint of CopilotKit, ``/events/…`` AG-UI; below
either, ``burst`` or ``paced``.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

PIECES = 200
_PAUSE_S = 0.001
"""Long enough for every piece to be a packet of its own."""


async def _info(request: Request) -> Response:
    name = f"lines-{request.path_params['pace']}"
    agent = {"name": name, "description": "Tells pieces.", "type": "crewai"}
    return JSONResponse({"agents": [agent], "actions": []})


async def _lines(request: Request) -> Response:
    await request.body()
    own = {"messageId": "m1"}
    told = [
        {"type": "TextMessageStart", **own, "parentMessageId": None},
        *({"type": "TextMessageContent", **own, "content": f"tok{n} "} for n in range(PIECES)),
        {"type": "TextMessageEnd", **own},
    ]
    return _streamed(request, [json.dumps(one).encode() + b"\n" for one in told])


async def _events(request: Request) -> Response:
    asked = await request.json()
    own, run = {"messageId": "m1"}, {name: asked[name] for name in ("threadId", "runId")}
    told = [
        {"type": "RUN_STARTED", **run},
        {"type": "TEXT_MESSAGE_START", **own, "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", **own, "delta": f"tok{n} "} for n in range(PIECES)),
        {"type": "TEXT_MESSAGE_END", **own},
        {"type": "RUN_FINISHED", **run},
    ]
    return _streamed(request, [b"data: " + json.dumps(one).encode() + b"\n\n" for one in told])


def _streamed(request: Request, pieces: list[bytes]) -> Response:
    async def paced() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece
            await asyncio.sleep(_PAUSE_S)

    if request.path_params["pace"] == "burst":
        return Response(b"".join(pieces))
    return StreamingResponse(paced())


async def main() -> None:
    """Serve until the standard input ends."""
    routes: list[Any] = [
        Route("/lines/{pace}/info", _info, methods=["POST"]),
        Route("/lines/{pace}/agents/execute", _lines, methods=["POST"]),
        Route("/events/{pace}", _events, methods=["POST"]),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve([listening]))
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving


if __name__ == "__main__":
    asyncio.run(main())
