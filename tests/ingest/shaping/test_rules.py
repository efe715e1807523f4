"""What the rules say of a document, by its path or address."""

from __future__ import annotations

import pytest

from sextant.errors import ConfigError, Forbidden
from sextant.ingest.shaping.rules import Marks, Ruling
from sextant.settings import Rule


def test_without_rules_only_what_was_asked_for_counts() -> None:
    assert Ruling().marks("docs/a.md") == Marks()
    asked = Marks(("new", "hot"), ("sre",), "runbook")
    assert Ruling((), asked).marks("docs/a.md") == Marks(("hot", "new"), ("sre",), "runbook", 0.5)


def test_tags_and_personas_add_up_and_else_the_last_rule_counts() -> None:
    rules = (
        Rule("*.md", ("page",), ("sre",), "page", 0.3),
        Rule("docs/**", ("doc",), ("finance",), "document", 0.8),
        Rule("docs/a.md", ("a",)),
    )
    assert Ruling(rules).marks("docs/a.md") == Marks(
        ("a", "doc", "page"), ("finance", "sre"), "document", 0.8
    )
    assert Ruling(rules).marks("wiki/b.md") == Marks(("page",), ("sre",), "page", 0.3)
    assert Ruling(rules).marks("wiki/b.txt") == Marks()


def test_what_was_asked_for_goes_before_a_rule() -> None:
    ruling = Ruling((Rule("*", ("all",), source_type="page"),), Marks(("own",), (), "runbook"))
    assert ruling.marks("docs/a.md") == Marks(("all", "own"), (), "runbook", 0.5)


def test_a_reputation_of_nothing_is_a_reputation() -> None:
    rules = (Rule("*", reputation=0.9), Rule("old/", reputation=0.0))
    assert Ruling(rules).marks("docs/old/a.md").reputation == 0.0
    assert Ruling(rules).marks("docs/new/a.md").reputation == 0.9


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "docs/deep/a.md", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/deep/a.md", False),
        ("docs/**/a.md", "docs/deep/er/a.md", True),
        ("secret/", "docs/secret/a.md", True),
        ("secret/**", "docs/secret/a.md", True),
        ("/secret/**", "docs/secret/a.md", False),
        ("**/secret/**", "docs/secret/a.md", True),
        ("wiki.example/handbook/**", "https://wiki.example/handbook/page", True),
        ("wiki.example", "https://wiki.example/handbook/page", True),
        ("*.example/x", "https://wiki.example/handbook/x", False),
    ],
)
def test_patterns_are_those_of_a_gitignore_over_source_and_path(
    pattern: str, path: str, fits: bool
) -> None:
    assert (Ruling((Rule(pattern, ("yes",)),)).marks(path).tags == ("yes",)) == fits


def test_what_is_no_pattern_is_a_wrong_setting() -> None:
    with pytest.raises(ConfigError, match="no pattern"):
        Ruling((Rule("!", ("x",)),)).marks("a.md")


def test_a_rule_with_owners_says_nothing_of_what_others_bring() -> None:
    rules = (Rule("press/**", reputation=0.9, owners=("key:1", "operator")),)
    for owner, worth in (("key:1", 0.9), ("key:2", 0.5), ("", 0.9), ("operator", 0.5)):
        assert Ruling(rules, owner=owner).marks("press/a.md").reputation == worth
    anybody = (Rule("press/**", reputation=0.9, owners=("*",)),)
    assert Ruling(anybody, owner="key:2", curates=False).marks("press/a.md").reputation == 0.9


@pytest.mark.parametrize(
    ("rule", "is_kept"),
    [
        (Rule("press/**", reputation=0.9), True),
        (Rule("press/**", reputation=0.0), True),
        (Rule("press", reputation=0.9), True),
        (Rule("pre*/**", reputation=0.9), True),
        (Rule("press/**", reputation=0.9, owners=("key:2",)), True),
        (Rule("press/**", reputation=0.9, owners=("key:1",)), False),
        (Rule("press/**", reputation=0.9, owners=("*",)), False),
        (Rule("press/**", tags=("official",), personas=("sre",)), False),
        (Rule("**", reputation=0.9), False),
        (Rule("*.md", reputation=0.9), False),
        (Rule("**/*.md", reputation=0.9), False),
    ],
)
def test_a_path_that_a_rule_values_is_kept_for_curators_and_its_owners(
    rule: Rule, is_kept: bool
) -> None:
    Ruling((rule,), owner="key:1").check_claim("press/a.md")
    Ruling((rule,), owner="key:1", curates=False).check_claim("pages/a.txt", "")
    writer = Ruling((rule,), owner="key:1", curates=False)
    if is_kept:
        with pytest.raises(Forbidden, match="not among the rule's owners") as refused:
            writer.check_claim("pages/a.txt", "press/a.md")
        assert f'owners = ["{writer.owner}"]' in refused.value.hint
        assert "Sextant.Admin" in refused.value.hint
    else:
        writer.check_claim("pages/a.txt", "press/a.md")
