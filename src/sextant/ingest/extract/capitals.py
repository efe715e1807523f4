"""Which capitalised words of a page are names. Knows English prose, and no entity.

A capital is worth something only where a small letter could stand: inside of a sentence. On a page
whose language gives one to every noun, as German does, it says nothing, and no name is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from sextant.text.prose.sentences import OPENERS

DATES = frozenset(
    "january february march april may june july august september october november december "  # noqa: SIM905 - words read best as words
    "monday tuesday wednesday thursday friday saturday sunday".split()
)

_LEFT_OUT = re.compile(
    r"^[ \t]*(```|~~~).*?^[ \t]*\1|\{%.*?%\}|<[^<>\n]{1,300}>|``[^`\n]+``|`[^`\n]+`|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
"""Code, templates, tags and addresses, which are not prose."""

_ELSEWHERE, _TARGET = (
    re.compile(r"\]\(https?://[^)\s]*\)"),
    re.compile(r"\]\([^)\s]*\)|\]\[[^\]\n]*\]"),
)
_AWAY = "]^"
"""What ends the text of a link to another site."""

_WORD = r"[A-Z][\w&+]*(?:-[A-Z]\w*)*"
_RUN = re.compile(
    r"(?<![\w.`'’/@#$<-])([a-z][\w'’-]*),? (\[?)"  # noqa: RUF001 - an apostrophe as it is printed
    rf"({_WORD}(?: (?:of )?(?:{_WORD}|\d\w*(?:\.\w+)*))*)(?![\w-])"
)
"""A small word, and the capitalised ones behind it."""

NAME_ENDS = (
    "after also and are as at because before by can for from had has have if in instead is may "
    "must on or should since so that through to via was were when where which while who will with "
    "would"
)
"""Words that follow a name that stands by itself."""

_HEAD = re.compile(
    r"(?:\]\^?)?(?:['’]s\b|[\"”’']?(?:[.,;:!?)]|\s*\Z|\n\n)"  # noqa: RUF001 - quotes as they are printed
    rf"|[\"”]? (?:{NAME_ENDS.replace(' ', '|')})\b(?<!and)(?<! or)|[\"”]? (?:and|or) (?!\[?[A-Z]))"
)
"""What follows a name that stands by itself, and not in front of another noun."""

_SHOWN_BY = frozenset(
    "button called choose click go hit labeled menu named press see select tab tap titled "  # noqa: SIM905 - words read best as words
    "under".split()
)
"""Words before what a button, a menu or a heading says."""

_NEAR, _LEAD = 3, 40
"""So many words before a run, in so many characters, say what it is."""


_VALUES = frozenset({"False", "None", "Null", "True"})
_BETWEEN = frozenset("and da de del den der di du for la of the van von".split())  # noqa: SIM905 - words read best as words
_SMALL_STARTS = tuple(f"{word} " for word in sorted(_BETWEEN))
_CAMEL = re.compile(r"(?<!^Mac)(?<!^Mc)(?<=[a-z\d])[A-Z]|[A-Z]{2}[a-z]")
_PRODUCT = re.compile(r"[a-z][A-Z]{2,}\Z")
"""Capitals at the end of a word, as in PostgreSQL."""

_COMMON = frozenset(
    "account application backend button candidate case code configuration dashboard date default "  # noqa: SIM905 - words read best as words
    "detail documentation entity error example field file form function gateway guide icon id "
    "instance interface item key list message method mode model name node number object option "
    "page parameter plugin pod practice property question reference release request resource role "
    "rule screen section setting setup source standard status step table template test token type "
    "update user value version view".split()
)
"""What a page capitalises now and then, though it names nothing: the last word of such a run."""

_SMALL_WORD = re.compile(r"(?<![\w])[a-z][a-z'-]*")
_OFTEN = 3
"""What is named so often is no phrase before an acronym: Argo CD, but not Kubernetes YAML."""

_SHORT_ING = 5
"""Longer words that end so are of a heading or a task; Bing and Boeing are not."""

_PLURAL_CAPITALS = re.compile(r"[A-Z]{2,}s\Z")

_MID = re.compile(
    # A set in front lets the search skip to it, and to the end of what it found.
    r"[^\W\dA-Z_](?<![\w.`'’/@#$<-].)[\w'’-]*+(?=,? ([^\W\d_][\w-]+))"  # noqa: RUF001 - an apostrophe as it is printed
)
_GLUE = re.compile(r"\b(?:and|of|the|to)\b")
_NOUNS, _GLUED, _FEWEST, _SMALL = 0.25, 0.03, 30, 20
"""Of the words inside of sentences, 30 to 48 % have a capital in Debian's developers' reference in
German, and at most 19 % on 98 of 100 pages of seven sets in English, where such small words are
more than one in ten. On fewer words, or with fewer small ones, as in a list, nobody can tell."""


def prose_in(text: str) -> str:
    """Return a text without its code, tags and addresses."""
    return _LEFT_OUT.sub(" ~ ", _TARGET.sub("]", _ELSEWHERE.sub(_AWAY, text)))


def has_noun_capitals(prose: str) -> bool:
    """Whether the language of a text gives every noun a capital."""
    words = prose.split()
    if len(_GLUE.findall(prose)) >= _GLUED * len(words):
        return False
    inside = _MID.findall(prose)
    capitals = sum(word[0].isupper() for word in inside)
    if len(inside) < _FEWEST or capitals < _NOUNS * len(inside):
        return False
    return len({word for word in words if word.islower()}) >= _SMALL


def names_in(prose: str) -> frozenset[str]:
    """Return the runs of capitalised words that are names wherever they stand in a text."""
    found, common = Counter[str](), set[str]()
    for before, is_linked, run in _runs(prose):
        if before in ("a", "an"):
            common.add(run)
        elif is_linked or not is_of_code(run):
            found[run] += 1
    words = frozenset(_SMALL_WORD.findall(prose))
    return frozenset(
        run
        for run, count in found.items()
        if run not in common and _can_be_name(run) and _is_own(run.split(), words, count)
    )


def _is_own(run: Sequence[str], words: Set[str], count: int) -> bool:
    """Whether a run is more than words of the page, which it also writes small."""
    small = [one.lower() for one in run if one not in _BETWEEN]
    near = {form for one in small for form in (one, f"{one}s", one.removesuffix("s"))}
    return (
        near.isdisjoint(words)
        and min(map(len, run)) > 1
        and (len(run) == 1 or count >= _OFTEN or not run[-1].isupper())
        and not (len(run) > 1 and is_of_code(run[-1]))
        and small[-1] not in _COMMON
        and small[-1].removesuffix("s") not in _COMMON
        and not any(map(_is_task, run))
        and OPENERS.isdisjoint(one.lower() for one in run[1:] if one not in _BETWEEN)
    )


def _runs(prose: str) -> Iterator[tuple[str, bool, str]]:
    """Yield each run that stands by itself, the word before it, and whether it links away."""
    for found in _RUN.finditer(prose):
        before, bracket, run = found.groups()
        is_whole = not bracket or prose.startswith("]", found.end())
        lead = prose[max(0, found.start() - _LEAD) : found.end(1)].split()[-_NEAR:]
        is_shown = not _SHOWN_BY.isdisjoint(map(str.lower, lead))
        if is_whole and not is_shown and _HEAD.match(prose, found.end()):
            yield before, prose.startswith(_AWAY, found.end()), run


def is_of_code(word: str) -> bool:
    """Whether a single word has capitals inside as names of code have: ConfigMap, ValueError."""
    return " " not in word and bool(_CAMEL.search(word)) and not _PRODUCT.search(word)


def is_word_in(prose: str, name: str) -> bool:
    """Whether a name is also written in small letters, as a word is, of one or several."""
    one = re.escape(name.lower().removesuffix("s"))
    return re.search(rf"\b{one}s?\b", prose) is not None


def is_used(prose: str, name: str) -> bool:
    """Whether a sentence goes on behind a name of several words, each with a capital."""
    words = name.split()
    is_common = words[-1].lower().removesuffix("s") in _COMMON or any(map(_is_task, words))
    is_run = len(words) > 1 and is_capitalised(name) and not is_common
    return is_run and re.search(rf"\b{re.escape(name)} (?=[a-z])", prose) is not None


def _is_task(word: str) -> bool:
    return word.endswith("ing") and len(word) > _SHORT_ING


def is_capitalised(name: str) -> bool:
    """Whether all words of a name have a capital, but for small ones between them."""
    return (
        _can_be_name(name)
        and all(word[0].isupper() or word[0].isdigit() or word in _BETWEEN for word in name.split())
        and not name.startswith(_SMALL_STARTS)
    )


def _can_be_name(run: str) -> bool:
    words = run.split()
    return (
        len(run) > 2
        and not words[-1][0].isdigit()
        and words[0].lower() not in OPENERS | DATES
        and words[-1].lower() not in DATES
        and not (len(words) > 1 and run.isupper())
        and not any(map(_PLURAL_CAPITALS.search, words))
        and "_" not in run
        and run not in _VALUES
    )
