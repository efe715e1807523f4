"""The public documentation set as files, and copies of it in which half of the names are new.

Knows nothing of what will read the files. The same copy is the same to the byte in every run.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import ahocorasick_rs

SET = Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval" / "k8s-docs"
SAMPLE = Path(__file__).resolve().parents[2] / "src" / "sextant" / "sample" / "knowledge"

_TOKEN = re.compile(r"\S+")
_CORE = re.compile(r"[A-Za-z](?:[\w-]*\w)?")
_LINK = re.compile(r"\]\([^)\n]*\)")
_SYLLABLES = ("ba", "ko", "ri", "tel", "mun", "dar", "vo", "sil", "qua", "zen", "pol", "hy")


@dataclass(frozen=True, slots=True)
class Page:
    """A document of the set: its sections stand one below the other, as they once did."""

    path: str
    title: str
    text: str

    def file(self) -> str:
        """Return it as a Markdown file with its title in front."""
        return f"---\ntitle: {json.dumps(self.title)}\n---\n\n{self.text}\n"


def available() -> bool:
    """Say whether the set is here."""
    return (SET / "corpus.jsonl.gz").is_file()


@functools.cache
def pages() -> tuple[Page, ...]:
    """Read the set, section by section, into its documents."""
    sections: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    with gzip.open(SET / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            path = row["id"].partition("#")[0]
            titles.setdefault(path, row["title"])
            sections.setdefault(path, []).append(row["text"])
    return tuple(Page(path, titles[path], "\n\n".join(own)) for path, own in sections.items())


def part(whole: Sequence[Page], number: int, parts: int) -> list[Page]:
    """Return every so-many-th document, so that all parts are alike."""
    return [page for at, page in enumerate(whole) if at % parts == number]


def write(chosen: Iterable[Page], folder: Path) -> Path:
    """Write documents as files, and return the folder."""
    for page in chosen:
        file = folder / page.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.file(), encoding="utf-8")
    return folder


def copy(page: Page, number: int) -> Page:
    """Return a document of copy ``number``: its title is new, and half of the names in it are."""
    if not number:
        return page
    text, made, at = page.text, [], 0
    for start, end, title in _kept_whole(text):
        made.append(_renamed(text[at:start], number))
        made.append(_new_title(title, number) if title else text[start:end])
        at = end
    made.append(_renamed(text[at:], number))
    return Page(page.path, _new_title(page.title, number), "".join(made))


def _kept_whole(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is not renamed word by word: titles, and the targets of links, without a title."""
    titles = _title_finder()
    names = [(start, end, text[start:end]) for _, start, end in titles(text)]
    targets = [(link.start(), link.end(), "") for link in _LINK.finditer(text)]
    at = 0
    for start, end, title in sorted(names + targets):
        cut = title and (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())
        if start >= at and not cut:
            yield start, end, title
            at = end


@functools.cache
def _title_finder() -> Callable[[str], list[tuple[int, int, int]]]:
    titles = sorted({page.title for page in pages() if " " in page.title})
    longest = ahocorasick_rs.MATCHKIND_LEFTMOST_LONGEST
    return ahocorasick_rs.AhoCorasick(titles, matchkind=longest).find_matches_as_indexes


def _new_title(title: str, number: int) -> str:
    new = _renamed(title, number)
    return new if new != title else f"{title} {_new_word(number).capitalize()}"


def _renamed(text: str, number: int) -> str:
    return _TOKEN.sub(lambda token: _renamed_token(token.group(), number), text)


def _renamed_token(token: str, number: int) -> str:
    if token.isalpha() and token.islower():
        return token
    core = _CORE.search(token)
    if core is None or "/" in token or not _changes(core.group(), number):
        return token
    return f"{token[: core.end()]}{_ending(core.group(), number)}{token[core.end() :]}"


def _changes(name: str, number: int) -> bool:
    """Decide by lot, the same for a name throughout a copy."""
    if name not in _names():
        return False
    return hashlib.blake2b(f"{number} {name}".encode(), digest_size=1).digest()[0] % 2 == 0


def _ending(name: str, number: int) -> str:
    """Return what makes a name another one of the same kind."""
    word = _new_word(number)
    if "-" in name or "_" in name:
        joint = "-" if "-" in name else "_"
        return joint + (word.upper() if name.isupper() else word)
    inner = name[1:]
    if name.isupper():
        return word.upper()
    return word.capitalize() if inner != inner.lower() else word


@functools.cache
def _new_word(number: int) -> str:
    base = len(_SYLLABLES)
    return "".join(_SYLLABLES[number // base**place % base] for place in range(3))


@functools.cache
def _names() -> frozenset[str]:
    """Return the words that name something: identifiers, and what is seldom written small."""
    counts = Counter(_cores())
    return frozenset(name for name in counts if _is_coded(name) or _is_proper(name, counts))


def _cores() -> Iterator[str]:
    for page in pages():
        for token in f"{page.title} {page.text}".split():
            core = _CORE.search(token)
            if core:
                yield core.group()


def _is_coded(name: str) -> bool:
    inner = name[1:]
    return "-" in inner or "_" in inner or (inner != inner.lower() and not name.isupper())


def _is_proper(name: str, counts: Counter[str]) -> bool:
    return len(name) > 1 and name[0].isupper() and counts[name] > counts[name.lower()]
