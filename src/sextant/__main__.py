"""``python -m sextant`` is the command line."""

from sextant.cli import main

main()
