"""Patterns as Git writes them, matched in time that grows with a path, whoever wrote the pattern.

The expressions of the library try every way in which stars can share a path out. Here each star but
the last takes as little as it can and never looks back, which finds a match wherever there is one:
what it leaves, the next star can take.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from sextant.errors import InvalidInput

LONGEST = 1_000
MOST = 2_000
# These are how the library writes `*`, `**/` in front and `/**` within; all else in an expression
# is a slash, or one character of a segment, in which no slash stands.
_STAR, _FRONT, _WITHIN = "[^/]*", "^(?:.+/)?", "(?:/.+)?"
_ONE = re.compile(r"\\.|\[\^/\]\+?|(\[\^?\]?(?:[^\]\\]|\\\\)*\])", re.DOTALL)
_SLASH = re.compile(r"(?<!\[\^)/")
_END = re.compile(r"\(\?P<ps_d>/\)$|\(\?:\(\?P<ps_d>/\)\|\$\)$")


class _Pattern(GitIgnoreSpecPattern):
    """One line that Git would understand."""

    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]
        """Return an expression that never looks back, and whether it takes in or leaves out."""
        regex, include = super().pattern_to_regex(pattern)
        return _forward(regex) if regex and regex.startswith("^") else regex, include


def git_spec(lines: Iterable[str], where: str) -> GitIgnoreSpec:
    """Return what lines mean together, or refuse them; it is told where they stand."""
    lines, hint = list(lines), "Patterns are written as in .gitignore."
    if len(lines) > MOST:
        raise InvalidInput(f"There are over {MOST:,} patterns in {where}.", "Write fewer of them.")
    if any(len(line) > LONGEST for line in lines):
        raise InvalidInput(f"A pattern of {where} is over {LONGEST:,} characters long.", hint)
    try:
        return GitIgnoreSpec.from_lines(lines, _Pattern, backend="simple")
    except (ValueError, re.error):
        raise InvalidInput(f"A pattern of {where} cannot be understood.", hint) from None


def _forward(regex: str) -> str:
    """Return an expression whose stars never look back, but for the last of each kind."""
    end = _END.search(regex)
    body, rest = (regex[: end.start()], end[0]) if end else (regex, "")
    has_front = body.startswith(_FRONT)
    body = body.removeprefix(_FRONT) if has_front else body[1:]
    *runs, last = ("/".join(map(_segment, _SLASH.split(run))) for run in body.split(_WITHIN))
    if not runs:
        return f"{_FRONT if has_front else '^'}{last}{rest}"
    first = f"(?>(?:.+?/)??{runs[0]}(?=/))" if has_front else runs[0]
    found = "".join(f"(?>(?:/.+?)??{run}(?=/))" for run in runs[1:])
    return f"^{first}{found}{_WITHIN}{last}{rest}"


def _segment(regex: str) -> str:
    first, *parts = _ONE.sub(_without_slash, regex).split(_STAR)
    if not parts:
        return first
    between = "".join(f"(?>[^/]*?{part})" for part in parts[:-1] if part)
    return f"{first}{between}{_STAR}{parts[-1]}"


def _without_slash(one: re.Match[str]) -> str:
    """Return one character of a segment: a set of them must not reach into the next."""
    return f"(?!/){one[1]}" if one[1] else one[0]
