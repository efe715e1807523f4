"""Other weights than those that are shipped, for measuring what was not taught."""

from __future__ import annotations

from pathlib import Path

from sextant.llms import minilm_answers, minilm_tuning


def take_weights(folder: Path) -> None:
    """Let the bundled encoder be as bench/teach.py made it in this folder. Call this first."""
    minilm_answers.FILE = folder / minilm_answers.FILE.name
    minilm_tuning.FILE = folder / minilm_tuning.FILE.name
