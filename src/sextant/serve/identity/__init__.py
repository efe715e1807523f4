"""Who came in: one way for each mode of ``serve.auth``. Only this file knows all of them."""

from __future__ import annotations

from sextant import build
from sextant.errors import ConfigError
from sextant.prompting.calls.fetch import is_loopback
from sextant.serve.house import Identity
from sextant.serve.identity.api_key import ApiKeys
from sextant.serve.identity.keys import Keys
from sextant.serve.identity.local import Local
from sextant.serve.identity.nobody import Nobody
from sextant.serve.records.folder import lasting_folder, server_folder
from sextant.settings import TOKEN_VARIABLE, Settings, read_secret_variable


async def open_identity(settings: Settings, *, token: str = "") -> Identity:
    """Open the way in that the settings choose; the token is the local mode's, random if empty."""
    check_way_in(settings)
    auth = settings.serve.auth
    if auth == "none":
        return Nobody(settings)
    if auth == "local":
        return Local(settings, token or read_secret_variable(TOKEN_VARIABLE))
    if auth == "api-key":
        records = await build.open_server_records(settings, server_folder(settings))
        return ApiKeys(Keys(await records.open_keys()), records)
    from sextant.serve.identity.oidc import open_oidc

    return open_oidc(settings)


def check_way_in(settings: Settings) -> None:
    """Refuse settings by which nobody could come in, or anybody; nothing is opened."""
    auth = settings.serve.auth
    if auth in ("none", "local"):
        _stay_on_this_machine(settings)
    elif auth == "api-key":
        check_place_of_keys(settings)
    elif auth == "oidc":
        from sextant.serve.identity.oidc import check_issuer

        check_issuer(settings)
    else:
        raise ConfigError(f"serve.auth is {auth!r}.", "Use none, local, api-key or oidc.")


def check_place_of_keys(settings: Settings) -> None:
    """Refuse settings by which the command line and the server would not find the same keys."""
    scheme, _, rest = settings.serve.records.partition(":")
    if scheme == "memory":
        raise ConfigError(
            "With serve.records = 'memory:' nobody can make a key for this server.",
            'Set serve.records to "sqlite:".',
        )
    if scheme == "sqlite" and not rest and lasting_folder(settings) is None:
        raise ConfigError(
            "There is no folder to keep keys in.", "Let serve.folder name one; it will be made."
        )


def _stay_on_this_machine(settings: Settings) -> None:
    if not is_loopback(settings.serve.host):
        raise ConfigError(
            f"With serve.auth = {settings.serve.auth!r} the server listens on this machine only.",
            'Set serve.host to 127.0.0.1, or serve.auth to "api-key" or "oidc".',
        )
