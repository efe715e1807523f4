"""A deployment on Azure: where it is, by which key, and how without one."""

import asyncio
import json
from typing import Any

import pytest

from sextant.errors import ConfigError, ModelAuthentication, ModelError
from sextant.llms.azure import chat as azure_chat
from sextant.llms.azure import client as azure_client
from sextant.llms.azure import embedder as azure_embedder
from sextant.prompting.reply import whole
from sextant.settings import Settings
from sextant.testing.chat_model_suite import prompts as asked
from sextant.testing.fault_server.deeds import Exchange
from sextant.testing.fault_server.server import FaultServer, Request

PATH = "/openai/deployments/my-deployment/chat/completions?api-version="
TOKEN = "eyJhbGciOi.a-token-of-this-machine.signature"


@pytest.fixture(autouse=True)
def _no_azure(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (azure_client.KEY, azure_client.ENDPOINT, azure_client.VERSION):
        monkeypatch.delenv(name, raising=False)


async def _ask(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> Request:
    monkeypatch.setenv(azure_client.ENDPOINT, server.url.removesuffix("/v1"))
    model = azure_chat.open_model("my-deployment", Settings())
    try:
        await whole(model, asked.CONVERSATION)
    finally:
        await model.close()
    return server.requests[0]


def test_deployment_is_asked_in_the_stable_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(azure_client.KEY, "azure-key-1234")

    async def run() -> Request:
        async with FaultServer("fine") as server:
            return await _ask(server, monkeypatch)

    request = asyncio.run(run())
    assert request.path == PATH + azure_client.STABLE
    assert request.headers["api-key"] == "azure-key-1234"
    assert "authorization" not in request.headers
    assert [one["role"] for one in request.body["messages"]][:2] == ["system", "system"]
    assert request.body["max_tokens"] == asked.CONVERSATION.max_tokens


def test_another_version_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(azure_client.KEY, "azure-key-1234")
    monkeypatch.setenv(azure_client.VERSION, "2025-04-01-preview")

    async def run() -> Request:
        async with FaultServer("fine") as server:
            return await _ask(server, monkeypatch)

    assert asyncio.run(run()).path == f"{PATH}2025-04-01-preview"


def test_machine_with_an_identity_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hand_out(exchange: Exchange) -> None:
        token = {"access_token": TOKEN, "expires_on": "4102444800", "token_type": "Bearer"}
        await exchange.tell(200, json.dumps(token | {"resource": "any"}))

    async def run() -> tuple[Request, list[Request]]:
        async with FaultServer("fine") as server, FaultServer(hand_out) as identities:
            _managed(identities.url, monkeypatch)
            return await _ask(server, monkeypatch), identities.requests

    request, handed_out = asyncio.run(run())
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert "api-key" not in request.headers
    assert "cognitiveservices.azure.com" in handed_out[0].path


def test_machine_without_an_identity_is_told_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        async with FaultServer("fine") as server, FaultServer("404") as identities:
            _managed(identities.url, monkeypatch)
            await _ask(server, monkeypatch)

    with pytest.raises(ModelAuthentication, match="az login"):
        asyncio.run(run())


def _managed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this machine look like one of Azure's, whose identity is handed out at this address."""
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
    monkeypatch.setenv("IDENTITY_ENDPOINT", url)
    monkeypatch.setenv("IDENTITY_HEADER", "header-of-this-machine")


@pytest.mark.parametrize(
    ("rest", "endpoint", "said"),
    [
        ("", "https://a.example", "names no deployment"),
        ("mine", "", "is not set"),
        ("mine", "a.example", "is not an address"),
    ],
)
def test_what_is_not_set_is_named(
    rest: str, endpoint: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(azure_client.ENDPOINT, endpoint)
    with pytest.raises(ConfigError, match=said):
        azure_chat.open_model(rest, Settings())


def test_filter_of_azure_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(azure_client.KEY, "azure-key-1234")
    inner = {"code": "ResponsibleAIPolicyViolation"}
    error: dict[str, Any] = {"message": "Filtered.", "code": "other", "innererror": inner}

    async def filtered(exchange: Exchange) -> None:
        await exchange.tell(400, json.dumps({"error": error}))

    async def run() -> None:
        async with FaultServer(filtered) as server:
            await _ask(server, monkeypatch)

    with pytest.raises(ModelError) as raised:
        asyncio.run(run())
    assert raised.value.code == "model_refused"


def test_deployment_that_is_named_like_its_model_has_its_width(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(azure_client.KEY, "azure-key-1234")
    monkeypatch.setenv(azure_client.ENDPOINT, "https://nobody.example")

    async def run() -> int:
        embedder = azure_embedder.open_embedder("text-embedding-3-large", Settings())
        await embedder.close()
        return embedder.identity.width

    assert asyncio.run(run()) == 3072
