"""The token in every request to a server that wants one. Knows no way to get one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import suppress

import httpx2

from sextant.errors import SextantError
from sextant.links.tokens import Tokens


class Bearer(httpx2.Auth):
    """Puts the token that holds now into every request; where it is refused, once a newer one."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send a request, and where it is not let in, once more."""
        token = await self._tokens.token()
        request.headers["Authorization"] = f"Bearer {token}"
        answer = yield request
        if answer.status_code != httpx2.codes.UNAUTHORIZED:
            return
        with suppress(SextantError):  # without another one, the refusal is what there is to tell
            newer = await self._tokens.instead_of(token)
            if newer != token:
                request.headers["Authorization"] = f"Bearer {newer}"
                yield request
