"""The app package: what is in it, and that a broken one is refused by the name of its field."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from dataclasses import replace
from typing import Any

import pytest

from sextant.errors import InvalidInput
from sextant.serve.m365.package.app import App
from sextant.serve.m365.package.archive import check_manifest, package_of
from sextant.serve.m365.package.icons import color_icon, outline_icon

APP = App(
    "11111111-2222-3333-4444-555555555555",
    "Sextant",
    "https://sextant.example.com",
    "Contoso",
    examples=("Who owns Service A?",),
)


def opened(packed: bytes) -> dict[str, bytes]:
    """Return the files of a package."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def size_of(picture: bytes) -> tuple[int, int, bool]:
    """Return width and height of a PNG picture, and whether its pixels are all there."""
    wide, high = struct.unpack(">II", picture[16:24])
    length = struct.unpack(">I", picture[33:37])[0]
    pixels = zlib.decompress(picture[41 : 41 + length])
    return wide, high, len(pixels) == high * (1 + 4 * wide)


def test_a_package_holds_a_bot_that_is_a_custom_engine_agent() -> None:
    files = opened(package_of(APP))
    assert set(files) == {"manifest.json", "color.png", "outline.png"}
    manifest = json.loads(files["manifest.json"])
    [bot] = manifest["bots"]
    assert bot["botId"] == APP.id
    assert bot["scopes"] == ["personal", "team", "groupChat", "copilot"]
    assert bot["commandLists"][0]["commands"][0]["title"] == "Who owns Service A?"
    [agent] = manifest["copilotAgents"]["customEngineAgents"]
    assert (agent["id"], agent["type"]) == (APP.id, "bot")
    assert manifest["developer"]["privacyUrl"] == APP.url
    assert manifest["validDomains"] == ["sextant.example.com"]


def test_a_declarative_agent_has_our_mcp_server_as_its_plugin() -> None:
    files = opened(package_of(replace(APP, oauth_reference="reg-1"), is_declarative=True))
    manifest, agent, plugin = (
        json.loads(files[name])
        for name in ("manifest.json", "declarativeAgent.json", "plugin.json")
    )
    assert manifest["copilotAgents"]["declarativeAgents"][0]["file"] == "declarativeAgent.json"
    assert "bots" not in manifest
    assert agent["actions"] == [{"id": "sextant", "file": "plugin.json"}]
    assert agent["conversation_starters"] == [{"text": "Who owns Service A?"}]
    [runtime] = plugin["runtimes"]
    assert runtime["type"] == "RemoteMCPServer"
    assert runtime["auth"] == {"type": "OAuthPluginVault", "reference_id": "reg-1"}
    assert runtime["spec"]["url"] == "https://sextant.example.com/mcp"
    names = [one["name"] for one in runtime["spec"]["mcp_tool_description"]["tools"]]
    assert names == runtime["run_for_functions"]


def test_icons_are_pictures_of_the_sizes_that_teams_wants() -> None:
    files = opened(package_of(APP))
    assert size_of(files["color.png"]) == (192, 192, True)
    assert size_of(files["outline.png"]) == (32, 32, True)


def test_the_same_app_is_the_same_bytes() -> None:
    assert package_of(APP) == package_of(APP)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"id": "not-a-guid"}, "botId"),
        ({"id": ""}, "no id"),
        ({"name": "n" * 31}, "name.short"),
        ({"developer": "d" * 33}, "developer.name"),
        ({"version": "1.0"}, "version"),
        ({"privacy": "privacy.html"}, "developer.privacyUrl"),
        ({"terms": "ftp://terms"}, "developer.termsOfUseUrl"),
        ({"url": "http://sextant.example.com"}, "https address"),
        ({"url": ""}, "https address"),
        ({"url": "https://[::1"}, "https address"),
        ({"url": "https://sextant.example.com:99999"}, "https address"),
        ({"url": "https://sextant example.com"}, "https address"),
        ({"url": "https://user:secret@sextant.example.com"}, "https address"),
        ({"url": "https://sextant.example.com/?tenant=a"}, "https address"),
        ({"examples": ("q" * 5_000,)}, "bots.0.commandLists.0.commands.0.description"),
    ],
)
def test_a_broken_package_is_refused_with_the_fields_name(
    wrong: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput, match=field):
        package_of(replace(APP, **wrong))


def test_a_broken_declarative_agent_is_refused_with_the_fields_name() -> None:
    with pytest.raises(InvalidInput, match=r"declarativeAgent.json is refused: name"):
        package_of(replace(APP, name="[[a"), is_declarative=True)
    with pytest.raises(InvalidInput, match=r"plugin.json is refused: runtimes.0.auth"):
        check_manifest(
            "plugin.json",
            {
                "schema_version": "v2.4",
                "name_for_human": "a",
                "namespace": "a",
                "description_for_human": "a",
                "runtimes": [
                    {"type": "RemoteMCPServer", "auth": {"type": "OAuthPluginVault"}, "spec": {}}
                ],
            },
        )


@pytest.mark.parametrize(
    ("icons", "field"),
    [
        ({"color": b"GIF89a"}, "icons.color is not a PNG"),
        ({"color": outline_icon()}, "icons.color has 32x32 pixels"),
        ({"outline": color_icon()}, "icons.outline has 192x192 pixels"),
        ({"outline": color_icon()[:20]}, "icons.outline is not a PNG"),
        ({"color": color_icon() + b"\0" * 1_000_000}, "icons.color is larger"),
    ],
)
def test_a_broken_icon_is_refused_with_the_fields_name(icons: dict[str, bytes], field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        package_of(APP, **icons)  # type: ignore[arg-type]
