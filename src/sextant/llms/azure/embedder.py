"""``azure:DEPLOYMENT``: vectors by a model of OpenAI on Azure. Knows only what differs there."""

from __future__ import annotations

from sextant.llms.azure import client as azure_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.embedder import Connection, Source, dimensions, opened
from sextant.llms.remote_embedder import model_and_width
from sextant.ports import Embedder
from sextant.settings import Settings


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open a deployment by its name, and its width if it is not named like its model."""
    deployment, width = model_and_width(rest, "azure")

    def connect() -> Connection:
        made = azure_client.connect(deployment, settings.model)

        async def close() -> None:
            await made.client.close()
            if made.close is not None:
                made.close()

        return Connection(made.client, close)

    source = Source(connect, openai_peer.azure(deployment), dimensions(deployment, width))
    return opened(f"azure:{deployment}", source, width, settings)
