"""The words of a question and where they stand. Knows small English words, but no grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sextant.text.words import fold

_TOKEN = re.compile(
    r"[^\W_]+(?:(?:[.@/_'’&+-]+|(?<=\d)[,:](?=\d))[^\W_]+)*[+#]*"  # noqa: RUF001 - printed apostrophes
    r"|[^\w\s]|_+"
)
_APOSTROPHES = str.maketrans("’ʼ", "''")  # noqa: RUF001 - printed apostrophes


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign, as written and in small letters."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it has letters or digits."""
        return self.text[:1].isalnum()


@lru_cache(64)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words and signs of a text, in order."""
    return tuple(
        Token(found.group(), fold(found.group().translate(_APOSTROPHES)), *found.span())
        for found in _TOKEN.finditer(text)
    )


def content_words(tokens: Iterable[Token]) -> tuple[str, ...]:
    """Return the words that say something, each once; ``A`` in ``Service A`` is one of them."""
    words: dict[str, None] = {}
    before = ""
    for token in tokens:
        word = token.low.removesuffix("'s").removesuffix("'")
        if word and token.is_word and (word not in STOP_WORDS or _is_letter_of_name(token, before)):
            words[word] = None
        before = token.text
    return tuple(words)


def _is_letter_of_name(token: Token, before: str) -> bool:
    return len(token.text) == 1 and token.text.isupper() and before[:1].isupper()


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


ASKING = word_set(
    "who whom whose what which when where why how who's what's where's when's how's whos whats"
)
DOING = word_set("do does did don't doesn't didn't")
BEING = word_set("is are was were be been being isn't aren't wasn't weren't am 's")
HAVING = word_set("has have had hasn't haven't hadn't")
MODAL = word_set(
    "can could will would shall should may might must can't couldn't won't wouldn't shouldn't "
    "cannot mustn't needn't ought"
)
AUXILIARY = DOING | BEING | HAVING | MODAL
PERSONAL = word_set("i you we he she they it one somebody someone anybody anyone people everyone")
DETERMINERS = word_set(
    "the a an our my your his her its their this that these those each every any some all no both"
)
PREPOSITIONS = word_set(
    "about after against among around at before behind below between by during for from in inside "
    "into of off on onto out over per since through to toward towards under until up upon via "
    "with within without"
)
JOINING = word_set("and or but nor so then than as if while although though because whether")
ADVERBS = word_set(
    "actually again already also always both currently directly ever exactly first formerly "
    "generally immediately just mainly mostly never normally not now officially often only "
    "originally otherwise previously primarily really regularly still then today typically "
    "ultimately usually yet"
)
_COURTESY = word_set(
    "please tell me show give know explain describe let us like want want's i'd kindly"
)
STOP_WORDS = (
    ASKING
    | AUXILIARY
    | PERSONAL
    | DETERMINERS
    | PREPOSITIONS
    | JOINING
    | ADVERBS
    | _COURTESY
    | word_set(
        "there here other else many much more most less least such same very too s t me him them "
        "us mine yours ours theirs myself itself themselves happen happens happened"
    )
)
