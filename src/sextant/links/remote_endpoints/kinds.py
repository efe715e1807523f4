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
    if remote.kind not in _KINDS:
        raise ConfigError(
            f"The kind of the remote {remote.name} is {remote.kind!r}.",
            f"Use {', '.join(_KINDS)}.",
        )
    module, kind = _KINDS[remote.kind]
    return cast(RemoteEndpoint, getattr(import_module(module), kind)(remote, settings))
