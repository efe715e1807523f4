"""GET /docs: the operations of the OpenAPI document as one page of our own. It loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from sextant.serve.rest.openapi.fields import Fields, Row

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
summary{cursor:pointer;padding:.3rem 0}code,pre{font-family:ui-monospace,monospace}
pre{background:#8881;padding:.7rem;overflow:auto}b{display:inline-block;min-width:4.5rem}
table{border-collapse:collapse;font-size:.9em}td,th{text-align:left;vertical-align:top;
padding:.2rem .8rem .2rem 0;border-bottom:1px solid #8883}:root{color-scheme:light dark}"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
_HEAD = "<tr><th>field<th>kind<th>limits<th>what it is for"
_CODE = re.compile(r"`([^`]+)`")
_MEDIA = {"application/json": "Body as JSON", "multipart/form-data": "Body as a form"}
Plain = Mapping[str, Any]


def page(document: Plain) -> bytes:
    """Return the page of an OpenAPI document."""
    info = document["info"]
    operations = "".join(_operations(document))
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>{escape(info['title'])}</title>"
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"{_words(info['description'])}"
        f'<p>The whole of it is in <a href="/openapi.json">openapi.json</a>.</p>{operations}</html>'
    )
    return text.encode()


def _operations(document: Plain) -> Iterator[str]:
    fields = Fields(document["components"]["schemas"])
    for path, own in document["paths"].items():
        for method, operation in own.items():
            yield (
                f"<details><summary><b>{method.upper()}</b><code>{escape(path)}</code> "
                f"— {escape(operation['summary'])}</summary>{_operation(operation, fields)}"
                "</details>"
            )


def _operation(operation: Plain, fields: Fields) -> str:
    statuses = "".join(
        f"<li><code>{escape(status)}</code> {_marked(told['description'])}"
        for status, told in operation["responses"].items()
    )
    calls = "".join(_code(one["source"]) for one in operation.get("x-codeSamples", ()))
    return (
        f"{_words(operation['description'])}{calls}{_parameters(operation, fields)}"
        f"{''.join(_bodies(operation, fields))}{_reply(operation)}<ul>{statuses}</ul>"
    )


def _parameters(operation: Plain, fields: Fields) -> str:
    rows: list[Row] = []
    for one in operation.get("parameters", ()):
        schema = {"properties": {one["name"]: {**one["schema"], **_described(one)}}}
        needed = [one["name"]] if one.get("required") else []
        rows += fields.rows({**schema, "required": needed})
    places = sorted({one["in"] for one in operation.get("parameters", ())})
    return _table(f"Parameters ({', '.join(places)})", rows)


def _described(parameter: Plain) -> dict[str, str]:
    place = "" if parameter["in"] == "query" else f"In the {parameter['in']}. "
    return {"description": f"{place}{parameter.get('description', '')}"}


def _bodies(operation: Plain, fields: Fields) -> Iterator[str]:
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield _table(_MEDIA.get(media, media), list(fields.rows(content["schema"])))


def _reply(operation: Plain) -> str:
    """Return an example of a reply, if there is one."""
    told = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
    if "example" not in told:
        return ""
    return f"<h3>A reply</h3>{_code(json.dumps(told['example'], indent=2, ensure_ascii=False))}"


def _table(title: str, rows: Iterable[Row]) -> str:
    lines = "".join(map(_line, rows))
    return f"<h3>{escape(title)}</h3><table>{_HEAD}{lines}</table>" if lines else ""


def _line(row: Row) -> str:
    needed = ", needed" if row.is_needed else ""
    return (
        f"<tr><td><code>{escape(row.name)}</code><td>{escape(row.kind)}{needed}"
        f"<td>{escape(row.limits)}<td>{_marked(row.description)}"
    )


def _words(text: str) -> str:
    return "".join(f"<p>{_marked(part)}</p>" for part in text.split("\n\n"))


def _marked(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _code(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"
