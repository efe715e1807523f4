"""/docs: the operations of the OpenAPI document as one page of our own. It loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from starlette.responses import HTMLResponse

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
summary{cursor:pointer;padding:.3rem 0}code,pre{font-family:ui-monospace,monospace}
pre{background:#8881;padding:.7rem;overflow:auto}b{display:inline-block;min-width:4.5rem}
:root{color-scheme:light dark}"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)


def page(document: Mapping[str, Any]) -> HTMLResponse:
    """Return the page of an OpenAPI document."""
    info = document["info"]
    operations = "".join(_operations(document))
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>{escape(info['title'])}</title>"
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{escape(info['description'])}</p>"
        f'<p>The whole of it is in <a href="/openapi.json">openapi.json</a>.</p>{operations}</html>'
    )
    return HTMLResponse(text, headers={"content-security-policy": _POLICY})


def _operations(document: Mapping[str, Any]) -> Iterator[str]:
    for path, own in document["paths"].items():
        for method, operation in own.items():
            yield _operation(method, path, operation, document)


def _operation(
    method: str, path: str, operation: Mapping[str, Any], document: Mapping[str, Any]
) -> str:
    statuses = "".join(
        f"<li><code>{escape(status)}</code> {escape(told['description'])}"
        for status, told in operation["responses"].items()
    )
    parameters = "".join(
        f"<li><code>{escape(one['name'])}</code> in {escape(one['in'])}: "
        f"{escape(one.get('description', ''))}"
        for one in operation.get("parameters", ())
    )
    return (
        f"<details><summary><b>{method.upper()}</b><code>{escape(path)}</code> "
        f"— {escape(operation['summary'])}</summary>"
        f"<p>{escape(operation.get('description', ''))}</p><ul>{parameters}</ul>"
        f"{_body(operation, document)}<ul>{statuses}</ul></details>"
    )


def _body(operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """Return the shape of what is sent, if JSON is."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    if not schema:
        return ""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    shape = document["components"]["schemas"].get(name, schema)
    return f"<pre>{escape(json.dumps(shape.get('properties', shape), indent=2))}</pre>"
