"""Settings that are kept in Azure App Configuration: keys such as ``sextant:serve.port``.

A reference of the store to Key Vault becomes a value ``keyvault:IDENTIFIER``. Knows no setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sextant.settings_sources.azure_calls import (
    BOUNDS,
    Service,
    check_address,
    open_credential,
    translated,
)

APPCONFIG_VARIABLE = "SEXTANT_APPCONFIG"
"""The endpoint of the store that settings are read from."""
APPCONFIG_LABEL_VARIABLE = "SEXTANT_APPCONFIG_LABEL"
"""Which label the settings there have; without it, those that have none."""

_KIND = "configuration store"
_ROLE = "App Configuration Data Reader"
_PREFIX = "sextant:"
_NO_LABEL = "\0"


def read_app_configuration(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return settings by their names, as the store has them; none where no store is named."""
    endpoint = environment.get(APPCONFIG_VARIABLE, "").strip()
    if not endpoint:
        return ()
    label = environment.get(APPCONFIG_LABEL_VARIABLE, "").strip()
    return _read(check_address(endpoint, _KIND, APPCONFIG_VARIABLE), label)


@lru_cache(maxsize=8)  # one process has one set of settings, however often it loads them
def _read(endpoint: str, label: str) -> tuple[tuple[str, str], ...]:
    service = Service(_KIND, endpoint, APPCONFIG_VARIABLE, _ROLE)
    with translated(service, "settings"):
        from azure.appconfiguration import (
            AzureAppConfigurationClient,
            ConfigurationSetting,
            SecretReferenceConfigurationSetting,
        )

        def value_of(item: ConfigurationSetting) -> str:
            if isinstance(item, SecretReferenceConfigurationSetting):
                return f"keyvault:{item.secret_id}"
            return item.value or ""

        with (
            open_credential() as who,
            AzureAppConfigurationClient(endpoint, who, **BOUNDS) as client,
        ):
            found = client.list_configuration_settings(
                key_filter=f"{_PREFIX}*", label_filter=label or _NO_LABEL
            )
            return tuple((item.key.removeprefix(_PREFIX), value_of(item)) for item in found)
