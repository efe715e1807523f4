"""From text to terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import ConfigError
from sextant.text.names import normal_name
from sextant.text.passages import embedding_text
from sextant.text.words import Words, languages


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Restarting the PODS", ["restart", "the", "pod"]),
        ("max_retries checkout-api v2.1", ["max", "retri", "checkout", "api", "v2", "1"]),
        ("\uff26\uff35\uff2c\uff2c \ufb01le", ["full", "file"]),
        ("STRASSE straße", ["strass", "strass"]),
        ("日本語 test", ["日本", "本語", "test"]),
        ("東", ["東"]),
        ("v2日本", ["v2", "日本"]),
        ("👩‍👧 … !?", []),
        ("", []),
    ],
)
def test_words_are_folded_split_and_stemmed(text: str, terms: list[str]) -> None:
    assert Words().terms(text) == terms


def test_other_languages_have_other_stems_and_none_has_none() -> None:
    assert Words("german").terms("Häuser") == Words("german").terms("Haus")
    assert Words("none").terms("pods") == ["pods"]
    assert "french" in languages()
    with pytest.raises(ConfigError, match="klingon"):
        Words("klingon")


@given(st.text())
def test_terms_do_not_depend_on_what_was_seen_before(text: str) -> None:
    seen = Words()
    seen.terms("some other words " + text)
    assert seen.terms(text) == Words().terms(text)


@given(st.text())
def test_the_normal_form_of_a_name_is_its_own_normal_form(name: str) -> None:
    assert normal_name(normal_name(name)) == normal_name(name)


def test_names_differ_by_more_than_case_and_signs() -> None:
    assert normal_name("Service-A") == normal_name("  service_a ") == "service a"
    assert normal_name("Service A") != normal_name("Service B")
    assert normal_name("!!!") == "!!!"


def test_an_embedder_reads_title_and_headings_too() -> None:
    assert embedding_text("T", ("H", ""), "text") == "T > H\ntext"
    assert embedding_text("", (), "text") == "text"
