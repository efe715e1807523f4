"""An app package: its files, each checked before anything is written, in one archive.

The schemas are those that Microsoft publishes; a manifest that breaks one is refused with the name
of the field.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft7Validator

from sextant.errors import InvalidInput
from sextant.serve.m365.package.app import App, check_app
from sextant.serve.m365.package.icons import (
    COLOR_SIZE,
    OUTLINE_SIZE,
    check_icon,
    color_icon,
    outline_icon,
)
from sextant.serve.m365.package.manifests import (
    AGENT,
    COLOR,
    MANIFEST,
    OUTLINE,
    PLUGIN,
    agent_manifest,
    app_manifest,
    plugin_manifest,
)

_SCHEMAS = {
    MANIFEST: "teams-1.24.json",
    AGENT: "declarative-agent-1.6.json",
    PLUGIN: "plugin-2.4.json",
}
_MOMENT = (2020, 1, 1, 0, 0, 0)
"""What every file is dated, so that the same app is the same bytes."""


def package_of(
    app: App, *, is_declarative: bool = False, color: bytes = b"", outline: bytes = b""
) -> bytes:
    """Return the archive of an app, with icons of its own or ours; a broken one is refused."""
    check_app(app)
    manifests = {MANIFEST: app_manifest(app, is_declarative=is_declarative)}
    if is_declarative:
        manifests |= {AGENT: agent_manifest(app), PLUGIN: plugin_manifest(app)}
    for name, manifest in manifests.items():
        check_manifest(name, manifest)
    icons = {COLOR: color or color_icon(), OUTLINE: outline or outline_icon()}
    check_icon("icons.color", icons[COLOR], COLOR_SIZE)
    check_icon("icons.outline", icons[OUTLINE], OUTLINE_SIZE)
    written = {name: _json(manifest) for name, manifest in manifests.items()}
    return _archive(written | icons)


def check_manifest(name: str, manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest that is not as its schema has it."""
    errors = sorted(_validator(name).iter_errors(manifest), key=lambda one: str(one.json_path))
    if errors:
        field = ".".join(map(str, errors[0].absolute_path)) or "the whole"
        raise InvalidInput(
            f"{name} is refused: {field}: {errors[0].message[:200]}.",
            "Correct what the field is made of, and write the package again.",
        )


@cache
def _validator(name: str) -> Draft7Validator:
    # They say draft 4, and use words of draft 7, which Microsoft's own check reads as such.
    folder = files("sextant.serve.m365.package") / "schemas"
    return Draft7Validator(json.loads((folder / _SCHEMAS[name]).read_text(encoding="utf-8-sig")))


def _json(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, ensure_ascii=False, indent=2).encode() + b"\n"


def _archive(written: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in written.items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), body, zipfile.ZIP_DEFLATED)
    return held.getvalue()
