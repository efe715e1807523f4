"""``keyvault:NAME``: a value that is kept as a secret of Azure Key Vault.

In place of a name stands a secret's whole identifier where it is in another vault than the one of
``SEXTANT_KEYVAULT``, or one version of it is meant. A secret is read once, and known here from then
on, so that it can be hidden wherever a text would show it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from sextant.errors import ConfigError
from sextant.settings_sources.azure_calls import (
    BOUNDS,
    Service,
    check_address,
    open_credential,
    translated,
)

KEYVAULT_VARIABLE = "SEXTANT_KEYVAULT"
"""The address of the vault whose secrets are meant by their names alone."""

_SCHEME = "keyvault:"
_KIND = "key vault"
_NAME = re.compile(r"[0-9A-Za-z-]{1,127}")
_PATH = re.compile(r"/secrets/(?P<name>[0-9A-Za-z-]{1,127})(?:/(?P<version>[0-9a-f]{32}))?/?")
_ROLE = "Key Vault Secrets User"
_secrets: set[str] = set()


def is_reference(value: object) -> bool:
    """Whether a value says where it is kept."""
    return isinstance(value, str) and value.strip().startswith(_SCHEME)


def resolve_reference(reference: str, environment: Mapping[str, str], origin: str) -> str:
    """Return the secret that a reference means; the origin is who wrote it."""
    vault, name, version = _place(reference.strip().removeprefix(_SCHEME), environment, origin)
    secret = _read(vault, name, version)
    _secrets.add(secret)
    return secret


def read_secrets() -> frozenset[str]:
    """Return every secret that was read from a vault, to be hidden in texts."""
    return frozenset(_secrets)


def _place(rest: str, environment: Mapping[str, str], origin: str) -> tuple[str, str, str]:
    """Return the vault, the name and the version that are meant."""
    if rest.startswith("https://"):
        vault, found = check_address(rest, _KIND, origin), _PATH.fullmatch(urlsplit(rest).path)
        if found:
            return vault, found["name"], found["version"] or ""
    elif _NAME.fullmatch(rest):
        address = environment.get(KEYVAULT_VARIABLE, "").strip()
        if not address:
            raise ConfigError(
                f"{origin} names the secret {rest}, and {KEYVAULT_VARIABLE} is not set.",
                "Set it to the address of the vault, such as https://my-vault.vault.azure.net.",
            )
        return check_address(address, _KIND, KEYVAULT_VARIABLE), rest, ""
    raise ConfigError(
        f"{origin} has {_SCHEME} with something that names no secret.",
        "Write keyvault:NAME, of letters, digits and hyphens, or keyvault: and its identifier.",
    )


@lru_cache(maxsize=256)  # a start reads each secret once, however often it is asked for
def _read(vault: str, name: str, version: str) -> str:
    service = Service(_KIND, vault, KEYVAULT_VARIABLE, _ROLE)
    with translated(service, f"secret {name}"):
        from azure.keyvault.secrets import SecretClient

        with open_credential() as who, SecretClient(vault, who, **BOUNDS) as client:
            value = client.get_secret(name, version or None).value
    if not value:
        raise ConfigError(
            f"The secret {name} in {service.called} is empty.", "Write its value there."
        )
    return value
