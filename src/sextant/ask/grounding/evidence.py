"""What a retrieved chunk tells, piece by piece, as prose is compared with it. Knows no prose.

Hidden text, and text that speaks to a model, tells nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sextant.ask.grounding.clauses import clauses_in
from sextant.ask.grounding.subjects import has_pronoun, has_verb, leans, subject_of, without_pronoun
from sextant.ask.grounding.values import values_of
from sextant.ask.grounding.wording import Wording, stems_of, wording_of
from sextant.ask.quotes import Quote
from sextant.text.markdown import readable
from sextant.text.orders import has_order, orders_in
from sextant.text.prose.units import Unit, units_of
from sextant.text.words import Words
from sextant.types import Passage

_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<tag>[a-z][a-z0-9]*)\b[^<>]{0,2000}?(?:display\s*:\s*none|visibility\s*:\s*hidden|"
    r"opacity\s*:\s*0|font-size\s*:\s*0|(?<=\s)hidden\b|color\s*:\s*(?:white|#fff))[^<>]{0,2000}>"
    r".*?(?:</(?P=tag)\s*>|\Z)"
    r"|<(?P<kind>script|style|template|noscript|title|svg)\b.*?(?:</(?P=kind)\s*>|\Z)"
    r"|^[ ]{0,3}\[[^\]\n]{0,500}\]:[^\n]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_CELL = re.compile(r"([^:;]{1,60}): ([^;]+)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, row or record of a chunk: its words, and what it tells, clause by clause.

    What it is read under may be said with it; of a row, a cell is said with what it is called.
    """

    unit: Unit
    own: frozenset[str]
    told: tuple[Wording, ...]
    under: frozenset[str] = frozenset()
    cells: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The clauses as they are read."""
        return tuple(one.text for one in self.told)

    @property
    def quote(self) -> Quote:
        """The words as they stand in the document."""
        return Quote(self.unit.passage, self.unit.start, self.unit.end)


def pieces_of(passage: Passage, words: Words) -> tuple[Piece, ...]:
    """Return what a chunk tells, each piece with what it speaks of."""
    lead = ". ".join(filter(_tells, (passage.document.title, *passage.chunk.headings)))
    pieces = []
    meant = readable(lead)
    for unit in units_of(_told(passage)):
        whole = replace(unit, passage=passage)
        pieces.append(_row(whole, lead, words) if _is_row(unit) else _said(whole, meant, words))
        if not leans(unit.text):
            meant = _meant(unit.text, readable(lead))
    return tuple(pieces)


def _meant(text: str, lead: str) -> str:
    """Return what a sentence after this one leans on: its name, or else the page's matter too."""
    subject = subject_of(text)
    is_name = subject[:1].isupper() and bool(values_of(f"x {subject}").names)
    return subject if is_name else f"{lead} {subject}".strip()


def _is_row(unit: Unit) -> bool:
    return unit.layout in ("row", "record")


def _said(unit: Unit, meant: str, words: Words) -> Piece:
    """Return a sentence by its clauses, and as a whole if it has several."""
    clauses = clauses_in(unit.text, words)
    is_leaning = leans(unit.text) or (unit.layout != "sentence" and not has_verb(unit.text))
    told = [
        _leaning(clause, meant, words)
        if leans(clause) or (at == 0 and is_leaning)
        else wording_of(clause, words)
        for at, clause in enumerate(clauses)
    ]
    if len(clauses) > 1:
        whole = _leaning(unit.text, meant, words) if is_leaning else wording_of(unit.text, words)
        told.append(replace(whole, needs=tuple(need for one in told for need in one.needs)))
    return Piece(unit, stems_of(unit.text, words), tuple(told), stems_of(unit.under, words))


def _leaning(clause: str, meant: str, words: Words) -> Wording:
    """Return a clause with what it leans on before it, which adds no hedge and no denial to it."""
    subject = meant if has_pronoun(clause) else f"{meant} {subject_of(clause)}"
    own = wording_of(clause, words)
    read = wording_of(f"{meant} {without_pronoun(clause)}", words, subject)
    return replace(
        own, text=read.text, stems=read.stems, order=read.order, doing=read.doing, needs=read.needs
    )


def _row(unit: Unit, lead: str, words: Words) -> Piece:
    """Return a row or a record, which tells its cells in any order."""
    own = stems_of(unit.text, words)
    found = _CELL.findall(unit.text)
    cells = tuple((stems_of(key, words), stems_of(value, words)) for key, value in found)
    about = next((value for _, value in cells if not all(map(str.isdigit, value))), frozenset())
    is_alone = len(cells) < 2
    text = f"{readable(lead)}\n{unit.text}" if is_alone else unit.text
    needs = () if is_alone or not about else (about,)
    read = wording_of(text, words)
    nothing = frozenset[str]()
    told = replace(read, order=(), doing=(), agent=nothing, verb=nothing, needs=needs)
    return Piece(unit, own, (told,), stems_of(unit.under, words), cells)


def _told(passage: Passage) -> Passage:
    """Return the passage with blanks for what is hidden or tells nothing; places stay the same."""
    text = _HIDDEN.sub(lambda found: _blank(found.group()), passage.chunk.text)
    for start, end in orders_in(text):
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return replace(passage, chunk=replace(passage.chunk, text=text))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _tells(text: str) -> bool:
    return bool(text.strip()) and not has_order(text)
