"""What of a model's reply stands in the text that it was asked about; the rest is dropped.

Whatever a document makes a model say, no name comes from it that the document does not hold, and no
relation that none of its sentences bears out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sextant.ingest.extract.claims import FoundName, is_name
from sextant.ingest.extract.findings import NOTHING, Findings, FoundRelation
from sextant.ingest.extract.phrases import saying_of
from sextant.ingest.model_extraction.prompt import Excerpt
from sextant.ingest.model_extraction.support import spoken, unsupported
from sextant.text.names import name_key
from sextant.text.prose.sentences import sentence_spans
from sextant.text.words import fold
from sextant.types import JsonObject

TYPES = frozenset(
    "person team organisation service system database queue job process policy product tool "  # noqa: SIM905 - words read best as words
    "place event".split()
)
_MOST, _MOST_ALIASES = 40, 5
_LONGEST_WORDS = 500
NO_NAME, NOT_THERE = "no name", "not in the text"
UNKNOWN_KIND, UNSAID = "unknown kind", "words not in the text"
"""Why something is dropped, beside what its sentence does not bear out."""


def checked(
    reply: JsonObject, excerpts: Sequence[Excerpt], dropped: Counter[str]
) -> dict[Excerpt, Findings]:
    """Return what holds of each text that the reply speaks of; of a single one it always does."""
    passages: Any = reply["passages"]
    found: dict[Excerpt, Findings] = {}
    for passage in passages:
        number = passage["number"]
        if 1 <= number <= len(excerpts) and excerpts[number - 1] not in found:
            found[excerpts[number - 1]] = _checked(passage, excerpts[number - 1], dropped)
    return found or ({excerpts[0]: NOTHING} if len(excerpts) == 1 else {})


def _checked(passage: Mapping[str, Any], excerpt: Excerpt, dropped: Counter[str]) -> Findings:
    inside, around = spoken(excerpt.text), spoken(excerpt.above)

    def stands(name: str) -> bool:
        words = spoken(name)
        return words in inside or words in around

    named: dict[str, FoundName] = {}
    for one in passage["entities"][:_MOST]:
        name = _bare_name(one["name"])
        if reason := _refused(name, stands(name)):
            dropped[reason] += 1
        else:
            aliases = _aliases(one["aliases"], name, inside + around)
            kind = fold(one["type"])
            named.setdefault(
                name_key(name), FoundName(name, kind if kind in TYPES else "", aliases)
            )
    told: dict[FoundRelation, None] = {}
    called = {name_key(alias): one.name for one in named.values() for alias in one.aliases}
    for ends in _edges(passage["relations"][:_MOST], excerpt, stands, dropped):
        source, target = (
            named.setdefault(name_key(name), FoundName(name)).name
            for name in (called.get(name_key(end), end) for end in (ends.source, ends.target))
        )
        if source != target:
            told[FoundRelation(source, ends.kind, target)] = None
    return Findings(tuple(named.values()), tuple(told))


def _edges(
    relations: Sequence[Mapping[str, str]],
    excerpt: Excerpt,
    stands: Callable[[str], bool],
    dropped: Counter[str],
) -> Iterator[FoundRelation]:
    """Yield what a sentence of the text says of two names."""
    text = excerpt.text
    sentences = {text[start:end]: spoken(text[start:end]) for start, end in sentence_spans(text)}
    for one in relations:
        source, target = _bare_name(one["source"]), _bare_name(one["target"])
        saying = saying_of(one["kind"])
        reason = _refused(source, stands(source)) or _refused(target, stands(target))
        if reason or saying is None:
            dropped[reason or UNKNOWN_KIND] += 1
            continue
        ends = (target, source) if saying.backwards else (source, target)
        told = FoundRelation(ends[0], saying.kind, ends[1])
        if reason := _unsaid(told, one["words"], sentences, excerpt.above):
            dropped[reason] += 1
        else:
            yield told


def _unsaid(told: FoundRelation, words: str, sentences: Mapping[str, str], above: str) -> str:
    """Return why none of the sentences that hold these words says it."""
    said = spoken(words)
    if len(words) > _LONGEST_WORDS or not said.strip():
        return UNSAID
    holding = [sentence for sentence, own in sentences.items() if said in own]
    reasons = [unsupported(told, sentence, above) for sentence in holding]
    return min(reasons, key=bool, default=UNSAID)


def _refused(name: str, is_there: bool) -> str:
    if not is_name(name) or not name_key(name):
        return NO_NAME
    return "" if is_there else NOT_THERE


def _aliases(aliases: Sequence[str], name: str, words: str) -> tuple[str, ...]:
    plain = dict.fromkeys(map(_bare_name, aliases))
    fit = (one for one in plain if not _refused(one, spoken(one) in words))
    return tuple(sorted(one for one in fit if name_key(one) != name_key(name))[:_MOST_ALIASES])


def _bare_name(name: str) -> str:
    return " ".join(name.split()).removeprefix("The ")
