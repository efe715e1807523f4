"""An app on a port of its own until standard input ends; it says where it is in its first line."""

import asyncio
import socket
import sys
from typing import Any

import uvicorn


async def serve(app: Any, path: str = "") -> None:
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve([listening]))
        print(f"http://127.0.0.1:{listening.getsockname()[1]}{path}", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving
