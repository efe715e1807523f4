"""Measure ``sextant ingest`` beside its peers: ``python bench/ingest.py --quick``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.ingesting.run import main

if __name__ == "__main__":
    main()
