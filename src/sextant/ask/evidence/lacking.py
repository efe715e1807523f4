"""What to ask back: the names and things of a question that nothing found speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sextant.ask.evidence.read import content
from sextant.ask.phrases import ENGLISH, Phrases
from sextant.ask.reading.tokens import DETERMINERS, PREPOSITIONS, Token, tokens_of, word_set
from sextant.text.words import Words

_MOST = 3
_LONGEST = 4
"""So many words are one thing at most."""

_COMMON = word_set(
    """
    according account allow allowed answer ask asked back become bad begin big bring broke broken
    call called case change check come cover decide describe detail different do done end ever
    exactly explain fail fast find first follow get give given go good great half happen happened
    happening hard have hear help hold important include intend keep kind know known last late lead
    leave let like list little live long look lot main make many matter mean meant move need new
    next number often old open order part people person place point possible put quick read real
    reason right run say see seen send set short should show since single small sort speak start
    state still stop sure take talk tell thing think time today told took try turn type understand
    use used usual want way week while whole will word work would wrong year yes yesterday
    """
)
"""Words that a question may do without; whoever asks back for one of them helps nobody."""

_LEADS = DETERMINERS.union(PREPOSITIONS, word_set("what which whose many much")) - {"to"}
"""What stands before the name of a thing, and not before what is done."""


def questions_back(
    texts: Sequence[str], seen: frozenset[str], words: Words, phrases: Phrases = ENGLISH
) -> tuple[str, ...]:
    """Return what to ask whoever asked these texts about what nobody speaks of."""
    return _asked_back(texts, seen, words, phrases.what_is, phrases.other_word)


def questions_elsewhere(
    texts: Sequence[str], said: frozenset[str], words: Words, phrases: Phrases = ENGLISH
) -> tuple[str, ...]:
    """Return what to ask back where everything is spoken of, but not in what answers best."""
    return _asked_back(texts, said, words, phrases.said_elsewhere, phrases.said_elsewhere)


def _asked_back(
    texts: Sequence[str], seen: frozenset[str], words: Words, of_name: str, of_word: str
) -> tuple[str, ...]:
    """Return a question for each thing that is not seen, names first, of each thing once."""
    found = [run for text in texts for run in _runs(text, seen, words)]
    found.sort(key=lambda run: not _is_name(run))
    asked: dict[str, str] = {}
    for run in found:
        told = " ".join(token.text for token in run)
        if not any(told.lower() in known for known in asked):
            form = of_name if _is_name(run) else of_word
            asked[told.lower()] = form.format(name=told, word=told)
    return tuple(asked.values())[:_MOST]


def _runs(text: str, seen: frozenset[str], words: Words) -> Iterator[tuple[Token, ...]]:
    """Yield the words beside each other that name something and that nothing speaks of."""
    run: list[Token] = []
    lead = before = Token("", "", -1, -1)
    for token in (*tokens_of(text), Token("", "", -1, -1)):
        unsaid = _is_unsaid(token, seen, words)
        if run and (not unsaid or token.start != before.end + 1 or len(run) >= _LONGEST):
            if lead.low in _LEADS or _is_name(run):
                yield tuple(run)
            run = []
        if unsaid:
            lead = lead if run else before
            run.append(token)
        before = token


def _is_unsaid(token: Token, seen: frozenset[str], words: Words) -> bool:
    if not token.is_word or token.low in _COMMON or _is_adverb(token):
        return False
    own = content(words, token.text)
    return bool(own) and seen.isdisjoint(own)


def _is_adverb(token: Token) -> bool:
    return token.text.islower() and token.text.endswith("ly")


def _is_name(run: Sequence[Token]) -> bool:
    """Whether something in it is written like a name; the first word of a text always is."""
    return any(not token.text.islower() and token.start > 0 for token in run)
