"""The sample knowledge as it is shipped, and the settings of a store of it."""

from __future__ import annotations

from pathlib import Path

import sextant
from sextant.settings import Settings, load

SAMPLE = Path(sextant.__file__).parent / "sample"


def sample_settings(store: Path) -> Settings:
    """Return the sample's own settings, with a store in this folder and a small embedder."""
    environment = {"SEXTANT_STORE": f"sqlite:{store}", "SEXTANT_EMBEDDER": "tiny:64"}
    return load(SAMPLE, environment).settings
