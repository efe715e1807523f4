"""How a service of Azure that keeps values is called: as who this machine is, and within bounds.

Knows what its refusals mean; no secret and no setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sextant.errors import ConfigError, MissingExtra, SettingsUnreachable

if TYPE_CHECKING:
    from azure.core.exceptions import HttpResponseError
    from azure.identity import DefaultAzureCredential

BOUNDS: Mapping[str, Any] = {
    "connection_timeout": 5,  # seconds; a server that starts should not wait for longer
    "read_timeout": 10,
    "retry_total": 2,
    "retry_backoff_factor": 0.2,
}
"""How long one call may take, and how often what may pass is tried again."""

_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404
_FIREWALL = ("ForbiddenByFirewall", "ForbiddenByConnection", "NetworkSecurityPerimeter")
"""What Key Vault calls a refusal that no role would change."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that is called: what it is, where, which variable says so, which role reads it."""

    kind: str
    address: str
    variable: str
    role: str

    @property
    def called(self) -> str:
        """Return how it is called in a sentence."""
        return f"the {self.kind} {urlsplit(self.address).hostname}"


def check_address(address: str, kind: str, variable: str) -> str:
    """Return the address of a service, or say how one looks: a token goes nowhere without TLS."""
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise ConfigError(
            f"{variable} is not the https address of a {kind}.",
            f"Set it as Azure shows it, such as {_EXAMPLES[kind]}.",
        )
    return f"https://{parts.netloc}"


_EXAMPLES = {
    "key vault": "https://my-vault.vault.azure.net",
    "configuration store": "https://my-store.azconfig.io",
}


def open_credential() -> DefaultAzureCredential:
    """Open what proves who this machine is: its managed identity, or whoever is signed in."""
    from azure.identity import DefaultAzureCredential

    return DefaultAzureCredential()


@contextmanager
def translated(service: Service, what: str) -> Iterator[None]:
    """Turn what the SDK raises while something is read into an error that says what to do."""
    try:
        from azure.core.exceptions import (
            AzureError,
            ClientAuthenticationError,
            HttpResponseError,
        )
    except ImportError as error:
        raise missing_package(service, error) from error
    try:
        yield
    except ImportError as error:
        raise missing_package(service, error) from error
    except ClientAuthenticationError:
        raise ConfigError(
            f"Azure gives this machine no token that opens {service.called}.",
            "Give it a managed identity (AZURE_CLIENT_ID names one of several), or `az login`.",
        ) from None
    except HttpResponseError as error:
        raise _refusal(service, what, error) from None
    except AzureError:
        raise _unreachable(service) from None
    except ValueError:
        # The SDK sends no token to a host that is not of the domain that it says it is.
        raise ConfigError(
            f"What answers at {service.address} is not a {service.kind}.",
            f"Correct {service.variable}.",
        ) from None


def missing_package(service: Service, error: ImportError) -> MissingExtra:
    """Return an error that says which extra has the SDK that is missing."""
    return MissingExtra(
        f"Reading from a {service.kind} needs the package {error.name or 'azure'}, "
        "which is not installed.",
        "Run: pip install 'sextant[azure]'",
    )


def _refusal(service: Service, what: str, error: HttpResponseError) -> ConfigError:
    status, code = error.status_code, _inner_code(error)
    if status == _NOT_FOUND:
        return ConfigError(
            f"There is no {what} in {service.called}.", "Correct the name, or add it there."
        )
    if code == "SecretDisabled":
        return ConfigError(f"The {what} in {service.called} is disabled.", "Enable it there.")
    if status == _FORBIDDEN and code in _FIREWALL:
        return ConfigError(
            f"The network rules of {service.called} keep this machine out.",
            "Let its address or network in there.",
        )
    if status in (_UNAUTHORIZED, _FORBIDDEN):
        return ConfigError(
            f"This machine may not read the {what} in {service.called}.",
            f"Give its identity the role {service.role} there; a new role needs some minutes.",
        )
    return _unreachable(service, f" It answers with status {status}.")


def _inner_code(error: HttpResponseError) -> str:
    """Return the most exact code of a refusal, as Key Vault puts it into the inner error."""
    inner: Any = error.error and error.error.innererror
    return str(inner.get("code", "")) if isinstance(inner, dict) else ""


def _unreachable(service: Service, why: str = "") -> SettingsUnreachable:
    called = service.called[0].upper() + service.called[1:]
    return SettingsUnreachable(
        f"{called} cannot be read now.{why}",
        f"Check {service.variable} and the network, then start again.",
    )
