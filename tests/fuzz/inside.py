"""What no answer may tell: where things lie, how they failed, and who else is there."""

from __future__ import annotations

import re
from pathlib import Path

OTHERS = "tenant-that-nobody-names"
SECRET = "cormorant"
_SIGNS = (
    r"Traceback \(most recent call last\)",
    r"File \"[^\"]+\", line \d+",
    r"site-packages",
    r"\.py\b.{0,20}\bline \d+",
    r"sqlite3?\.\w*Error",
    r"<[\w.]+ object at 0x[0-9a-f]+>",
    re.escape(str(Path(__file__).parents[2])),
    OTHERS,
    SECRET,
)


def told_of_inside(text: str, folder: Path, sent: str = "") -> list[str]:
    """Return what a text gives away that nobody sent."""
    signs = re.compile("|".join((*_SIGNS, re.escape(str(folder)))))
    return [found for found in signs.findall(text) if found not in sent]
