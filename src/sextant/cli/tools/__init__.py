"""Commands for the tools of copilots: a file for each part of the group."""

from sextant.cli.tools import (
    catalogue,
    fronting,
    importing,
    learning,
    picturing,
    relating,
    selecting,
)
from sextant.cli.tools.group import app

__all__ = [
    "app",
    "catalogue",
    "fronting",
    "importing",
    "learning",
    "picturing",
    "relating",
    "selecting",
]
