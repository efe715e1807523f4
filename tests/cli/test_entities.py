"""Finding entities and what is said of them, and saying which names are whose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import SETTINGS, asked, told
from tests.ingest.folders import Tree, lay_out

PAGES: Tree = {
    "a.md": "# Service A\n\nService A depends on Harbor Queue. The till is part of it.\n",
    "queue.md": "# Harbor Queue\n\nHarbor Queue (HQ) is a queue owned by Team Y.\n",
    "dock.md": "# Dock Queue\n\nDock Queue escalates to Team Y.\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pages that were taken in, to stand in."""
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    lay_out(tmp_path / "docs", PAGES)
    monkeypatch.chdir(tmp_path)
    told("ingest", "docs")
    return tmp_path


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [str(one["id"]) for one in found]


def test_entities_are_found_exactly_by_start_by_a_word_and_about_as_spelt() -> None:
    assert ids(told("entities", "find", "harbor-queue")) == ["harbor-queue"]
    assert ids(told("entities", "find", "HQ")) == ["harbor-queue"]
    assert "service-a" in ids(told("entities", "find", "serv"))
    assert "harbor-queue" in ids(told("entities", "find", "Habor Queue"))
    assert "Harbor Queue" in asked("entities", "find", "harbor").stdout
    assert sorted(ids(told("entities", "find", "queue"))) == ["dock-queue", "harbor-queue"]
    assert "Nothing bears that name" in asked("entities", "find", "zzzzzz").stdout


def test_an_entity_is_shown_with_its_names_and_relations() -> None:
    shown = told("entities", "show", "harbor-queue")
    assert (shown["name"], shown["type"], shown["aliases"]) == ("Harbor Queue", "queue", ["HQ"])
    ends = {(one["source"], one["kind"], one["target"]) for one in shown["relations"]}
    assert ends >= {
        ("service-a", "depends_on", "harbor-queue"),
        ("harbor-queue", "owned_by", "team-y"),
    }
    text = " ".join(asked("entities", "show", "harbor-queue").stdout.split())
    assert "also known as HQ" in text
    assert "service-a —depends_on→ harbor-queue" in text
    missing = asked("entities", "show", "nobody")
    assert (missing.exit_code, "There is no entity 'nobody'" in missing.stderr) == (1, True)


def test_relations_are_followed_by_kind_direction_and_hops() -> None:
    (one,) = told("relations", "harbor-queue", "--kind", "depends_on", "--direction", "in")
    assert (one["source"], one["evidence"]) == ("service-a", ["docs/a.md#c0"])
    assert "depends on" in one["sentence"]
    shown = asked("relations", "harbor-queue", "--kind", "depends_on").stdout
    assert one["sentence"] in " ".join(shown.split())
    kinds = ("--kind", "depends_on", "--kind", "owned_by", "--direction", "out", "--hops", "2")
    assert [one["target"] for one in told("relations", "service-a", *kinds)] == [
        "harbor-queue",
        "team-y",
    ]
    alone = asked("relations", "service-a", "--kind", "calls")
    assert (alone.exit_code, "Nothing is known of them" in alone.stdout) == (0, True)
    assert asked("relations", "service-a", "--hops", "9").exit_code == 2


@pytest.mark.parametrize(
    "command",
    [
        ("relations",),
        ("relations", "service-a"),
        ("entities", "show"),
        ("entities", "merge", "service-a"),
    ],
)
def test_who_gives_a_name_where_an_id_is_wanted_hears_the_id(command: tuple[str, ...]) -> None:
    named = asked(*command, "harbor")
    assert (named.exit_code, named.stdout) == (1, "")
    assert "There is no entity 'harbor'" in named.stderr
    find = "An id is wanted: find it with `sextant entities find NAME`."
    assert f"{find} Perhaps it is harbor-queue (Harbor Queue).\n" in named.stderr
    assert f"{find}\n" in asked(*command, "zzzzzz top").stderr
    assert "harbor-queue" in asked(*command, "harbor-quueue").stderr


def test_a_name_that_is_only_faintly_like_another_is_not_taken_for_it(folder: Path) -> None:
    (folder / "none.md").write_text("# None\n\nNone is a service owned by Team Y.\n")
    told("ingest", "none.md")
    assert told("entities", "show", "none")["name"] == "None"
    refused = asked("entities", "show", "nope").stderr
    assert "There is no entity 'nope'" in refused
    assert "Perhaps" not in refused


def test_a_page_has_relations_too_and_need_be_no_entity() -> None:
    (one,) = told("relations", "doc:docs/a.md", "--kind", "about")
    assert one["target"] == "service-a"
    assert told("relations", "doc:docs/a.md", "--kind", "calls") == []


def test_an_alias_holds_for_what_is_there_and_what_comes() -> None:
    assert "The Till" in told("entities", "alias", "service-a", "The Till")["aliases"]
    assert ids(told("entities", "find", "the till"))[0] == "service-a"
    lay_out(Path("more"), {"b.md": "Team Y runs the till.\n"})
    told("ingest", "more")
    found = told("relations", "service-a", "--kind", "owned_by")
    assert [one["evidence"] for one in found] == [["more/b.md#c0"]]


def test_a_merge_is_taken_back_by_a_split() -> None:
    before = told("relations", "dock-queue")
    merged = told("entities", "merge", "dock-queue", "harbor-queue")
    assert merged["id"] == "harbor-queue"
    assert ids(told("entities", "find", "Dock Queue"))[0] == "harbor-queue"
    kinds = ("--kind", "escalates_to")
    assert [one["target"] for one in told("relations", "harbor-queue", *kinds)] == ["team-y"]
    assert told("entities", "split", "harbor-queue", "dock-queue")["id"] == "dock-queue"
    assert told("relations", "dock-queue") == before
    assert told("relations", "harbor-queue", *kinds) == []


def test_an_alias_can_stand_for_itself() -> None:
    assert told("entities", "split", "harbor-queue", "HQ")["id"] == "hq"
    assert ids(told("entities", "find", "HQ"))[0] == "hq"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("alias", "nobody", "x"), "There is no entity 'nobody'"),
        (("merge", "service-a", "service-a"), "cannot be merged into itself"),
        (("merge", "service-a", "nobody"), "There is no entity 'nobody'"),
        (("split", "service-a", "Service A"), "own name"),
    ],
)
def test_what_cannot_be_said_of_names_is_refused(arguments: tuple[str, ...], words: str) -> None:
    shown = asked("entities", *arguments)
    assert shown.exit_code == 1
    assert words in " ".join(shown.stderr.split())


def test_a_relation_has_the_id_that_its_source_gave_it(folder: Path) -> None:
    ends = {"sourceEntityId": "service-a", "targetEntityId": "harbor-queue"}
    relation = {"id": "rel-1", **ends, "relationType": "mirrors"}
    (folder / "relations.json").write_text(json.dumps([relation]))
    told("ingest", "relations.json")

    assert ids(told("relations", "service-a", "--kind", "mirrors")) == ["rel-1"]
    shown = told("entities", "show", "service-a")["relations"]
    assert "rel-1" in ids(shown)
    assert all(ids(shown))
