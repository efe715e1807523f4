"""Patterns: they mean what the library says they mean, and none of them takes for ever."""

from __future__ import annotations

import random

import pytest
from pathspec import GitIgnoreSpec

from sextant.errors import InvalidInput
from sextant.ingest.shaping.globs import LONGEST, MOST, git_spec

_PIECES = ("a", "b", "ab", "*", "*", "?", "[ab]", "[!c]", ".", "\\*")


def _segment(rolled: random.Random) -> str:
    glob = "".join(rolled.choice(_PIECES) for _ in range(rolled.randint(1, 4)))
    return rolled.choice(("**", "*", glob, glob))


def _pattern(rolled: random.Random) -> str:
    segments = [_segment(rolled) for _ in range(rolled.randint(1, 4))]
    return rolled.choice(("", "", "/", "!")) + "/".join(segments) + rolled.choice(("", "", "/"))


def _path(rolled: random.Random) -> str:
    names = ("".join(rolled.choices("ab.*", k=rolled.randint(1, 4))) for _ in range(5))
    return "/".join(list(names)[: rolled.randint(1, 5)]) + rolled.choice(("", "", "/"))


def test_patterns_mean_what_they_mean_to_git() -> None:
    rolled = random.Random(6)
    compared = 0
    while compared < 4_000:
        lines = [_pattern(rolled) for _ in range(rolled.randint(1, 2))]
        path = _path(rolled)
        if any("[!" in line for line in lines) and "/" in path:
            continue  # a set that leaves something out reaches over slashes in the library only
        known = GitIgnoreSpec.from_lines(lines).check_file(path)
        told = git_spec(lines, "include").check_file(path)
        assert (told.include, told.index) == (known.include, known.index), (lines, path)
        compared += 1


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 150),
        ("*a" * 499 + "b", "a" * 800),
        ("*a*/" * 50 + "b", "aaaa/" * 50 + "c"),
        ("**/a/" * 150 + "b", "a/" * 400),
        ("**/*a*/" * 100 + "b", "aaaa/" * 150),
        ("a/**/" * 150 + "b", "a/" * 400),
        ("*[!b]?/" * 100 + "b", "cc/" * 260),
        ("*?" * 400 + "b", "a" * 800),
    ],
)
def test_no_pattern_tries_every_way_through_a_path(pattern: str, path: str) -> None:
    assert not git_spec([pattern], "exclude").match_file(path)


def test_a_set_does_not_reach_into_the_next_segment() -> None:
    assert not git_spec(["/a[!b]c"], "include").match_file("a/c")
    assert git_spec(["/a[!b]c"], "include").match_file("axc")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["a" * (LONGEST + 1)], "characters long"),
        (["a"] * (MOST + 1), "patterns in include"),
        (["!"], "cannot be understood"),
        (["[z-a]"], "cannot be understood"),
    ],
)
def test_what_is_too_much_or_no_pattern_is_refused(lines: list[str], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        git_spec(lines, "include")
