"""Measure the embedded store beside its peers: ``python bench/store.py --sizes 1000,10000``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.run import main

if __name__ == "__main__":
    main()
