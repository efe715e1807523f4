"""The sentences that every answer is held together by, in the language of whoever asks.

A language is a file beside this one. What sources say stays in their own words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "de", "es", "fr", "it", "ja", "nl", "pt")
_USUAL = LANGUAGES[0]


@dataclass(frozen=True, slots=True)
class Phrases:
    """Each fixed sentence; ``regions`` write dates in another way than most who speak so."""

    unknown: str
    unknown_on: str
    nearest: str
    empty: str
    known: str
    missing: str
    unsupported: str
    unsourced: str
    unanswered: str
    wordless: str
    about: str
    thanks: str
    bye: str
    hello: str
    chat: str
    what_is: str
    other_word: str
    otherwise: str
    formerly: str
    open_part: str
    edge_yes: str
    edge_no: str
    edge_no_other: str
    edge_nothing: str
    edge_nobody: str
    edge_nothing_into: str
    edge_unsaid: str
    edge_more: str
    edge_unknown: str
    edge_near: str
    months: tuple[str, ...]
    dated: str
    regions: Mapping[str, str] = field(default_factory=dict)

    def on(self, day: date, region: str = "") -> str:
        """Return a day as it is written here."""
        form = self.regions.get(region, self.dated)
        return form.format(day=day.day, month=self.months[day.month - 1], year=day.year)


def phrases_for(locale: str, today: date) -> Phrases:
    """Return the sentences for a locale; one that nobody has written for speaks English.

    Whoever names a locale is also told of which day it holds that something is not known.
    """
    if not locale:
        return ENGLISH
    language, *more = _parts(locale)
    phrases = _read(language if is_spoken(locale) else _USUAL)
    region = next((one.upper() for one in more if len(one) == 2 or one.isdigit()), "")
    return replace(phrases, unknown=phrases.unknown_on.format(date=phrases.on(today, region)))


def every_language() -> tuple[Phrases, ...]:
    """Return the sentences of every language that somebody has written for."""
    return tuple(map(_read, LANGUAGES))


def is_spoken(locale: str) -> bool:
    """Whether there are sentences in the language of a locale."""
    return _parts(locale)[0] in LANGUAGES


def _parts(locale: str) -> list[str]:
    language, *more = locale.replace("_", "-").split("-")
    return [language.lower(), *more]


@cache
def _read(language: str) -> Phrases:
    stored = tomllib.loads(
        files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    )
    return Phrases(**{**stored, "months": tuple(stored["months"])})


ENGLISH = _read(_USUAL)
