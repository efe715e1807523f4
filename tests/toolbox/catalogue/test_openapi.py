"""Descriptions of APIs: real ones of every version, and what bad ones do."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sextant.errors import BrokenFile
from sextant.toolbox.catalogue import Catalogue, CatalogueForm, Naming, read_catalogue
from sextant.types import Category, LinkOrigin, Tool, ToolLink
from tests.serve.rest.knowing import door, told

PET = {
    "type": "object",
    "required": ["name", "id"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "nullable": True, "example": "Rex"},
        "parent": {"$ref": "#/components/schemas/Pet"},
    },
}


def api(paths: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"openapi": "3.0.3", "info": {"title": "x"}, "paths": paths, **more}).encode()


def read(paths: dict[str, Any], **more: Any) -> Catalogue:
    return read_catalogue("pets.json", api(paths, **more))


def only(catalogue: Catalogue) -> Tool:
    (tool,) = catalogue.tools
    return tool


_LOOKED_AT = 20
"""Operations of each description whose schemas are checked in full, which is slow."""


def test_every_real_description_becomes_tools_with_valid_schemas(api_descriptions: Path) -> None:
    found = sorted(api_descriptions.glob("[23].*/json/*.json"))
    assert len(found) > 40
    for path in found:
        if path.stem == "webhooks":  # it has none that one could call
            continue
        catalogue = read_catalogue(path.name, path.read_bytes(), form=CatalogueForm.OPENAPI)
        assert catalogue.tools, path.name
        assert not catalogue.refused, path.name
        for tool in catalogue.tools[:_LOOKED_AT]:
            Draft202012Validator.check_schema(tool.schema)
            Draft202012Validator.check_schema(tool.returns)
            assert '"$ref":' not in json.dumps(tool.schema)


@pytest.mark.parametrize("version", ["2.0", "3.0", "3.1"])
def test_the_pet_store_is_the_same_in_json_and_yaml(api_descriptions: Path, version: str) -> None:
    folder = api_descriptions / version
    as_json, as_yaml = (
        read_catalogue(f"petstore.{form}", (folder / form / f"petstore.{form}").read_bytes())
        for form in ("json", "yaml")
    )
    assert as_json == as_yaml
    tools = {tool.name: tool for tool in as_json.tools}
    find = tools["getPetById"]
    assert (find.id, find.category) == ("petstore.getPetById", "pet")
    assert find.schema["required"] == ["petId"]
    assert find.schema["properties"]["petId"]["type"] == "integer"
    assert {"id", "name", "photoUrls"} <= find.returns["properties"].keys()
    assert {"name", "photoUrls"} <= set(tools["addPet"].schema["required"])
    assert Category("pet", "Everything about your Pets") in as_json.categories
    assert any("petstore_auth (oauth2" in note for note in as_json.notes)
    assert any("api_key (apiKey header" in note for note in as_json.notes)


def test_links_say_what_precedes_and_what_feeds(api_descriptions: Path) -> None:
    path = api_descriptions / "3.0" / "json" / "link-example.json"
    relations = {one.key: one for one in read_catalogue("api.json", path.read_bytes()).relations}
    follows = relations["api.getUserByName", "api.getRepositoriesByOwner", ToolLink.PRECEDES.value]
    needs = relations["api.getRepositoriesByOwner", "api.getUserByName", ToolLink.DEPENDS_ON.value]
    for relation in (follows, needs):
        assert relation.origin is LinkOrigin.IMPORTED
        assert not relation.required
        assert relation.reason == "link userRepositories of the API description"
        assert relation.confidence == 0.8


def test_a_schema_that_refers_to_itself_is_cut_where_it_comes_again() -> None:
    answer = {"description": "", "content": {"application/json": {"schema": {}}}}
    answer["content"]["application/json"]["schema"] = {"$ref": "#/components/schemas/Pet"}  # type: ignore[index]
    body = {"required": True, "content": answer["content"]}
    made = read(
        {"/pets": {"post": {"requestBody": body, "responses": {"200": answer}}}},
        components={"schemas": {"Pet": PET}},
    )
    tool = only(made)
    assert tool.id == "pets.post_pets"
    assert tool.schema["properties"]["name"] == {"type": ["string", "null"]}
    assert "id" not in tool.schema["properties"]  # nobody can set what is read-only
    assert tool.schema["required"] == ["name"]
    assert tool.schema["properties"]["parent"] == {"title": "Pet"}
    assert "id" in tool.returns["properties"]


def test_a_parameter_of_the_operation_stands_before_that_of_the_path() -> None:
    tool = only(
        read(
            {
                "/pets/{id}": {
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "schema": {"type": "string"},
                        },
                        {"name": "Accept", "in": "header", "schema": {"type": "string"}},
                    ],
                    "get": {
                        "operationId": "getPet",
                        "summary": "Get a pet",
                        "description": "Get a pet by its id.",
                        "parameters": [
                            {
                                "name": "id",
                                "in": "path",
                                "required": True,
                                "schema": {"type": "integer"},
                            }
                        ],
                    },
                }
            }
        )
    )
    assert tool.schema["properties"] == {"id": {"type": "integer"}}
    assert tool.description == "Get a pet by its id."


def test_a_body_whose_names_are_taken_stays_one_parameter() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}
    tool = only(
        read(
            {
                "/pets/{id}": {
                    "put": {
                        "parameters": [{"name": "id", "in": "path", "required": True}],
                        "requestBody": {
                            "required": True,
                            "content": {"application/json": {"schema": schema}},
                        },
                    }
                }
            }
        )
    )
    assert tool.schema["required"] == ["id", "body"]
    assert tool.schema["properties"]["body"] == schema


def test_other_files_are_never_read_and_that_is_said() -> None:
    made = read({"/a": {"get": {"parameters": [{"$ref": "https://evil.example/p.json"}]}}})
    assert only(made).schema["properties"] == {}
    assert made.notes == ("what stands in other files was not read: https://evil.example/p.json",)


def test_references_that_lead_nowhere_or_in_circles_end() -> None:
    chain = {f"s{one}": {"$ref": f"#/components/schemas/s{one + 1}"} for one in range(3_000)}
    circle = {
        "a": {"$ref": "#/components/parameters/b"},
        "b": {"$ref": "#/components/parameters/a"},
    }
    made = read(
        {
            "/a": {
                "get": {
                    "parameters": [
                        {"$ref": "#/components/parameters/a"},
                        {"$ref": "#/nowhere"},
                        {"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/s0"}},
                    ]
                }
            }
        },
        components={"schemas": chain, "parameters": circle},
    )
    assert only(made).schema["properties"].keys() == {"x"}


def test_schemas_that_double_with_every_reference_stay_small() -> None:
    schemas = {
        f"s{one}": {
            "type": "object",
            "properties": {
                side: {"$ref": f"#/components/schemas/s{one + 1}"} for side in ("left", "right")
            },
        }
        for one in range(40)
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/s0"}}}}
    made = read({"/a": {"post": {"requestBody": body}}}, components={"schemas": schemas})
    assert len(json.dumps(only(made).schema)) < 200_000


def test_aliases_of_yaml_that_double_are_no_danger() -> None:
    lines = [
        "openapi: 3.0.0",
        "paths:",
        "  /a: {get: {parameters: [{in: query, name: x, schema: *z}]}}",
    ]
    doubled = [
        f"x{one}: &a{one} {{type: object, properties: {{l: *a{one - 1}, r: *a{one - 1}}}}}"
        for one in range(1, 60)
    ]
    text = "\n".join(["x0: &a0 {type: string}", *doubled, *lines]).replace("*z", "*a59")
    made = read_catalogue("x.yaml", text.encode())
    assert len(json.dumps(only(made).schema)) < 200_000


def test_two_operations_of_one_id_are_told() -> None:
    made = read({"/a": {"get": {"operationId": "x"}}, "/b": {"get": {"operationId": "x"}}})
    assert only(made).name == "x"
    assert made.refused[0].name == "GET /b"


def test_a_description_without_paths_is_refused() -> None:
    with pytest.raises(BrokenFile, match="it has no paths"):
        read_catalogue("x.json", b'{"openapi": "3.1.0"}')


def test_our_own_server_describes_tools(tmp_path: Path) -> None:
    async def described() -> Any:
        async with door(tmp_path) as one:
            return told(await one.client.get("/openapi.json"))

    data = json.dumps(asyncio.run(described())).encode()
    made = read_catalogue("sextant.json", data, Naming("sextant"))
    assert not made.refused
    assert len(made.tools) > 10
    asking = next(tool for tool in made.tools if tool.name == "ask")
    assert asking.schema["required"] == ["body"]
    assert "citations" in asking.returns["properties"]
