"""When two spellings are one name: case, width, spacing and punctuation do not count."""

from __future__ import annotations

import re

from sextant.text.words import fold

_SEPARATORS = re.compile(r"[\W_]+")


def normal_name(name: str) -> str:
    """Return the form under which a name is looked up; a name of signs alone stays as it is."""
    folded = fold(name)
    return _SEPARATORS.sub(" ", folded).strip() or folded.strip()
