"""The sample knowledge and its golden questions agree with each other. Knows no reader."""

from __future__ import annotations

import csv
import email
import email.policy
import email.utils
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sextant

SAMPLE = Path(sextant.__file__).parent / "sample"
KNOWLEDGE = SAMPLE / "knowledge"
CATALOGUE = KNOWLEDGE / "catalog" / "catalog-info.yaml"
FIRST_QUESTION = "If Service A fails, what breaks and who owns escalation?"
PROMISED = {
    "one-hop": 18,
    "multi-hop": 16,
    "date": 8,
    "unanswerable": 8,
    "trap": 8,
    "comparison": 3,
    "follow-up": 3,
}
FIELDS = {"id", "question", "kind", "split", "answer", "must", "must_not", "documents", "quotes"}
OPTIONAL = {"absent", "persona", "today", "history"}


def load_questions() -> list[dict[str, Any]]:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


QUESTIONS = load_questions()
ANSWERABLE = [question for question in QUESTIONS if question["kind"] != "unanswerable"]
UNANSWERABLE = [question for question in QUESTIONS if question["kind"] == "unanswerable"]
DOCUMENTS = sorted(
    path.relative_to(KNOWLEDGE).as_posix()
    for path in KNOWLEDGE.rglob("*")
    if path.is_file() and path != CATALOGUE
)
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda item: item["id"])
each_answerable = pytest.mark.parametrize("question", ANSWERABLE, ids=lambda item: item["id"])
each_unanswerable = pytest.mark.parametrize("question", UNANSWERABLE, ids=lambda item: item["id"])
each_document = pytest.mark.parametrize("path", DOCUMENTS)
each_page = pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.endswith(".md")])


@cache
def text_of(path: str) -> str:
    return (KNOWLEDGE / path).read_text(encoding="utf-8")


def holds(text: str, words: str) -> bool:
    """Whether the words stand in the text as whole words, whatever their case."""
    pattern = r"(?<!\w)" + re.escape(words.lower()) + r"(?!\w)"
    return re.search(pattern, text.lower()) is not None


def visible(path: str, persona: str | None) -> bool:
    parts = path.split("/")
    return parts[0] != "restricted" or parts[1] == persona


def front_matter(path: str) -> dict[str, str]:
    opening = re.match(r"---\n(.*?)\n---\n", text_of(path), re.DOTALL)
    assert opening, f"{path} has no front matter"
    pairs = (line.split(":", 1) for line in opening[1].splitlines())
    return {name: value.strip().strip('"') for name, value in pairs}


def test_there_are_enough_documents_and_no_two_say_the_same() -> None:
    assert len(DOCUMENTS) >= 48
    assert len({text_of(path) for path in DOCUMENTS}) == len(DOCUMENTS)
    suffixes = {Path(path).suffix for path in DOCUMENTS}
    assert suffixes == {".md", ".html", ".txt", ".csv", ".json", ".eml", ".rst", ".go"}
    assert not list(SAMPLE.rglob("*.py"))


def test_the_readme_counts_what_is_there() -> None:
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert f"{len(DOCUMENTS)} documents beside the catalogue" in readme
    assert f"{len(QUESTIONS)} golden questions" in readme
    header = next(line for line in readme.splitlines() if line.startswith("| kind | one-hop"))
    row = next(line for line in readme.splitlines() if line.startswith("| questions |"))
    kinds = [cell.strip() for cell in header.split("|")[2:-1]]
    numbers = [int(cell) for cell in row.split("|")[2:-1]]
    assert dict(zip(kinds, numbers, strict=True)) == Counter(item["kind"] for item in QUESTIONS)


