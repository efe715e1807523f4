"""Where values of settings are kept outside this machine: Azure Key Vault and App Configuration.

Each is asked only if a variable or a value names it, and only then is its SDK imported. Knows no
setting.
"""

from sextant.settings_sources.app_configuration import (
    APPCONFIG_LABEL_VARIABLE,
    APPCONFIG_VARIABLE,
    read_app_configuration,
)
from sextant.settings_sources.key_vault import (
    KEYVAULT_VARIABLE,
    is_reference,
    read_secrets,
    resolve_reference,
)

__all__ = [
    "APPCONFIG_LABEL_VARIABLE",
    "APPCONFIG_VARIABLE",
    "KEYVAULT_VARIABLE",
    "is_reference",
    "read_app_configuration",
    "read_secrets",
    "resolve_reference",
]
