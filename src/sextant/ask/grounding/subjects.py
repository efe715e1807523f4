"""What a clause speaks of, and whether it says so itself. Knows English verbs by their look."""

from __future__ import annotations

import re

from sextant.text.tokens import word_set

BE = (
    r"(?:is|are|was|were|has|have|had|must|may|can|cannot|will|does|do|did|should|shall|could|would|"
    r"might)\b"
)
DOES = (
    r"[a-z]+(?:s|ed)(?<!ss)\s+(?:(?:the|a|an|on|in|to|by|for|from|at|with|every|up|it|its|as|until|"
    r"after|before|all|no|not|only)\b|[A-Z0-9])"
)
NAME = r"[A-Z][\w-]*(?: (?:of )?[A-Z0-9][\w-]*)*"
_OPENED = re.compile(
    r"\W*(?:(?:if|when|once|there|then|both|such|the|an?|this|that|these|those|its|their|every|each|all)\s+)*",
    re.I,
)
_FRONTED = re.compile(
    r"\A\s*((?:(?:if|when|whenever|once|while|since|because|unless|until|although|as)\b[^,]+"
    r"|(?:after|before|on|in|at|for|during|within|every|each|by|from|under|with|to|upon|currently|"
    r"today)\b(?:(?!\b(?:is|are|was|were|has|had)\b)[^,])+)),\s*(.+?)([.!?]*)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(rf"{NAME}")
_VERB = re.compile(rf"\b{BE}|(?<=\S )[a-z]+(?:s|ed)(?<!ss)(?<!us)\b")
_LEANING = re.compile(
    r"(?:it|its|they|their|them|this|that|these|those|he|she|his|her)\b"
    r"|[a-z]+(?:ed|en|wn) (?:by|on|in|at|for|with|to)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\A(?:it|they|this|that|these|those|he|she)\s+(?=[a-z])", re.IGNORECASE)
_OWNING = re.compile(r"(?:its|their|his|her) (?=[a-z])", re.IGNORECASE)
_CLEFT = re.compile(r"(?:it|this|that) (?:is|was)\b.{1,80}\b(?:that|which|who)\b", re.IGNORECASE)
_KINDS = word_set(
    "team service process job system tool policy rule runbook page guide application app component "
    "platform product project program company department office plan contract"
)
"""What a page may call its own matter without its name."""

_IS = re.compile(BE)
_DONE = re.compile(r" (?:(?:be|been|being|not|also|always) )?([a-z]+(?:ed|en|wn|nt|pt|lt|ld))\b")
_OF = re.compile(r" (?:of|for|in|on|at|that|which|who|from|with|between|over|under|below|above) ")
_FEW = 2
_MOST = 6
_BARE = re.compile(rf"(?:{BE}|{DOES})")


def leans(text: str) -> bool:
    """Whether a clause speaks of what stands before it."""
    return bool(_LEANING.match(text)) or is_bare(text) or _is_kind(text)


def is_pronominal(text: str) -> bool:
    """Whether a clause has no subject but a word for what stands before it."""
    named = has_pronoun(text) or bool(_OWNING.match(text))
    return (named and not _CLEFT.match(text)) or is_bare(text) or _is_kind(text)


def _is_kind(text: str) -> bool:
    subject = subject_of(text).lower().split()
    return len(subject) == 1 and subject[0] in _KINDS and text[:4].lower() in ("the ", "this")


def subject_of(clause: str) -> str:
    """Return what a clause speaks of: a name, what stands before its verb, or its first words."""
    main = main_first(clause)
    opened = _OPENED.match(main)
    rest = main[opened.end() :] if opened else main
    name = _NAMED.match(rest)
    if name and " " in name.group():
        return name.group()
    verb = _VERB.search(rest)
    before = rest[: verb.start()].split() if verb else []
    if 0 < len(before) <= _MOST:
        return " ".join(before)
    return " ".join(rest.split()[:_FEW]).rstrip(".,;:!?")


def head_of(clause: str) -> str:
    """Return the word that a clause is about, if it says what that is or was; else its subject."""
    subject = subject_of(clause)
    is_said = re.search(rf"{re.escape(subject)} {BE}", clause)
    if not is_said or _NAMED.fullmatch(subject):
        return subject
    return _OF.split(subject)[0].split()[-1]


def verb_of(clause: str) -> str:
    """Return what a clause says is done, or nothing if it only says what something is."""
    found = _VERB.search(main_first(clause))
    if not found or found.string[: found.start()].endswith(("which ", "who ", "that ")):
        return ""
    done = _DONE.match(found.string, found.end())
    return done[1] if done else "" if _IS.fullmatch(found.group()) else found.group()


def main_first(clause: str) -> str:
    """Return a clause with what was put before its main part behind it."""
    return _FRONTED.sub(r"\2 \1\3", clause)


def is_bare(clause: str) -> bool:
    """Whether a clause begins with its verb."""
    return bool(_BARE.match(clause))


def has_verb(text: str) -> bool:
    """Whether a text looks like a clause."""
    return bool(_VERB.search(text))


def has_pronoun(clause: str) -> bool:
    """Whether a clause speaks of something by a pronoun alone."""
    return bool(_PRONOUN.match(clause))


def without_pronoun(clause: str) -> str:
    """Return a clause without the word by which it leans."""
    rest = _PRONOUN.sub("", clause, count=1)
    return rest[:1].lower() + rest[1:]
