"""What no tool, resource or prompt of ours holds but MCP can carry: images, sounds, blobs.

Our doors and the errors behind them are the same; only what is given out is the suite's.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ContentBlock,
    EmbeddedResource,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)

from sextant.serve.mcp.server import Ctx

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_STATIC, _BLOB, _TEMPLATE = "test://static-text", "test://static-binary", "test://template/"

Handler = Callable[[Ctx, Any], Awaitable[Any]]


def _embedded(uri: str, text: str, kind: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=kind, text=text))


_IMAGE = ImageContent(data=PNG, mime_type="image/png")
_CONTENT: Mapping[str, list[ContentBlock]] = {
    "test_image_content": [_IMAGE],
    "test_audio_content": [AudioContent(data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": [_embedded("test://embedded-resource", "This is embedded.")],
    "test_multiple_content_types": [
        TextContent(text="Multiple content types test:"),
        _IMAGE,
        _embedded("test://mixed", '{"test":"data"}', "application/json"),
    ],
}
_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def add_kinds(server: Server[Any]) -> None:
    """Let a server of ours give out these too."""
    names = (*_CONTENT, "test_missing_capability")
    more(server, "tools/list", "tools", [_tool(name) for name in names])
    first(server, "tools/call", _call)
    more(server, "resources/list", "resources", _resources())
    template = ResourceTemplate(uri_template=f"{_TEMPLATE}{{id}}/data", name="template")
    more(server, "resources/templates/list", "resource_templates", [template])
    first(server, "resources/read", _read)
    more(server, "prompts/list", "prompts", [_prompt(*one) for one in _PROMPTS.items()])
    first(server, "prompts/get", _get)
    server.add_request_handler("completion/complete", CompleteRequestParams, _complete)


def first(server: Server[Any], method: str, handler: Handler) -> None:
    """Let a handler answer what it knows; where it returns nothing, the server's own answers."""
    own = server.get_request_handler(method)
    assert own

    async def handle(ctx: Ctx, params: Any) -> Any:
        found = await handler(ctx, params)
        return await own.handler(ctx, params) if found is None else found

    server.add_request_handler(method, own.params_type, handle)


def more(server: Server[Any], method: str, name: str, listed: list[Any]) -> None:
    """Let a list of the server be longer."""
    own = server.get_request_handler(method)
    assert own

    async def handle(ctx: Ctx, params: Any) -> Any:
        found: Any = await own.handler(ctx, params)
        return found.model_copy(update={name: [*getattr(found, name), *listed]})

    server.add_request_handler(method, own.params_type, handle)


async def _call(_: Ctx, params: CallToolRequestParams) -> CallToolResult | None:
    if params.name == "test_missing_capability":
        needs: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs sampling.", needs)
    content = _CONTENT.get(params.name)
    return CallToolResult(content=content) if content else None


async def _read(_: Ctx, params: ReadResourceRequestParams) -> ReadResourceResult | None:
    uri = params.uri
    if uri == _STATIC:
        text = TextResourceContents(uri=uri, mime_type="text/plain", text="This is static.")
        return ReadResourceResult(contents=[text])
    if uri == _BLOB:
        blob = BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        return ReadResourceResult(contents=[blob])
    if uri.startswith(_TEMPLATE):
        name = uri.removeprefix(_TEMPLATE).removesuffix("/data")
        written = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
        text = TextResourceContents(uri=uri, mime_type="application/json", text=written)
        return ReadResourceResult(contents=[text])
    return None


async def _get(_: Ctx, params: GetPromptRequestParams) -> GetPromptResult | None:
    if params.name not in _PROMPTS:
        return None
    given = params.arguments or {}
    content: dict[str, list[ContentBlock]] = {
        "test_prompt_with_embedded_resource": [_embedded(given.get("resourceUri", ""), "Embedded")],
        "test_prompt_with_image": [_IMAGE],
    }
    written = TextContent(text=" ".join([params.name, *given.values()]))
    blocks = [*content.get(params.name, []), written]
    return GetPromptResult(messages=[PromptMessage(role="user", content=one) for one in blocks])


async def _complete(_: Ctx, params: CompleteRequestParams) -> CompleteResult:
    known = ("paris", "park", "party")
    values = [one for one in known if one.startswith(params.argument.value)]
    return CompleteResult(completion=Completion(values=values, total=len(values), has_more=False))


def _resources() -> list[Resource]:
    return [
        Resource(uri=_STATIC, name="static-text", mime_type="text/plain"),
        Resource(uri=_BLOB, name="static-binary", mime_type="image/png"),
    ]


def _prompt(name: str, arguments: tuple[str, ...]) -> Prompt:
    listed = [PromptArgument(name=one, required=True) for one in arguments]
    return Prompt(name=name, description="Says what the suite expects.", arguments=listed)


def _tool(name: str) -> Tool:
    return Tool(name=name, description="Gives what the suite expects.", input_schema=NO_ARGUMENTS)


NO_ARGUMENTS = {"type": "object", "properties": {}}
