"""``http://host/v1#MODEL``: any server that speaks OpenAI's protocol, such as Ollama or vLLM."""

from __future__ import annotations

from sextant.llms.compatible import address as http_address
from sextant.llms.openai import client as openai_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.chat import OpenAIChat
from sextant.ports import ChatModel
from sextant.settings import HTTP_KEY_VARIABLE, Settings
from sextant.types import ModelIdentity


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open a model at ``http:`` and what follows it."""
    return _open("http", rest, settings)


def open_secure_model(rest: str, settings: Settings) -> ChatModel:
    """Open a model at ``https:`` and what follows it."""
    return _open("https", rest, settings)


def _open(scheme: str, rest: str, settings: Settings) -> ChatModel:
    address = http_address.parse(scheme, rest)
    key = http_address.key(address, settings)
    client = openai_client.to_stranger(address.base, key, settings.model)
    peer = openai_peer.foreign(address.host, address.model, HTTP_KEY_VARIABLE)
    facts = {"address": address.base}
    return OpenAIChat(client, peer, ModelIdentity(scheme, address.model or address.host, facts))
