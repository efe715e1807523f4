"""When two spellings are one name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.text.names import name_key, near_slugs, normal_name, slug


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Service A", "service-a"),
        ("Service A", "ServiceA"),
        ("Checkout Services", "checkout service"),
        ("Policies", "policy"),
        ("Harbor  Queue", "harbor_queue"),
        ("Commitee", "Committee"),
        ("ＦＵＬＬ", "full"),  # noqa: RUF001 - wide letters
        ("Straße", "STRASSE"),
    ],
)
def test_near_spellings_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Service A", "Service B"),
        ("Service A", "Service A2"),
        ("Process X", "Process Y"),
        ("AWS", "AW"),
        ("pods", "pod"),
        ("Status", "Statu"),
        ("Analysis", "Analysi"),
        ("Team 11", "Team 1"),
        ("Release 2000", "Release 200"),
    ],
)
def test_names_that_only_look_alike_do_not(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@given(st.text(max_size=40))
def test_the_forms_of_a_name_are_stable(name: str) -> None:
    assert normal_name(normal_name(name)) == normal_name(name)
    assert slug(slug(name)) == slug(name)
    assert name_key(normal_name(name)) == name_key(name)
    assert name_key(name.upper()) == name_key(name.upper().lower())


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Service A", "service-a"), ("  Team  Y!", "team-y"), ("日本 Queue", "日本-queue")],
)
def test_a_slug_is_the_words_in_small_letters(name: str, expected: str) -> None:
    assert slug(name) == expected


@given(st.text())
def test_no_form_of_a_name_is_empty(name: str) -> None:
    assert "" not in near_slugs(name)
