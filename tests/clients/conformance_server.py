"""The server that the conformance suite examines: our own app, with the suite's tools in it.

It says where it is in its first line, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack

from sextant.build import open_sextant
from sextant.serve.app import App
from sextant.serve.http.health import Readiness
from sextant.serve.http.server import bound
from sextant.serve.mcp.door import mcp_door
from sextant.serve.mcp.server import Library, mcp_server
from sextant.serve.mcp.transports.http import McpOverHttp, visit_of
from sextant.serve.mcp.transports.roles import Needs
from sextant.serve.running import answering, open_porch
from sextant.settings import ServeSettings, Settings
from tests.clients.conformance_asking import add_asking
from tests.clients.conformance_kinds import add_kinds
from tests.clients.conformance_tools import tools


async def serve() -> None:
    """Serve until nobody is there."""
    own = ServeSettings(auth="none", port=0, audit=False)
    settings = Settings(store="memory:", embedder="tiny:", serve=own)
    async with AsyncExitStack() as opened:
        listener = opened.enter_context(bound(own))
        porch = await opened.enter_async_context(open_porch(settings))
        sextant = await opened.enter_async_context(await open_sextant(settings))
        library = Library(sextant.store.truth, sextant)
        server = mcp_server(tools(), porch.enter, visit_of, library=library)
        server.get_tool_input_schema = None  # so that the header of a tool is compared
        add_kinds(server)
        add_asking(server)
        app = App(
            porch, [mcp_door(porch, McpOverHttp(server, Needs((), porch.enter)))], Readiness({})
        )
        print(await opened.enter_async_context(answering(app, own, listener)), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
