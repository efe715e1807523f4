"""The incremental writer: what a client puts together is what the library's executor returns."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import execute_sync
from graphql.execution.values import VariableValues
from graphql.language import DirectiveNode, visit
from graphql.language.visitor import REMOVE, Visitor, VisitorAction
from hypothesis import given, settings
from hypothesis import strategies as st

from sextant.serve.graphql.documents import Document, Documents
from sextant.serve.graphql.incremental.writer import RunFacts, Writer
from sextant.serve.graphql.schema import copilot_schema
from tests.serve.graphql.events import NOON, batches, response_of, runs
from tests.serve.graphql.odd_documents import ODD_DOCUMENTS
from tests.serve.graphql.recordings import client_documents, node_runtime
from tests.serve.graphql.urql import put_together

_RUN = "generateCopilotResponse"
_KNOWN = [documents[_RUN] for documents in client_documents().values()]
_SENT = [node_runtime()["queries"][_RUN]]
_SCHEMA = copilot_schema()
_documents = Documents(_SCHEMA, can_introspect=True)
_NO_DATA = {"metadata": {}, "messages": [], "frontend": {"actions": []}}


class _Undivided(Visitor):
    def enter_directive(self, node: DirectiveNode, *_: object) -> VisitorAction:
        return REMOVE if node.name.value in ("defer", "stream") else None


def _executed(document: Document, response: dict[str, Any]) -> Any:
    """Return what the library makes of a whole run; data is wanted, and of no concern."""
    fields = {"generateCopilotResponse": response}
    result = execute_sync(
        _SCHEMA,
        visit(document.node, _Undivided()),
        root_value=fields,
        variable_values={"data": _NO_DATA},
    )
    assert not result.errors, result.errors
    return result.data


def _variables(document: Document) -> VariableValues:
    return document.variables({"data": _NO_DATA})


@pytest.mark.parametrize("text", [*_KNOWN, *_SENT, *ODD_DOCUMENTS])
@settings(max_examples=40)
@given(data=st.data())
def test_patches_come_to_what_the_executor_returns(text: str, data: st.DataObject) -> None:
    document = _documents.find(text, "")
    events = data.draw(runs())
    wanted = _executed(document, response_of(events))
    in_parts = data.draw(st.booleans())
    plan = document.plan(_variables(document), in_parts=in_parts)
    writer = Writer(plan, RunFacts("t", "r", request_id="q"), lambda: NOON)
    payloads = [one for batch in batches(data, events) for one in writer.payloads(batch)]
    assert put_together(payloads) == wanted
