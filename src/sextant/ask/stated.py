"""The sentence of a passage that states an edge. Knows the phrases of kinds, and no question.

A sentence states an edge if it has both names, or one under the page's own name, and between them
the relation's words in the right direction and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from sextant.ask.quotes import Quote
from sextant.ask.relation_sentences import name_of
from sextant.text.markdown import readable
from sextant.text.names import normal_name
from sextant.text.orders import has_order, is_within, orders_in
from sextant.text.prose.headings import heading_of
from sextant.text.prose.sentences import sentence_spans
from sextant.text.relation_kinds import kind_of
from sextant.types import Entity, Passage, Relation

Span = tuple[int, int]

_LONGEST = 160
"""A sentence of a source that is longer is no short answer."""

_NAME = r"(?:the |The )?[A-Z][\w'’&+-]*(?: (?:of |the )?[A-Z0-9][\w'’&+-]*)*"  # noqa: RUF001 - an apostrophe as it is printed
_LIST = re.compile(rf"{_NAME}")
_FILL = (
    r"(?:is|are|also|currently|now|still|mainly|both|has|have|been|being|the|a|an|our|its|in turn|"
    r"team|service|process|system|called)"
)
_MORE = r"(?:,? and|,? or|,)"
_DOUBT = re.compile(
    r"\b(?:assum\w+|could|example|if|may|might|not?|never|should|suppos\w+|unless|when|whether|"
    r"would|until|formerly|used to|was|were|before|once)\b",
    re.IGNORECASE,
)
_OVER = re.compile(r"^[^.;]*\b(?:until|no longer|any ?more|in the past|at that time)\b")
_ESCALATION = re.compile(r"\b[Ee]scalations? (?:for|of)(?: the| our)? *\W*$")
_MARKS = re.compile(r"\]\([^)\s]*\)|[*_`\[\]\"“”]")
_LEADING = re.compile(
    r"(?:^|[.!?:] )\W*(?:The|Our|Its|For|If|In|At|On|And|But|So|Also|When|Once|Whenever)\s*$"
)


def states_relation(
    passage: Passage, relation: Relation, entities: Mapping[str, Entity]
) -> Span | None:
    """Return where a passage states an edge; neither an order nor its words state any."""
    text = passage.chunk.text
    if any(has_order(name_of(one, entities)) for one in (relation.source, relation.target)):
        return None
    source, target = (_forms(one, entities) for one in (relation.source, relation.target))
    title = normal_name(passage.document.title)
    own = frozenset(
        at for at, forms in enumerate((source, target)) if title in map(normal_name, forms)
    )
    best: tuple[bool, Span] | None = None
    orders = orders_in(text)
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if heading_of(sentence) or is_within(orders, start, end):
            continue
        is_whole = _names_both(sentence, relation.kind, source, target)
        if is_whole or (own and _is_implied(sentence, relation.kind, (source, target), own)):
            start = _unquoted(text, start)
            if is_whole:
                return start, end
            best = best or (is_whole, (start, end))
    return best[1] if best else None


def own_sentence(quote: Quote, relation: Relation, entities: Mapping[str, Entity]) -> str:
    """Return the words of a source where they are short and speak of these two alone, else none."""
    text = readable(quote.text)
    source, target = (_forms(one, entities) for one in (relation.source, relation.target))
    if len(text) > _LONGEST or not text.endswith(".") or not text[:1].isupper() or "\n" in text:
        return ""
    if not _names_both(text, relation.kind, source, target):
        return ""
    rest = text
    for form in (*source, *target):
        rest = re.sub(re.escape(form), " ", rest, flags=re.IGNORECASE)
    others = re.findall(r"(?<!\w)[A-Z][\w-]*", rest[1:])
    return "" if any(one not in _DATES for one in others) else text


_DATES = frozenset(
    "January February March April May June July August September October November December UTC "  # noqa: SIM905 - words read best as words
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Incidents Escalation".split()
)


def _forms(entity_id: str, entities: Mapping[str, Entity]) -> list[str]:
    known = entities.get(entity_id)
    names = (known.name, *sorted(known.aliases)) if known else (name_of(entity_id, entities),)
    return [name for name in names if normal_name(name)]


def _names_both(sentence: str, kind: str, source: list[str], target: list[str]) -> bool:
    plain = _MARKS.sub("", sentence)
    forwards, backwards = _between(kind, back=False), _between(kind, back=True)
    for first, last in _places(plain, source):
        for start, end in _places(plain, target):
            if last <= start and _says(forwards, plain, (first, last), (start, end), kind):
                return True
            if end <= first and _says(backwards, plain, (start, end), (first, last), kind):
                return True
    return False


def _says(pattern: re.Pattern[str], text: str, one: Span, other: Span, kind: str) -> bool:
    """Whether the words from one name to another say a kind, and neither doubt nor end it."""
    before, between, after = text[: one[0]], text[one[1] : other[0]], text[other[1] :]
    if kind == "escalates_to" and _WHEN.search(before) and _FAILS.fullmatch(between):
        return True
    if _DOUBT.search(before) or _OVER.search(after):
        return False
    if _ESCALATION.search(before):
        return kind == "escalates_to" and bool(_GOES_TO.fullmatch(between))
    return pattern.fullmatch(between) is not None


_WHEN = re.compile(r"^\W*(?:If|When|Whenever|Once) (?:the )?$")
_FAILS = re.compile(r" (?:is down|goes down|fails),? escalation goes to (?:the )?")
"""Escalation is always on the condition that something fails."""

_GOES_TO = re.compile(rf"\s(?:{_FILL}\s)*(?:owned by|goes to|go to|handled by|is with)\s(?:the )?")


def _is_implied(
    sentence: str, kind: str, ends: tuple[list[str], list[str]], own: frozenset[int]
) -> bool:
    """Whether a sentence says an edge of the page's own subject: ``It is owned by …``."""
    plain = _MARKS.sub("", sentence)
    for subject in sorted(own):
        pattern = _implied(kind, back=subject == 1)
        for start, end in _places(plain, ends[1 - subject]):
            if pattern.fullmatch(plain[:start]) and not _OVER.search(plain[end:]):
                return True
    return False


