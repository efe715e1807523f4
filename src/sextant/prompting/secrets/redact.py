"""Texts without the keys in them: those that were read here or in a vault, and what looks like one.

Knows no provider. What is hidden stays hidden: redacting a text twice changes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote

from sextant.settings_sources import read_secrets

HIDDEN = "[hidden]"

_SHORTEST = 4
"""Shorter secrets, such as the `x` that a local server is given, are parts of common words."""

_remembered: set[str] = set()

_KEYLIKE = re.compile(
    r"""
    \b(?:sk|xai)-[\w*-]{8,}                                       # OpenAI, Anthropic, …
  | \bAIza[\w*-]{16,}                                             # Google
  | \b(?:gsk|hf|gh[opsu]|github_pat|sxt)_[\w*]{12,}
  | \b(?:AKIA|ASIA)[A-Z0-9]{12,}
  | \beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?                        # JSON web tokens
  | (?<=://)[^\s/?\#@"'<>]+(?=@)                                  # user:password@host
    """,
    re.VERBOSE,
)

_VALUE = r"""[^\s"'`&,;<>(){}\[\]]"""
_NAMED = re.compile(
    rf"""
    (?P<name>
        \bbearer\s+
      | (?<![a-z])(?:api[-_ ]?key|[a-z]*[-_]?token|[a-z]*[-_]?secret|passw(?:or)?d|authorization
          |[a-z]*-key|key|sig)["']?\s*(?P<sign>[=:])\s*["']?(?:(?:basic|bearer)\s+)?
    )
    (?P<value>(?(sign)(?:
          (?<==){_VALUE}{{4,}}
        | (?!(?-i:[A-Z]+_[A-Z_]+\b))(?={_VALUE}*\d|{_VALUE}{{16}}){_VALUE}{{4,}}   # no VARIABLE
      )
      | (?=[\w.~+/=-]*\d|[\w.~+/=-]{{16}})[\w.~+/=-]{{6,}}
    ))
    """,
    re.VERBOSE | re.IGNORECASE,
)

_NEAR = re.compile(
    r"""
    (?P<name>\b[Kk]eys?\b|\bKEYS?\b|\b[Tt]okens?\b|\b[Ss]ecrets?\b|\b[Cc]redentials?\b)
    (?P<between>[^\n]{0,40}?(?<![\w:/.+=-]))
    (?P<value>
        [0-9a-fA-F]{32,}
      | (?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*\d)[A-Za-z0-9][\w+/=-]{19,}
    )
    """,
    re.VERBOSE,
)


def remember(secret: str) -> None:
    """Hide this secret from now on, wherever a text is redacted."""
    _remembered.add(secret)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """Hide these secrets, those that are remembered or of a vault, and what looks like one."""
    known = frozenset(_remembered.union(secrets, read_secrets()))
    while (less := _once(text, known)) != text:
        text = less
    return text


def _once(text: str, secrets: frozenset[str]) -> str:
    # What is hidden is left out of the search, so that a mark is never a part of a secret.
    return HIDDEN.join(_hide(piece, secrets) for piece in text.split(HIDDEN))


def _hide(piece: str, secrets: frozenset[str]) -> str:
    known = _pattern(secrets)
    if known is not None:
        piece = known.sub(HIDDEN, piece)
    piece = _KEYLIKE.sub(HIDDEN, piece)
    piece = _NAMED.sub(rf"\g<name>{HIDDEN}", piece)
    return _NEAR.sub(rf"\g<name>\g<between>{HIDDEN}", piece)


@lru_cache(maxsize=16)
def _pattern(secrets: frozenset[str]) -> re.Pattern[str] | None:
    """Match these secrets as they are, and as they are written in an address."""
    forms = {form for one in secrets for form in (one, quote(one, safe=""))}
    long_enough = sorted((one for one in forms if len(one) >= _SHORTEST), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, long_enough))) if long_enough else None
