"""Documents: those of every client are taken, and what is too much or makes no sense is not."""

from __future__ import annotations

import pytest
from graphql import get_introspection_query

from sextant.errors import TooLarge
from sextant.serve.graphql.documents import Documents, Rejected
from sextant.serve.graphql.schema import copilot_schema
from tests.serve.graphql.recordings import client_documents

_EVERY = [
    (release, name, text)
    for release, documents in client_documents().items()
    for name, text in documents.items()
]


def _documents(*, can_introspect: bool = True) -> Documents:
    return Documents(copilot_schema(), can_introspect=can_introspect)


@pytest.mark.parametrize(("release", "name", "text"), _EVERY)
def test_the_documents_of_every_client_are_taken(release: str, name: str, text: str) -> None:
    found = _documents().find(text, name)
    assert found.is_mutation is (name == "generateCopilotResponse"), release


def test_a_document_is_read_once() -> None:
    documents, text = _documents(), "{ hello }"
    assert documents.find(text, "") is documents.find(text, "")


def test_only_so_many_documents_are_kept() -> None:
    documents = _documents()
    first = documents.find("{ hello }", "")
    for number in range(100):
        documents.find(f"query q{number} {{ hello }}", "")
    assert documents.find("{ hello }", "") is not first


@pytest.mark.parametrize(
    ("text", "name", "code"),
    [
        ("", "", "GRAPHQL_PARSE_FAILED"),
        ("{ hello", "", "GRAPHQL_PARSE_FAILED"),
        ("{ hello(" + "[" * 5_000, "", "GRAPHQL_PARSE_FAILED"),
        ("{ a " * 2_900, "", "GRAPHQL_PARSE_FAILED"),
        ("{ hello " + "," * 10 + "!" * 4_000, "", "GRAPHQL_PARSE_FAILED"),
        ("{ nope }", "", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { hello }", "", "GRAPHQL_VALIDATION_FAILED"),
        ("fragment f on Query { hello }", "", "GRAPHQL_VALIDATION_FAILED"),
        ("{ ...f } fragment f on Query { ...f }", "", "GRAPHQL_VALIDATION_FAILED"),
        ("query a { hello } query b { hello }", "", "OPERATION_RESOLUTION_FAILURE"),
        ("query a { hello } query b { hello }", "c", "OPERATION_RESOLUTION_FAILURE"),
    ],
)
def test_what_makes_no_sense_is_rejected(text: str, name: str, code: str) -> None:
    with pytest.raises(Rejected) as rejected:
        _documents().find(text, name)
    assert rejected.value.code == code


def test_one_of_two_operations_is_chosen_by_its_name() -> None:
    text = "query a { hello } query b { availableAgents { agents { id } } }"
    found = _documents().find(text, "b")
    assert found.operation.name is not None
    assert found.operation.name.value == "b"


_ALIASES = " ".join(f"a{number}: hello" for number in range(40))
_BOMB = "".join(
    f"fragment f{number} on Query {{ ...f{number + 1} hello ...f{number + 1} }} "
    for number in range(20)
)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("# " + "x" * 20_000 + "\n{ hello }", "characters"),
        ("{ " + "hello " * 600 + "}", "fields"),
        (f"{{ {_ALIASES} }}", "aliases"),
        (f"{{ ...f0 }} {_BOMB} fragment f20 on Query {{ hello }}", "fields"),
        ("{ __schema { types " + "{ ofType " * 20 + "{ name } " + "} " * 20 + "} }", "levels"),
    ],
)
def test_what_is_too_much_is_refused(text: str, what: str) -> None:
    with pytest.raises(TooLarge) as refused:
        _documents().find(text, "")
    assert what in refused.value.message


def test_introspection_can_be_switched_off() -> None:
    text = get_introspection_query()
    assert not _documents().find(text, "").is_mutation
    with pytest.raises(Rejected):
        _documents(can_introspect=False).find(text, "")
    assert not _documents(can_introspect=False).find("{ __typename hello }", "").is_mutation
