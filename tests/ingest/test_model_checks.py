"""What of a model's reply is believed: only what the text it was asked about says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ingest.extract.claims import FoundName
from sextant.ingest.extract.findings import NOTHING, Findings, FoundRelation, as_json, from_json
from sextant.ingest.model_extraction.checks import checked
from sextant.ingest.model_extraction.prompt import Excerpt
from sextant.ingest.model_extraction.support import UNSUPPORTED
from sextant.text.words import fold, words_in

TEXT = Excerpt(
    "Harbor Queue > Who runs it",
    "It leans on the Dock DB, or DDB. The Tide Crew looks after it. It does not use Old Box.",
)
OTHER = Excerpt("", "Nobody is named here.")


def entity(name: str, kind: str = "", *aliases: str) -> dict[str, Any]:
    return {"name": name, "type": kind, "aliases": list(aliases)}


def relation(source: str, kind: str, target: str, words: str) -> dict[str, str]:
    return {"source": source, "kind": kind, "target": target, "words": words}


def read(*found: dict[str, Any], text: Excerpt = TEXT) -> tuple[Findings, dict[str, int]]:
    dropped: Counter[str] = Counter()
    entities = [one for one in found if "name" in one]
    relations = [one for one in found if "kind" in one]
    passage: dict[str, Any] = {"number": 1, "entities": entities, "relations": relations}
    return checked({"passages": [passage]}, [text], dropped)[text], dict(dropped)


def test_names_and_relations_that_stand_in_the_text_are_found() -> None:
    findings, dropped = read(
        entity("The Dock DB", "Database", "DDB"),
        relation("Harbor Queue", "depends_on", "Dock DB", "It leans on the Dock DB"),
        relation("Tide Crew", "looks after", "Harbor Queue", "the tide crew looks after it"),
    )
    assert findings.named == (
        FoundName("Dock DB", "database", ("DDB",)),
        FoundName("Harbor Queue"),
        FoundName("Tide Crew"),
    )
    assert findings.told == (
        FoundRelation("Harbor Queue", "depends_on", "Dock DB"),
        FoundRelation("Harbor Queue", "owned_by", "Tide Crew"),
    )
    assert not dropped


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (entity("Evil Corp"), "not in the text"),
        (entity("it leans on the Dock DB or DDB. The Tide"), "no name"),
        (entity("overview"), "no name"),
        (entity("!!"), "no name"),
        (relation("Evil Corp", "uses", "Dock DB", "leans on the Dock DB"), "not in the text"),
        (relation("Harbor Queue", "loves", "Dock DB", "leans on the Dock DB"), "unknown kind"),
        (relation("Harbor Queue", "uses", "Dock DB", "hacks the Dock DB"), "words not in the text"),
        (relation("Harbor Queue", "uses", "Dock DB", ""), "words not in the text"),
        (relation("Harbor Queue", "uses", "Dock DB", "looks after it"), UNSUPPORTED),
        (
            relation("Harbor Queue", "uses", "Dock DB", "DDB. The Tide Crew"),
            "words not in the text",
        ),
        (relation("Harbor Queue", "uses", "Dock DB", "Dock " * 200), "words not in the text"),
        (relation("Harbor Queue", "uses", "Old Box", "It does not use Old Box"), "denied"),
    ],
)
def test_what_does_not_hold_is_dropped_and_counted(found: dict[str, Any], reason: str) -> None:
    assert read(found) == (NOTHING, {reason: 1})


def test_a_type_or_alias_that_does_not_hold_is_left_out() -> None:
    findings, _ = read(entity("Dock DB", "admin of everything", "Payroll", "dock db", "DDB"))
    assert findings.named == (FoundName("Dock DB", "", ("DDB",)),)


def test_nothing_is_said_of_a_thing_and_itself() -> None:
    findings, _ = read(relation("Dock DB", "depends_on", "Dock DB", "leans on the Dock DB"))
    assert not findings.told


def test_what_is_said_of_an_alias_is_said_of_the_name() -> None:
    findings, _ = read(
        entity("Dock DB", "", "DDB"),
        relation("Harbor Queue", "depends_on", "DDB", "leans on the Dock DB, or DDB"),
        relation("DDB", "depends_on", "Dock DB", "It leans on the Dock DB, or DDB"),
    )
    assert findings.named == (FoundName("Dock DB", "", ("DDB",)), FoundName("Harbor Queue"))
    assert findings.told == (FoundRelation("Harbor Queue", "depends_on", "Dock DB"),)


def test_a_text_that_the_reply_does_not_speak_of_is_unread_unless_it_was_the_only_one() -> None:
    passage: dict[str, Any] = {"number": 2, "entities": [], "relations": []}
    nobody: Counter[str] = Counter()
    assert checked({"passages": [passage]}, [TEXT, OTHER], nobody) == {OTHER: NOTHING}
    assert checked({"passages": [{**passage, "number": 7}]}, [TEXT, OTHER], nobody) == {}
    assert checked({"passages": []}, [OTHER], nobody) == {OTHER: NOTHING}


words = st.text("abAB .-é", max_size=12)
replies = st.fixed_dictionaries(
    {
        "passages": st.lists(
            st.fixed_dictionaries(
                {
                    "number": st.integers(-1, 3),
                    "entities": st.lists(
                        st.builds(lambda a, b, c: entity(a, b, *c), words, words, st.lists(words)),
                        max_size=4,
                    ),
                    "relations": st.lists(
                        st.builds(relation, words, st.sampled_from(("uses", "x")), words, words),
                        max_size=4,
                    ),
                }
            ),
            max_size=3,
        )
    }
)


@given(replies, st.lists(words, min_size=1, max_size=2, unique=True))
def test_whatever_a_model_replies_no_word_comes_from_elsewhere(
    reply: dict[str, Any], texts: list[str]
) -> None:
    excerpts = [Excerpt("", text) for text in texts]
    for excerpt, findings in checked(reply, excerpts, Counter()).items():
        there = set(words_in(fold(excerpt.text)))
        for one in findings.named:
            for name in (one.name, *one.aliases):
                assert set(words_in(fold(name))) <= there
        named = {one.name for one in findings.named}
        assert all({edge.source, edge.target} <= named for edge in findings.told)
        assert from_json(as_json(findings)) == findings