def test_every_path_that_the_readme_names_exists() -> None:
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+[\w.-]+\.\w+)`", readme)
    assert named
    assert [path for path in named if not (KNOWLEDGE / path).is_file()] == []


@each_page
def test_a_page_has_a_title_and_dates_within_the_story(path: str) -> None:
    matter = front_matter(path)
    written, updated = (date.fromisoformat(matter[name]) for name in ("date", "updated"))
    assert matter["title"]
    assert f"\n# {matter['title']}\n" in text_of(path)
    assert date(2022, 1, 1) <= written <= updated <= date(2026, 10, 31)


@each_page
def test_a_page_is_short(path: str) -> None:
    body = text_of(path).split("---\n", 2)[2]
    assert 110 <= len(body.split()) <= 450


@each_page
def test_what_a_page_links_to_or_supersedes_exists(path: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", text_of(path))
    assert [link for link in links if not (KNOWLEDGE / path).parent.joinpath(link).is_file()] == []
    matter = front_matter(path)
    others = [matter[name] for name in ("supersedes", "superseded_by") if name in matter]
    assert [other for other in others if other not in DOCUMENTS] == []
    assert ("superseded_by" in matter) == (matter.get("status") == "superseded")


def test_the_other_formats_have_a_title_and_a_date_where_they_can() -> None:
    for path in DOCUMENTS:
        text, suffix = text_of(path), Path(path).suffix
        if suffix == ".html":
            assert re.search(r"<title>.+</title>", text)
            assert re.search(r'<meta name="date" content="\d{4}-\d\d-\d\d">', text)
        if suffix == ".rst":
            assert re.search(r"^:date: \d{4}-\d\d-\d\d$", text, re.MULTILINE)
            assert re.search(r"^=+\n.+\n=+$", text, re.MULTILINE)
        if suffix == ".json":
            record = json.loads(text)
            assert record["title"]
            assert date.fromisoformat(record["updated"]) <= date(2026, 10, 31)
        if suffix == ".txt":
            assert re.search(r"copied on \d{4}-\d\d-\d\d", text)


def test_the_mail_is_a_mail() -> None:
    path = "oncall/escalation-change-2026-04.eml"
    mail = email.message_from_string(text_of(path), policy=email.policy.default)
    assert mail["Subject"]
    sent = email.utils.parsedate_to_datetime(mail["Date"])
    assert mail["Date"].startswith(f"{sent:%a}")
    assert not mail.defects


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.endswith(".csv")])
def test_every_row_of_a_table_is_as_wide_as_its_header(path: str) -> None:
    header, *rows = csv.reader(io.StringIO(text_of(path)))
    assert rows
    assert {len(row) for row in rows} == {len(header)}


@pytest.mark.parametrize("path", [*DOCUMENTS, CATALOGUE.relative_to(KNOWLEDGE).as_posix()])
def test_no_host_is_a_real_one(path: str) -> None:
    text = re.sub(r"\b(sextant\.dev|backstage\.io)/", "", text_of(path))
    hosts = re.findall(r"(?://|@)([\w.-]*[\w])", text)
    hosts += re.findall(r"\b[\w-]+\.(?:com|org|net|io|dev|app|cloud)\b", text)
    assert [host for host in hosts if not host.endswith(".example")] == []


def test_the_weekdays_that_pages_name_are_right() -> None:
    days = r"(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day (\d{1,2}) (\w+) (20\d\d)"
    months = "January February March April May June July August September October November December"
    found = [match for path in DOCUMENTS for match in re.findall(days, text_of(path))]
    assert found
    for name, day, month, year in found:
        moment = date(int(year), months.split().index(month) + 1, int(day))
        assert f"{moment:%A}" == f"{name}day", f"{day} {month} {year}"


def test_questions_are_as_many_and_as_varied_as_promised() -> None:
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert set(kinds) == set(PROMISED)
    assert all(kinds[kind] >= least for kind, least in PROMISED.items())
    assert len(QUESTIONS) >= 60
    assert QUESTIONS[0]["question"] == FIRST_QUESTION
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)


def test_every_kind_is_halved_between_train_and_test() -> None:
    for kind in PROMISED:
        splits = Counter(item["split"] for item in QUESTIONS if item["kind"] == kind)
        assert set(splits) == {"train", "test"}
        assert abs(splits["train"] - splits["test"]) <= 1


@each_question
def test_a_question_has_the_known_fields_and_sane_values(question: dict[str, Any]) -> None:
    assert set(question) >= FIELDS
    assert set(question) <= FIELDS | OPTIONAL
    assert question["question"].endswith("?")
    assert question["answer"]
    assert question.get("persona") in {None, "sre", "finance"}
    assert date.fromisoformat(question.get("today", "2026-10-31")) <= date(2026, 10, 31)
    assert bool(question.get("history")) == (question["kind"] == "follow-up")
    assert all(set(turn) == {"role", "text"} for turn in question.get("history", []))


@each_answerable
def test_a_quote_stands_verbatim_in_its_document(question: dict[str, Any]) -> None:
    assert list(question["quotes"]) == question["documents"] != []
    for path, quote in question["quotes"].items():
        assert quote in text_of(path), path


@each_answerable
def test_what_an_answer_must_say_stands_in_its_documents(question: dict[str, Any]) -> None:
    assert question["must"]
    texts = [text_of(path) for path in question["documents"]]
    assert [
        words for words in question["must"] if not any(holds(text, words) for text in texts)
    ] == []


@each_answerable
def test_the_expected_answer_passes_its_own_check(question: dict[str, Any]) -> None:
    answer = question["answer"]
    assert [words for words in question["must"] if not holds(answer, words)] == []
    assert [words for words in question["must_not"] if holds(answer, words)] == []


@each_answerable
def test_who_asks_may_see_what_answers(question: dict[str, Any]) -> None:
    persona = question.get("persona")
    assert all(visible(path, persona) for path in question["documents"])
    assert persona is None or any(not visible(path, None) for path in question["documents"])


@each_unanswerable
def test_what_cannot_be_answered_stands_nowhere(question: dict[str, Any]) -> None:
    assert question["documents"] == question["must"] == []
    assert question["quotes"] == {}
    assert question["absent"]
    seen = [path for path in DOCUMENTS if visible(path, question.get("persona"))]
    told = [(path, words) for path in seen for words in question["absent"]]
    assert [pair for pair in told if holds(text_of(pair[0]), pair[1])] == []


def test_a_multi_hop_question_needs_more_than_one_document() -> None:
    for question in QUESTIONS:
        if question["kind"] == "multi-hop":
            assert len(question["documents"]) >= 2, question["id"]


def test_every_restricted_page_answers_a_question_for_its_persona() -> None:
    restricted = {path for path in DOCUMENTS if not visible(path, None)}
    assert restricted
    assert restricted <= {path for question in QUESTIONS for path in question["documents"]}


def catalogue() -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml")
    return list(yaml.safe_load_all(CATALOGUE.read_text(encoding="utf-8")))


def references(entity: dict[str, Any]) -> Iterator[str]:
    """Yield what an entity refers to, each as kind:name."""
    kinds = {"owner": "group", "system": "system", "domain": "domain", "dependsOn": "component"}
    kinds |= {"providesApis": "api", "consumesApis": "api", "members": "user", "memberOf": "group"}
    for field, kind in kinds.items():
        value = entity["spec"].get(field, [])
        for name in [value] if isinstance(value, str) else value:
            yield name if ":" in name else f"{kind}:{name}"
    annotations = entity["metadata"].get("annotations", {})
    if "sextant.dev/escalates-to" in annotations:
        yield annotations["sextant.dev/escalates-to"]


def test_every_reference_in_the_catalogue_resolves() -> None:
    entities = catalogue()
    known = [f"{entity['kind'].lower()}:{entity['metadata']['name']}" for entity in entities]
    assert len(set(known)) == len(known)
    assert {ref for entity in entities for ref in references(entity)} - set(known) == set()
    kinds = {entity["kind"] for entity in entities}
    assert kinds == {"Component", "System", "Domain", "Resource", "API", "Group", "User"}


def test_pages_and_catalogue_agree_on_aliases_and_owners() -> None:
    by_title = {entity["metadata"]["title"]: entity for entity in catalogue()}
    titles = {f"group:{entity['metadata']['name']}": title for title, entity in by_title.items()}
    for path in DOCUMENTS:
        if path.split("/")[0] in {"services", "processes", "teams"} and path.endswith(".md"):
            matter = front_matter(path)
            entity = by_title[matter["title"]]
            aliases = entity["metadata"]["annotations"]["sextant.dev/aliases"]
            assert f"[{aliases}]" == matter["aliases"]
            owner = entity["spec"].get("owner")
            assert owner is None or titles[owner] in text_of(path), path


def test_the_table_of_services_agrees_with_the_catalogue() -> None:
    by_title = {entity["metadata"]["title"]: entity for entity in catalogue()}
    for row in csv.DictReader(io.StringIO(text_of("services/tiers.csv"))):
        metadata, spec = by_title[row["service"]]["metadata"], by_title[row["service"]]["spec"]
        escalation = metadata["annotations"]["sextant.dev/escalates-to"]
        owner, escalation_owner = (
            "group:" + row[name].lower().replace(" ", "-") for name in ("owner", "escalation_owner")
        )
        assert (spec["owner"], escalation) == (owner, escalation_owner)
        assert metadata["tags"] == [f"tier-{row['tier']}"]
