"""``azure:DEPLOYMENT``: a model of OpenAI on Azure. Knows only what differs there."""

from __future__ import annotations

from sextant.llms.azure import client as azure_client
from sextant.llms.openai import peer as openai_peer
from sextant.llms.openai.chat import OpenAIChat
from sextant.ports import ChatModel
from sextant.settings import Settings
from sextant.types import ModelIdentity


def open_model(rest: str, settings: Settings) -> ChatModel:
    """Open a deployment by its name."""
    connection = azure_client.connect(rest, settings.model)
    identity = ModelIdentity("azure", rest)
    return OpenAIChat(connection.client, openai_peer.azure(rest), identity, connection.close)