@cache
def _between(kind: str, *, back: bool) -> re.Pattern[str]:
    """Return what may stand between two names where a kind is said."""
    first = rf"(?:{_MORE} {_NAME})*(?:,)?"
    other = rf"(?:,? [a-z][^.;:]*?{_MORE})"
    return re.compile(rf"(?:{first}|{other}?)\s{_said(kind, back)}", re.DOTALL)


@cache
def _implied(kind: str, *, back: bool) -> re.Pattern[str]:
    """Return what may stand before a name under the page's own subject."""
    pronoun = r"(?:[Ii]t|[Tt]his|[Tt]hey|[Ww]e)(?: [a-z][^.;:]*?(?:,? and|,))?\s"
    label = rf"\W*(?:{_phrases(kind, back)})(?: team)?\W*[:|]\W*"
    return re.compile(rf"\W*(?:{pronoun}{_said(kind, back)})|{label}", re.DOTALL | re.IGNORECASE)


@cache
def _said(kind: str, back: bool) -> str:
    names = rf"(?:{_NAME}{_MORE}(?: (?:for|on|by|to|of))? ?)*"
    return rf"(?:{_FILL}\s)*(?:{_phrases(kind, back)})[\s:](?:{_FILL}\s)*{names}(?:the |our )?"


def _phrases(kind: str, back: bool) -> str:
    own = kind_of(kind)
    said = own.backwards if back else (own.singular, own.plural, *own.forwards)
    return "|".join(rf"\b{re.escape(one)}\b" for one in dict.fromkeys(said)) or r"(?!)"


def _places(text: str, names: list[str]) -> Iterator[Span]:
    """Yield where a name stands as itself, and is not the beginning or end of a longer one."""
    for name in names:
        words = [re.escape(one) for one in re.findall(r"\w+", name)]
        is_word = len(words) == 1 and name.isalpha()
        flags = 0 if is_word else re.IGNORECASE
        pattern = r"[\W_]+".join(words)
        for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, flags):
            after = re.match(r" ([A-Z0-9]\w*)", text[found.end() :])
            before = re.search(r"\b[A-Z]\w* $", text[: found.start()])
            if not after and (not before or _LEADING.search(text[: found.start()])):
                yield found.span()


def _unquoted(text: str, start: int) -> int:
    """Return where a sentence starts behind the marks of a quote."""
    while text[start] in "> \t":
        start += 1
    return start
