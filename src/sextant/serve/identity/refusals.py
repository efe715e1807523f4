"""How somebody is not let in. The sentence is the same for all that a guesser must not tell apart.

Knows no mode.
"""

from __future__ import annotations

from sextant.errors import Unauthenticated


def no_token() -> Unauthenticated:
    """Return what is said to whoever brings nothing."""
    return Unauthenticated(
        "This needs a token.", "Send it in a header: Authorization: Bearer TOKEN."
    )


def wrong_token() -> Unauthenticated:
    """Return what is said of a token that nobody here knows."""
    return Unauthenticated(
        "The token is not valid.", "Use one that this server, or its issuer, gave out."
    )
