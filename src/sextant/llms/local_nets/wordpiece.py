"""Text to token ids, as BERT uncased was taught them. Knows the vocabulary, no model."""

from __future__ import annotations

import itertools
import unicodedata
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CLS, SEP, UNK = "[CLS]", "[SEP]", "[UNK]"
LONGEST_WORD = 100
CACHED_WORDS = 20_000
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# Not the unassigned Cn: which characters those are differs from one Python to the next.
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs", "Mn"})
_CJK = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A vocabulary that cuts each word into its longest known pieces, from the left."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._longest_piece = max(map(len, vocabulary))
        self._cls, self._sep, self._unk = (vocabulary[token] for token in (CLS, SEP, UNK))
        self._known: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the ids of the text between [CLS] and [SEP], at most limit of them in all."""
        return self.ids_and_places(text, (), limit)[0]

    def ids_and_places(
        self, text: str, spans: Iterable[tuple[int, int]], limit: int
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids, and between which of them the words stand that begin in each span."""
        room = limit - 2
        ids, ends = [self._cls], [1]
        for word in words(text, room):
            ids.extend(self._word(word))
            ends.append(len(ids))
            if len(ids) > room:
                break
        most, spans = len(ends) - 1, list(spans)
        before = words_before(text, itertools.chain(*spans), room)
        place = {cut: min(ends[min(count, most)], room + 1) for cut, count in before.items()}
        return [*ids[: room + 1], self._sep], [(place[start], place[end]) for start, end in spans]

    def _word(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self._unk,)
        known = self._known.get(word)
        if known is None:
            known = self._cut(word)
            if len(self._known) >= CACHED_WORDS:
                self._known.clear()
            self._known[word] = known
        return known

    def _cut(self, word: str) -> tuple[int, ...]:
        ids, start = [], 0
        while start < len(word):
            end, piece = self._longest(word, start)
            if piece is None:
                return (self._unk,)
            ids.append(piece)
            start = end
        return tuple(ids)

    def _longest(self, word: str, start: int) -> tuple[int, int | None]:
        prefix = "##" if start else ""
        for end in range(min(len(word), start + self._longest_piece), start, -1):
            piece = self._vocabulary.get(prefix + word[start:end])
            if piece is not None:
                return end, piece
        return start, None


def load() -> WordPiece:
    """Return the tokenizer with the vocabulary that lies beside this file."""
    text = files(__package__).joinpath("vocab.txt").read_text(encoding="utf-8")
    return WordPiece({token: number for number, token in enumerate(text.rstrip("\n").split("\n"))})


def words(text: str, limit: int) -> list[str]:
    """Return the first words: lower case, no accents, each mark and each ideograph on its own."""
    return _folded(text).split(None, limit)[:limit]


def words_before(text: str, cuts: Iterable[int], limit: int) -> dict[int, int]:
    """Return how many words begin before each place in a text; beyond the limit none is counted."""
    before: dict[int, int] = {}
    count, last, in_word = 0, 0, False
    for cut in sorted(set(cuts)):
        if count < limit:
            folded = _folded(text[last:cut])
            # A word that was begun on the other side of the cut is no new one.
            count += len(folded.split()) - (in_word and folded[:1] not in ("", " "))
            in_word = folded[-1:] != " " if folded else in_word
        before[cut], last = count, cut
    return before


def _folded(text: str) -> str:
    return unicodedata.normalize("NFD", text).translate(_FOLDS)


class _Folds(dict[int, str]):
    """What each character of decomposed text becomes, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        fold = _fold(chr(code))
        # The rest of Unicode is a million rare characters: cheap to fold, dear to keep.
        if code < 0x10000:
            self[code] = fold
        return fold


_FOLDS = _Folds()


def _fold(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r" or category[0] == "Z":
        return " "
    if character == "\ufffd" or category in _DROPPED:
        return ""
    if character in _ASCII_PUNCTUATION or category[0] == "P" or _is_cjk(ord(character)):
        return f" {character} "
    return character.lower()


def _is_cjk(code: int) -> bool:
    return any(first <= code <= last for first, last in _CJK)
