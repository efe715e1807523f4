"""Which protocol each remote endpoint of the settings speaks. Only that one is imported."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from sextant.errors import ConfigError
from sextant.ports import RemoteEndpoint
from sextant.settings import RemoteEndpointSettings, Settings

_HERE = "sextant.links.remote_endpoints"
_KINDS = {
    "copilotkit": (f"{_HERE}.endpoint", "CopilotKitEndpoint"),
    "agui": (f"{_HERE}.agui.endpoint", "AguiEndpoint"),
    "langserve": (f"{_HERE}.langserve", "LangServeEndpoint"),
}


def open_remote_endpoint(remote: RemoteEndpointSettings, settings: Settings) -> RemoteEndpoint:
    """Open an endpoint of the settings; it is asked when somebody first needs it."""
    if refused := wrong_kind(remote):
        raise refused
    module, kind = _KINDS[remote.kind]
    return cast(RemoteEndpoint, getattr(import_module(module), kind)(remote, settings))


def wrong_kind(remote: RemoteEndpointSettings) -> ConfigError | None:
    """Return why an endpoint cannot be opened, if its kind is none that is known here."""
    if remote.kind in _KINDS:
        return None
    return ConfigError(
        f"The kind of the remote {remote.name} is {remote.kind!r}.", f"Use {', '.join(_KINDS)}."
    )
