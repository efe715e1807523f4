"""What `tests.fuzz.serving` starts: a server that is there to be asked anything."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from contextlib import closing
from pathlib import Path

from sextant.build import open_sextant
from sextant.serve.records.folder import server_folder
from sextant.serve.running import until_stopped
from sextant.toolbox.catalogue.sample import sample_tools
from sextant.types import Scope
from tests.fuzz.inside import OTHERS, SECRET
from tests.serve.identity.making import Keys
from tests.serve.rest.conftest import SAMPLE
from tests.serve.rest.knowing import EVERYONE, page
from tests.serve.rest.sending import TENANT
from tests.serve.running import Served, served, small

OFTEN = 10_000_000
LIBRARIES = ("mcp", "python_multipart")
"""They remark on each message that is none; what they fail at they still say."""


async def serve(folder: Path, auth: str) -> None:
    """Serve two tenants until somebody wants an end."""
    async with await open_sextant(small(folder)) as opened:
        await opened.ingest(EVERYONE, [str(SAMPLE)])
        await opened.toolbox.import_tools(EVERYONE, [sample_tools()])
        await opened.write(Scope(OTHERS), [page(SECRET, f"The {SECRET} is ours.")])
    async with served(small(folder), auth=auth, requests_per_minute=OFTEN) as server:
        token = server.token or _key(server)
        sys.stdout.write(json.dumps({"url": server.url, "token": token}) + "\n")
        sys.stdout.flush()
        await until_stopped()


def _key(server: Served) -> str:
    """Return a key for one tenant and all that can be done there."""
    with closing(Keys(server_folder(server.house.settings))) as keys:
        _, text = keys.create("fuzz", EVERYONE.tenant, TENANT)
    return text


if __name__ == "__main__":
    for name in LIBRARIES:
        logging.getLogger(name).setLevel(logging.ERROR)
    asyncio.run(serve(Path(sys.argv[1]), sys.argv[2]))
