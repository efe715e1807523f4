"""Which tools give what others need: right ones, and none where it is not clear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sextant.toolbox.catalogue import read_catalogue
from sextant.toolbox.catalogue.infer import inferred_relations
from sextant.types import LinkOrigin, Tool, ToolLink


def tool(
    name: str, takes: str = "", returns: dict[str, Any] | None = None, server: str = "s"
) -> Tool:
    """Return a tool that requires these parameters, all texts, and returns these properties."""
    names = takes.split()
    schema = {
        "type": "object",
        "properties": {one: {"type": "string"} for one in names},
        "required": names,
    }
    gives = {"type": "object", "properties": returns} if returns else {}
    return Tool(f"{server}.{name}", name, schema=schema, returns=gives, server=server)


ID = {"id": {"type": "string"}}


def pairs(*tools: Tool) -> set[tuple[str, str]]:
    return {(one.source, one.target) for one in inferred_relations(tools)}


def test_the_id_of_what_another_tool_makes_comes_from_there() -> None:
    (relation,) = inferred_relations([tool("createIssue", returns=ID), tool("close", "issueId")])
    assert (relation.source, relation.target) == ("s.close", "s.createIssue")
    assert relation.kind is ToolLink.DEPENDS_ON
    assert relation.origin is LinkOrigin.IMPORTED
    assert not relation.required
    assert relation.confidence == 0.5
    assert relation.reason == "its issueId is the id that createIssue returns"


def test_all_usual_spellings_are_the_same() -> None:
    for name, parameter in [
        ("create_issue", "issue_id"),
        ("issues/create", "issueId"),
        ("Create Issue", "IssueID"),
        ("list-issues", "issue-id"),
    ]:
        found = pairs(tool(name, returns=ID), tool("close", parameter))
        assert found == {("s.close", f"s.{name}")}, name


def test_what_is_returned_in_a_list_or_a_wrapper_is_found() -> None:
    item = {"type": "object", "properties": ID}
    for returned in (
        {"items": {"type": "array", "items": item}},
        {"issue": item},
        {"data": {"type": "object", "properties": {"issues": {"type": "array", "items": item}}}},
    ):
        assert pairs(tool("listIssues", returns=returned), tool("close", "issueId"))


def test_a_bare_id_is_of_what_the_tool_works_on() -> None:
    assert pairs(tool("createIssue", returns=ID), tool("getIssue", "id")) == {
        ("s.getIssue", "s.createIssue")
    }


def test_nothing_is_inferred_from_what_does_not_fit() -> None:
    made = tool("createIssue", returns=ID)
    assert not pairs(made, tool("close", "projectId"))
    assert not pairs(made, tool("close", "issueTitle"))
    assert not pairs(tool("createIssue", returns={"ownerId": {}}), tool("close", "ownerId"))
    assert not pairs(tool("createIssue", returns={"id": {"type": "integer"}}), tool("c", "issueId"))
    assert not pairs(made, tool("close", "issueId", server="other"))
    assert not pairs(tool("listIssuesForOrg", returns=ID), tool("closeForUser", "issueId"))
    assert not pairs(tool("createIssue", "id", returns=ID), tool("addIssue", "id"))


def test_a_tool_that_needs_the_id_does_not_give_it() -> None:
    assert not pairs(tool("getIssue", "issueId", ID), tool("close", "issueId"))


def test_what_many_tools_return_comes_from_those_that_make_it() -> None:
    listing = [tool(f"listIssues{one}", returns=ID) for one in ("ByA", "ByB", "ByC", "ByD")]
    assert not pairs(*listing, tool("close", "issueId"))
    assert pairs(*listing, tool("createIssue", returns=ID), tool("close", "issueId")) == {
        ("s.close", "s.createIssue")
    }


def test_a_parameter_that_names_another_tool_needs_it() -> None:
    described = {"type": "object", "properties": {"r": {"description": "Taken from web_search."}}}
    fetch = Tool("s.fetch", "fetch", schema=described, server="s")
    (relation,) = inferred_relations([fetch, tool("web_search")])
    assert (relation.source, relation.target) == ("s.fetch", "s.web_search")
    assert relation.confidence == 0.7
    assert not pairs(fetch, tool("web_search", server="other"))


def test_a_parameter_that_names_its_own_tool_needs_nothing() -> None:
    described = {"type": "object", "properties": {"r": {"description": "As in web_search."}}}
    assert not inferred_relations([Tool("s.web_search", "web_search", schema=described)])


def test_the_pet_store_feeds_its_own_calls(api_descriptions: Path) -> None:
    path = api_descriptions / "3.0" / "json" / "petstore.json"
    tools = read_catalogue(path.name, path.read_bytes()).tools
    found = {
        (one.source.partition(".")[2], one.target.partition(".")[2])
        for one in inferred_relations(tools)
    }
    assert ("deletePet", "findPetsByStatus") in found
    assert ("getOrderById", "placeOrder") in found
    assert all(target != "getInventory" for _, target in found)


def test_thousands_of_tools_that_all_return_the_same_are_no_trouble() -> None:
    tools = [tool(f"createIssue{one}", "issueId", ID) for one in range(5_000)]
    assert inferred_relations(tools) == ()
