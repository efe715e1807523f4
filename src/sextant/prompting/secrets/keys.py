"""Where a provider's key comes from: its environment variable, else a file that is nobody else's.

Whatever is read here is remembered by ``redact``. Knows no provider.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from sextant.errors import ModelAuthentication
from sextant.prompting.secrets.redact import remember
from sextant.settings import ModelSettings, read_secret_variable

_MOST = 16_384
_OTHERS = 0o077


def key_for(
    variables: Sequence[str],
    settings: ModelSettings,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Return the provider's key, or say which variable to set."""
    key = key_if_any(variables, settings, environment)
    if not key:
        where = " or ".join(variables)
        raise ModelAuthentication(
            f"There is no key: {where or 'model.key_file'} is not set.",
            f"Set {where}, or name a file that holds the key: SEXTANT_MODEL_KEY_FILE."
            if where
            else "Name a file that holds the key: SEXTANT_MODEL_KEY_FILE.",
        )
    return key


def key_if_any(
    variables: Sequence[str],
    settings: ModelSettings,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Return the provider's key, or nothing where none is set: some servers need none."""
    for variable in variables:
        if key := read_secret_variable(variable, environment):
            return _checked(key, variable)
    if settings.key_file:
        path = Path(settings.key_file).expanduser()
        return _checked(_first_line(path), path.name)
    return ""


def _checked(key: str, origin: str) -> str:
    remember(key)
    # Clients put such a key into their complaint about it, so it must not get that far.
    if not key.isascii() or any(not "!" <= letter <= "~" for letter in key):
        raise ModelAuthentication(
            f"What {origin} holds is no key: it has a space or a letter that no key has.",
            "Copy the key again, alone and on one line.",
        )
    return key


def _first_line(path: Path) -> str:
    try:
        if not path.is_file():
            raise ModelAuthentication(
                f"The key file {path.name} is not a file.",
                "Correct model.key_file, or SEXTANT_MODEL_KEY_FILE.",
            )
        with path.open("rb") as file:
            _check_mode(file.fileno(), path)
            content = file.read(_MOST)
    except OSError as error:
        raise ModelAuthentication(
            f"The key file {path.name} cannot be read: {error.strerror}.",
            "Correct model.key_file, or who may read it.",
        ) from None
    line = content.decode("utf-8", "replace").lstrip("\ufeff").partition("\n")[0].strip()
    if not line:
        raise ModelAuthentication(
            f"The key file {path.name} has nothing in its first line.", "Write the key there."
        )
    return line


def _check_mode(descriptor: int, path: Path) -> None:
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    if os.name == "posix" and mode & _OTHERS:
        raise ModelAuthentication(
            f"Others may read the key file {path.name} (its mode is {mode:04o}).",
            f"Run: chmod 600 {path}",
        )
