"""Fixed sentences and dates are in the language of whoever asks; sources keep their own words."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Callable, Coroutine
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.phrases import ENGLISH, LANGUAGES, Phrases, phrases_for
from sextant.ask.question import Question
from sextant.ask.record.fields import digest_of, saved
from sextant.ask.record.load import read
from sextant.errors import InvalidInput, TooLarge
from sextant.limits import check_locale
from sextant.types import Answer, Scope
from tests.ingest.folders import Tree, Workplace, workplace

DAY = date(2026, 10, 31)
NOW = datetime(2026, 10, 31, tzinfo=UTC)
NOBODY = Scope()
TREE: Tree = {
    "queue.md": "# Harbor Queue\n\nHarbor Queue is owned by Team Keel. It keeps messages.\n",
    "keel.md": "# Team Keel\n\nTeam Keel is led by Wilhe Dorn. The team sits in Oslo.\n",
}
UNKNOWN = "What is the wingspan of Heron Nine?"
Task = Callable[[Workplace], Coroutine[Any, Any, None]]


def in_place(task: Task) -> None:
    async def run() -> None:
        async with workplace() as place:
            await place.take_in(TREE)
            await task(place)

    asyncio.run(run())


async def ask(place: Workplace, text: str, locale: str = "") -> Answer:
    return await place.sextant.ask(NOBODY, Question(text, now=NOW, locale=locale))


def fields_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def told(phrases: Phrases) -> dict[str, str]:
    own = {item.name: getattr(phrases, item.name) for item in fields(Phrases)}
    return {name: text for name, text in own.items() if isinstance(text, str)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_all_of_it_with_the_same_words_of_the_question(language: str) -> None:
    own, usual = told(phrases_for(language, DAY)), told(ENGLISH)
    assert own.keys() == usual.keys()
    assert all(text.strip() == text != "" for text in own.values())
    for name, text in own.items():
        if name != "dated":
            assert fields_in(text) == fields_in(usual[name]), name
    if language != "en":
        assert not set(own.values()) & set(usual.values())


@pytest.mark.parametrize(
    ("locale", "written"),
    [
        ("en", "October 31, 2026"),
        ("en-US", "October 31, 2026"),
        ("en-GB", "31 October 2026"),
        ("EN_gb", "31 October 2026"),
        ("de-DE", "31. Oktober 2026"),
        ("de-Latn-CH", "31. Oktober 2026"),
        ("es-MX", "31 de octubre de 2026"),
        ("fr", "31 octobre 2026"),
        ("it-IT", "31 ottobre 2026"),
        ("ja-JP", "2026年10月31日"),
        ("nl-BE", "31 oktober 2026"),
        ("pt-BR", "31 de outubro de 2026"),
        ("eo", "October 31, 2026"),
    ],
)
def test_a_day_is_written_as_the_locale_writes_it(locale: str, written: str) -> None:
    assert written in phrases_for(locale, DAY).unknown


@given(st.sampled_from(LANGUAGES), st.dates())
def test_two_days_are_never_written_alike(language: str, day: date) -> None:
    following = date.fromordinal(min(day.toordinal() + 1, date.max.toordinal()))
    same = phrases_for(language, day) == phrases_for(language, following)
    assert same == (day == following)


@given(st.text(max_size=12))
def test_what_is_no_locale_is_refused_and_what_is_one_has_sentences(text: str) -> None:
    try:
        check_locale(text)
    except (InvalidInput, TooLarge):
        return
    assert text == "" or text[0].isascii()
    assert phrases_for(text, DAY).hello


@pytest.mark.parametrize(
    "locale", ["e", "-", "de-", "de--DE", "../de", "de\n", "d€", "de DE", "x" * 200, "abcdefghi"]
)
def test_a_malformed_locale_is_refused(locale: str) -> None:
    async def task(place: Workplace) -> None:
        with pytest.raises(InvalidInput):
            await ask(place, "Who owns Harbor Queue?", locale)

    in_place(task)


def test_without_a_locale_nothing_tells_of_one() -> None:
    async def task(place: Workplace) -> None:
        answer = await ask(place, UNKNOWN)
        assert answer.text == "The knowledge does not say what the wingspan of Heron Nine is."
        assert "locale" not in saved(answer)

    in_place(task)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_known_is_said_in_the_language_of_whoever_asks(language: str) -> None:
    async def task(place: Workplace) -> None:
        phrases = phrases_for(language, DAY)
        answer = await ask(place, UNKNOWN, language)
        assert answer.text.startswith(f"{phrases.unknown}\n")
        assert phrases.missing in answer.text
        assert phrases.what_is.format(name="Heron Nine") in answer.verdict.missing
        assert answer.trace.locale == language
        assert (await place.sextant.verify(NOBODY, answer, digest_of(answer))).ok
        again = read(saved(answer))
        assert (again.answer, again.digest) == (answer, digest_of(answer))

    in_place(task)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("said", ["hello", "thanks", "bye", "who are you", "how are you", "?!"])
def test_small_talk_is_replied_to_in_the_language_of_whoever_asks(language: str, said: str) -> None:
    async def task(place: Workplace) -> None:
        phrases = phrases_for(language, DAY)
        replies = {phrases.hello, phrases.thanks, phrases.bye, phrases.about, phrases.chat}
        answer = await ask(place, said, language)
        assert answer.text in replies | {phrases.wordless}
        assert (await place.sextant.verify(NOBODY, answer)).ok

    in_place(task)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_sources_say_is_the_same_in_every_language(language: str) -> None:
    async def task(place: Workplace) -> None:
        plain = await ask(place, "Who owns Harbor Queue?")
        answer = await ask(place, "Who owns Harbor Queue?", language)
        assert answer.statements == plain.statements
        assert replace(answer, trace=replace(answer.trace, locale="")) == plain

    in_place(task)


def test_an_answer_whose_fixed_sentences_are_of_another_language_than_it_says_does_not_hold() -> (
    None
):
    async def task(place: Workplace) -> None:
        german = await ask(place, UNKNOWN, "de")
        for locale in ("", "fr", "en"):
            other = replace(german, trace=replace(german.trace, locale=locale))
            assert not (await place.sextant.verify(NOBODY, other)).ok
        late = replace(german, trace=replace(german.trace, now="2026-11-01T00:00:00+00:00"))
        assert not (await place.sextant.verify(NOBODY, late)).ok
        broken = replace(german, trace=replace(german.trace, now="yesterday"))
        assert not (await place.sextant.verify(NOBODY, broken)).ok

    in_place(task)
