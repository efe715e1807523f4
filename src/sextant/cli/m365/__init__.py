"""Commands for Microsoft 365: a file for each."""

from sextant.cli.m365 import packaging, trying
from sextant.cli.m365.group import app

__all__ = ["app", "packaging", "trying"]
