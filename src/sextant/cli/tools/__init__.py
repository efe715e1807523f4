"""Commands for the tools of copilots: a file for each part of the group."""

from sextant.cli.tools import catalogue, importing, learning, picturing, relating, selecting
from sextant.cli.tools.group import app

__all__ = ["app", "catalogue", "importing", "learning", "picturing", "relating", "selecting"]
