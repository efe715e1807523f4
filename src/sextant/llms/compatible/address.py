"""``http://host/v1#MODEL``: where any server that speaks OpenAI's protocol is, and its key.

OPENAI_API_KEY is never sent there: a key for such a server is in SEXTANT_HTTP_KEY, or in the key
file if the server is the very one that the setting llm names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from sextant.errors import ConfigError
from sextant.prompting.secrets.keys import key_if_any
from sextant.settings import HTTP_KEY_VARIABLE, Settings

_FORM = 'Write "http://host:port/v1#MODEL".'


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and which of its models is meant; none means its first."""

    base: str
    host: str
    model: str


def parse(scheme: str, rest: str) -> Address:
    """Read an address, of which the scheme has been split off."""
    try:
        parts = urlsplit(f"{scheme}:{rest}")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise ConfigError("The address of the model's server cannot be read.", _FORM) from None
    if not parts.hostname:
        raise ConfigError("The address of the model's server has no host.", _FORM)
    if parts.username is not None or parts.query:
        raise ConfigError(
            "The address of the model's server has a user or a query in it.",
            f"A key belongs in {HTTP_KEY_VARIABLE}. {_FORM}",
        )
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host = f"{name}{port}"
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/embeddings")
    path = path or "/v1"
    return Address(f"{parts.scheme}://{host}{path}", host, parts.fragment)


def key(address: Address, settings: Settings) -> str:
    """Return the key for this server, if it has one."""
    scheme, _, rest = settings.llm.partition(":")
    chosen = scheme in ("http", "https") and parse(scheme, rest).base == address.base
    model = settings.model if chosen else replace(settings.model, key_file="")
    return key_if_any([HTTP_KEY_VARIABLE], model)
