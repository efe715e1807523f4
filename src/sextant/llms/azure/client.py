"""How a deployment on Azure is reached: by a key, or without one as who this machine is.

Knows where endpoint, version and identity come from; no prompt.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import openai

from sextant.errors import ConfigError, ModelAuthentication, ModelUnavailable
from sextant.llms.openai import client as openai_client
from sextant.prompting.secrets.keys import key_if_any
from sextant.settings import ModelSettings

KEY, ENDPOINT, VERSION = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"
STABLE = "2024-10-21"
"""The last dated version that is no preview; the first that counts tokens while it streams."""

_SCOPE = "https://cognitiveservices.azure.com/.default"
_SIGN_IN = f"Set {KEY}, run `az login`, or give this machine a managed identity."


@dataclass(frozen=True, slots=True)
class Connection:
    """A client, and what else must be closed with it."""

    client: openai.AsyncAzureOpenAI
    close: Callable[[], None] | None = None


def connect(deployment: str, settings: ModelSettings) -> Connection:
    """Return a client of the resource that the environment names."""
    if not deployment:
        raise ConfigError("azure: names no deployment.", 'Write one, as in "azure:my-deployment".')
    endpoint = os.environ.get(ENDPOINT, "").strip()
    if not endpoint.startswith(("https://", "http://")):
        raise ConfigError(
            f"{ENDPOINT} is {'not an address' if endpoint else 'not set'}.",
            "Set it to the resource's, as in https://my-resource.openai.azure.com.",
        )
    version = os.environ.get(VERSION, "").strip() or STABLE
    key = key_if_any([KEY], settings)
    if key:
        return Connection(openai_client.to_azure(endpoint, version, key, None, settings))
    token, close = _identity()
    return Connection(openai_client.to_azure(endpoint, version, "", token, settings), close)


def _identity() -> tuple[Callable[[], Awaitable[str]], Callable[[], None]]:
    """Return what makes tokens for this machine or whoever is signed in, and what closes it."""
    from azure.core.exceptions import AzureError, ClientAuthenticationError
    from azure.identity import DefaultAzureCredential, get_bearer_token_provider

    # The one that blocks, in a thread: the other needs an HTTP client that nothing else here does.
    credential = DefaultAzureCredential()
    provide = get_bearer_token_provider(credential, _SCOPE)

    async def token() -> str:
        try:
            return await asyncio.to_thread(provide)
        except ClientAuthenticationError:
            raise ModelAuthentication("Azure issued no token for this machine.", _SIGN_IN) from None
        except AzureError:
            raise ModelUnavailable("Azure's sign-in cannot be reached.", "Try again.") from None

    return token, credential.close
