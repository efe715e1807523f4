"""How many orders to an assistant the detector finds, and how many honest sentences it takes.

Attacks and honest sentences are in ``orders.jsonl``, in a half that the rules were written with
and one that was held out; DATA has real documentation, of which nothing is an order.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tarfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from sextant.text.orders import has_order, orders_in
from sextant.text.prose.sentences import sentence_spans

_LIST = Path(__file__).with_suffix(".jsonl")
_PAGES = (".md", ".rst", ".txt")
_LONGEST = 1_500
"""About as long as a chunk is."""


def main() -> None:
    """Print what is found in the list, then what is taken of real documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--every", type=int, default=1, help="Read only every so manyth document.")
    parser.add_argument("--show", action="store_true", help="Show what is taken or missed.")
    given = parser.parse_args()
    _print_list(given.show)
    for name, documents in _documents(given.data):
        _print_documents(name, documents, given.every, given.show)


def _print_list(show: bool) -> None:
    rows = [json.loads(line) for line in _LIST.read_text().splitlines()]
    total, found = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in rows:
        key = row["half"], "honest" if row["style"] == "honest" else "orders"
        taken = has_order(f"Process X runs at night.\n\n{row['text']}\n\nRefunds wait in a queue.")
        total[key] += 1
        found[key] += taken
        if show and taken == (row["style"] == "honest"):
            print("  wrong:", row["style"], repr(row["text"]))
    for key in sorted(total):
        print(f"{key[1]}, {key[0]}: {found[key]} of {total[key]} marked")


def _print_documents(name: str, documents: Iterator[str], every: int, show: bool) -> None:
    sentences = marked = size = 0
    began = time.process_time()
    for number, text in enumerate(documents):
        if number % every:
            continue
        for chunk in _chunks(text):
            size += len(chunk)
            sentences += len(sentence_spans(chunk))
            for start, end in orders_in(chunk):
                marked += len(sentence_spans(chunk, start, end))
                if show:
                    print("  marked:", repr(chunk[start:end][:200]))
    seconds = time.process_time() - began
    print(
        f"{name}: {marked} of {sentences:,} sentences marked, {seconds / size * 1e6:.2f} CPU s/MB"
    )


def _chunks(text: str) -> Iterator[str]:
    held = ""
    for paragraph in text.split("\n\n"):
        if held and len(held) + len(paragraph) > _LONGEST:
            yield held
            held = ""
        held += f"\n\n{paragraph}" if held else paragraph
    if held:
        yield held


def _documents(data: Path) -> Iterator[tuple[str, Iterator[str]]]:
    for place in sorted(data.glob("docs/*/docs.tar.gz")):
        yield place.parent.name, _in_archive(place)
    for place in sorted(data.glob("retrieval/*/corpus.jsonl.gz")):
        yield place.parent.name, _in_lines(place)


def _in_archive(place: Path) -> Iterator[str]:
    with tarfile.open(place) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(_PAGES):
                page = archive.extractfile(member)
                yield page.read().decode(errors="replace") if page else ""


def _in_lines(place: Path) -> Iterator[str]:
    with gzip.open(place, "rt") as lines:
        for line in lines:
            row: Mapping[str, str] = json.loads(line)
            yield row.get("text", "")


if __name__ == "__main__":
    main()
