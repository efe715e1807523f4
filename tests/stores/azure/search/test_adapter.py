"""`index = "azure:"` in the settings: a machine's own identity signs in, and no key is anywhere."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from tests.loopback import Answer, Request, answering
from tests.stores.azure.search.parts import Place

SCRIPT = """
import asyncio, json, sys
from sextant.build import open_store
from sextant.query import Query
from sextant.settings import AzureSettings, Settings
from sextant.stores.azure.search.client import open_connection
from sextant.stores.azure.search.making import make_index
from sextant.types import Chunk, Document, Put, Scope

async def main(folder, azure):
    settings = Settings(store=f"sqlite:{folder}", index="azure:", azure=AzureSettings(**azure))
    connection = open_connection(settings.azure)
    await make_index(connection, settings, 0)
    await connection.close()
    store = await open_store(settings)
    put = Put(Document("d", "Runbook"), (Chunk("d#c1", "Restart the pods."),))
    commit = (await store.truth.write(Scope(), [put])).commit
    found = await store.index.search(Scope(), Query("pods", at_least=commit))
    print([match.passage.chunk.id for match in found.matches], found.is_behind)
    await store.admin.close()

asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
"""


def test_a_managed_identity_fills_and_searches_the_index(place: Place, tmp_path: Path) -> None:
    asked: list[Request] = []

    def issue(request: Request) -> Answer:
        asked.append(request)
        token = {
            "access_token": "owner",
            "expires_on": "4102444800",
            "resource": "https://search.azure.com",
            "token_type": "Bearer",
        }
        return Answer(body=json.dumps(token).encode(), headers={"content-type": "application/json"})

    with answering(issue) as identity:
        environment = {
            **{name: own for name, own in os.environ.items() if "PROXY" not in name.upper()},
            "IDENTITY_ENDPOINT": f"{identity}/msi/token",
            "IDENTITY_HEADER": "for this machine alone",
            "SSL_CERT_FILE": str(place.certificate),
        }
        azure = json.dumps(asdict(place.settings.azure))
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / "store"), azure],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['d#c1'] False\n"
    assert "owner" not in done.stderr
    assert {one.headers["x-identity-header"] for one in asked} == {"for this machine alone"}
    assert all("search.azure.com" in one.path for one in asked)
