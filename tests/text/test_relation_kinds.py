"""The one table of relation kinds: what it promises to all who read it."""

import pytest

from sextant.text.relation_kinds import kind_of, participle, relation_kinds, verb_forms


@pytest.mark.parametrize("name", relation_kinds())
def test_every_kind_has_a_sentence_for_one_and_for_several(name: str) -> None:
    kind = kind_of(name)
    assert kind.singular
    assert kind.plural
    assert kind.singular != kind.plural


def test_no_phrase_says_two_kinds_or_both_ways() -> None:
    said = [
        phrase for kind in relation_kinds().values() for phrase in (*kind.forwards, *kind.backwards)
    ]
    assert sorted(said) == sorted(set(said))


def test_no_field_of_a_catalogue_states_two_kinds() -> None:
    fields = [
        one for kind in relation_kinds().values() for one in (*kind.fields, *kind.fields_backwards)
    ]
    assert sorted(fields) == sorted(set(fields))


def test_a_kind_that_nobody_wrote_down_is_told_by_its_name() -> None:
    assert kind_of("is_friends_with").singular == "is friends with"


def test_who_owns_leads_or_is_escalated_to_is_one() -> None:
    single = {name for name, kind in relation_kinds().items() if kind.single}
    assert single == {"owned_by", "escalates_to", "led_by"}


@pytest.mark.parametrize(
    ("phrase", "forms", "passive"),
    [
        ("depend on", ["depend on", "depends on", "depending on"], "depended on"),
        ("own", ["own", "owns", "owning"], "owned"),
        ("rely on", ["rely on", "relies on", "relying on"], "relied on"),
        ("run", ["run", "runs", "running"], "run"),
        (
            "have ownership of",
            ["have ownership of", "has ownership of", "having ownership of"],
            "had ownership of",
        ),
    ],
)
def test_a_verb_has_the_forms_of_a_clause_about_now(
    phrase: str, forms: list[str], passive: str
) -> None:
    assert list(verb_forms(phrase)) == forms
    assert participle(phrase) == passive
