"""A secret that a variable of the environment holds, or whose place in a vault it names."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sextant.settings_sources import is_reference, resolve_reference


def read_secret_variable(name: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the secret of a variable, without space around it; nothing where it is not set."""
    environment = os.environ if environment is None else environment
    value = environment.get(name, "").strip()
    return resolve_reference(value, environment, name) if is_reference(value) else value
