"""Other weights than those that are shipped, for measuring what was not taught."""

from __future__ import annotations

from pathlib import Path

from sextant.llms.minilm import answers, tuning


def take_weights(folder: Path) -> None:
    """Let the bundled encoder be as bench/teach.py made it in this folder. Call this first."""
    answers.FILE = folder / answers.FILE.name
    tuning.FILE = folder / tuning.FILE.name
