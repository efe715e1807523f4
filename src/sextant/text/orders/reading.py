"""A text as a model would read it: hidden signs seen, look-alikes undone, all in small letters.

Every sign knows where it stands in the text, so that what is found can be shown there.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator, Sequence

_UNSEEN = frozenset({"Cf", "Mn", "Co", "Cn"})
_TAGS = range(0xE0020, 0xE007F)
"""Signs that nobody sees and that spell ASCII, each 0xE0000 above its letter."""

_SELECTORS = range(0xE0100, 0xE01F0)
"""Signs that choose how another looks; texts are hidden in them as bytes from 16 on."""

_LOOK_ALIKE = str.maketrans("асеорхуіѕјԁӏοαιν", "aceopxyisjdloaiv")  # noqa: RUF001 - look-alikes
_LETTERS = re.compile(r"[^\W\d_]{2,60}")
_ASCII_LETTER = re.compile(r"[a-z]")
_FIGURE = re.compile(  # a set in front lets the search skip to one of them
    r"[013457$@](?:(?<=[a-z].)(?=[a-z])|(?<=[01])(?<![\w.].)(?=[a-z]{2}))"
)
_LETTER_OF = dict(zip("013457$@", "oieastsa", strict=True))
_APART = r"\b[^\W_](?:[ .*_-][^\W_]\b){4,}(?:[ ]{2,3}[^\W_](?:[ .*_-][^\W_]\b)*)*"
_STRANGE = re.compile(rf"&(?:#\d{{2,7}}|#x[0-9a-fA-F]{{2,6}});|\u202e[^\u202c\n]*|{_APART}")
_BLANKS = re.compile(r" {2,3}")
_CODED = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,8000}={0,2}(?![A-Za-z0-9+/])")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")


class _Signs(dict[str, str]):
    """How a model reads each sign, worked out when it is first met."""

    def __missing__(self, sign: str) -> str:
        code = ord(sign)
        if code in _TAGS:
            shown = chr(code - 0xE0000)
        elif code in _SELECTORS:
            shown = chr(code - 0xE0100 + 16)
        else:
            is_seen = unicodedata.category(sign) not in _UNSEEN
            shown = unicodedata.normalize("NFKC", sign) if is_seen else ""
        return self.setdefault(sign, shown.lower())


_SIGNS = _Signs()


def as_read(text: str) -> tuple[str, Sequence[int]]:
    """Return a text as a model would read it, and where each of its signs stands."""
    if not _STRANGE.search(text):
        odd = {} if text.isascii() else {ord(sign): _SIGNS[sign] for sign in set(text)}
        if all(len(read) == 1 for read in odd.values()):
            return _with_letters(_latin(text.translate(odd) if odd else text.lower())), range(
                len(text)
            )
    signs: list[str] = []
    places: list[int] = []
    for start, piece in _pieces(text):
        signs.append(piece)
        places += [start] * len(piece)
    return _with_letters(_latin("".join(signs))), places


def decoded_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what stands in codes for bytes: where, and what it says."""
    for found in _CODED.finditer(text):
        if said := _decoded(found[0]):
            yield found.start(), found.end(), said


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield each stretch that is read as one, mostly a sign, with where it starts."""
    at = 0
    for strange in (*_STRANGE.finditer(text), None):
        stop = strange.start() if strange else len(text)
        yield from ((one, _SIGNS[text[one]]) for one in range(at, stop))
        if strange:
            yield stop, _unfolded(strange[0]).lower()
            at = strange.end()


def _unfolded(strange: str) -> str:
    """Return what an entity, a text that runs backwards or letters set apart say."""
    if strange[0] == "&":
        return html.unescape(strange)
    if strange[0] == "\u202e":
        return strange[:0:-1]
    return " ".join(re.sub(r"[ .*_-]", "", word) for word in _BLANKS.split(strange))


def _latin(text: str) -> str:
    """Return a text with Latin letters for those that look like them in words of both."""
    if text.isascii():
        return text
    return _LETTERS.sub(_latin_word, text)


def _latin_word(word: re.Match[str]) -> str:
    return word[0].translate(_LOOK_ALIKE) if _ASCII_LETTER.search(word[0]) else word[0]


def _with_letters(text: str) -> str:
    """Return a text with letters for the figures that stand for them in words: ``1gn0re``."""
    return _FIGURE.sub(lambda figure: _LETTER_OF[figure[0]], text)


def _decoded(word: str) -> str:
    try:
        if _HEX.fullmatch(word):
            said = bytes.fromhex(word).decode()
        else:
            said = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return said if said.isprintable() and " " in said else ""
