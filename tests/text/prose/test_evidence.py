"""The sentence that says it."""

from sextant.text.prose.evidence import telling_sentence

TEXT = "Service A is fine. Service A depends on\nHarbor Queue. Harbor Queue is a queue."


def test_the_sentence_with_both_names_is_found() -> None:
    found = telling_sentence(TEXT, ["service-a", "Service A"], ["harbor queue"])
    assert found == "Service A depends on Harbor Queue."


def test_one_name_will_do_and_else_the_first_sentence() -> None:
    assert telling_sentence(TEXT, ["nobody"], ["Harbor Queue"]).startswith("Service A depends")
    assert telling_sentence(TEXT, ["nobody"], ["no one"]) == "Service A is fine."
    assert telling_sentence("", ["a"], ["b"]) == ""
