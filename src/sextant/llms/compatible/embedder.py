"""``http://host/v1#MODEL``: vectors by any server with ``/v1/embeddings``.

``…#MODEL#768`` says how wide they are, and saves asking for it.
"""

from __future__ import annotations

from sextant.llms.compatible import address as http_address
from sextant.llms.openai import client as openai_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.embedder import Connection, Source, opened
from sextant.llms.remote_embedder import model_and_width
from sextant.ports import Embedder
from sextant.settings import HTTP_KEY_VARIABLE, Settings


def open_embedder(rest: str, settings: Settings) -> Embedder:
    """Open a model at ``http:`` and what follows it."""
    return _open("http", rest, settings)


def open_secure_embedder(rest: str, settings: Settings) -> Embedder:
    """Open a model at ``https:`` and what follows it."""
    return _open("https", rest, settings)


def _open(scheme: str, rest: str, settings: Settings) -> Embedder:
    address = http_address.parse(scheme, rest)
    model, width = model_and_width(address.model, f"{address.base}#")
    key = http_address.key(address, settings)

    def connect() -> Connection:
        client = openai_client.to_stranger(address.base, key, settings.model)
        return Connection(client, client.close)

    peer = openai_peer.foreign(address.host, model, HTTP_KEY_VARIABLE)
    # Not every server knows the shorter form that the SDK would ask for by itself.
    source = Source(connect, peer, {"encoding_format": "float"})
    # The same model at another address is the same model.
    return opened(f"http:{model}", source, width, settings)
