"""One token for whoever runs the server: made at its start, or given so that it outlives it."""

from __future__ import annotations

import hmac
import secrets

from sextant.errors import ConfigError
from sextant.serve.caller import EVERY_ROLE, Caller
from sextant.serve.identity.refusals import no_token, wrong_token
from sextant.settings import TOKEN_VARIABLE, Settings

_BYTES = 32
_SHORTEST, _LONGEST = 16, 1_000


class Local:
    """Lets in whoever has the token."""

    def __init__(self, settings: Settings, token: str = "") -> None:
        self.token = _checked(token) if token else secrets.token_urlsafe(_BYTES)
        self._caller = Caller("local", settings.serve.tenant, roles=EVERY_ROLE)

    async def caller(self, token: str | None) -> Caller:
        """Return who runs this server, if that is who came."""
        if not token:
            raise no_token()
        given = token[: _LONGEST + 1].encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(given, self.token.encode()):
            raise wrong_token()
        return self._caller

    async def close(self) -> None:
        """Nothing is open."""


def _checked(token: str) -> str:
    if not _SHORTEST <= len(token) <= _LONGEST or any(not "!" <= letter <= "~" for letter in token):
        raise ConfigError(
            f"The token for this server has to be {_SHORTEST} to {_LONGEST:,} plain characters.",
            f"Leave {TOKEN_VARIABLE} out, and one is made.",
        )
    return token
