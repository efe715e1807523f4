"""Key Vault and App Configuration on the loopback, as their SDKs call them, over TLS.

Shapes and statuses are those that azure-keyvault-secrets 4.12 and azure-appconfiguration 1.10 read.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.loopback import Answer, Request, answering

VERSION = "0123456789abcdef0123456789abcdef"
REFERENCE_TYPE = "application/vnd.microsoft.appconfig.keyvaultref+json;charset=utf-8"
PAGE = 2
"""Settings of one answer; the SDK has to ask for the next ones."""


@dataclass
class AzureServer:
    """What is kept, what is refused, and what was asked."""

    url: str = ""
    secrets: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    """Status, code and inner code, by the name of a secret or the path ``/kv``."""
    settings: list[dict[str, Any]] = field(default_factory=list)
    resource: str = ""
    """For whom a token has to be, as a vault says; by default it belongs to this server."""
    asked: list[tuple[str, bool]] = field(default_factory=list)
    """Each path, and whether a token came along."""

    def keep(self, key: str, value: str, label: str = "", content_type: str = "") -> None:
        """Keep a setting."""
        self.settings.append(
            {
                "etag": f"e{len(self.settings)}",
                "key": key,
                "label": label or None,
                "content_type": content_type,
                "value": value,
                "tags": {},
                "locked": False,
                "last_modified": "2026-11-18T12:00:00+00:00",
            }
        )

    def answer(self, request: Request) -> Answer:
        """Answer as the two services do."""
        path, token = urlsplit(request.path).path, request.headers.get("authorization", "")
        self.asked.append((path, token != ""))
        if path == "/kv":
            return self._list(request) if token.startswith("Bearer token-") else _json(401, {})
        if not token:
            return Answer(401, b"", {"www-authenticate": self._challenge()})
        return self._secret(path)

    def _challenge(self) -> str:
        # A vault is a host of the domain that its tokens are for; of an address on the loopback,
        # that is what stands after its first point.
        resource = self.resource or f"https://{urlsplit(self.url).netloc.partition('.')[2]}"
        tenant = "https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000"
        return f'Bearer authorization="{tenant}", resource="{resource}"'

    def _secret(self, path: str) -> Answer:
        name, _, version = path.removeprefix("/secrets/").strip("/").partition("/")
        if name in self.refusals:
            return _refusal(*self.refusals[name])
        if name not in self.secrets or version not in ("", VERSION):
            return _refusal(404, "SecretNotFound", "")
        attributes = {"enabled": True, "created": 1, "updated": 1, "recoveryLevel": "Recoverable"}
        identifier = f"{self.url}/secrets/{name}/{VERSION}"
        return _json(200, {"value": self.secrets[name], "id": identifier, "attributes": attributes})

    def _list(self, request: Request) -> Answer:
        if "/kv" in self.refusals:
            return _refusal(*self.refusals["/kv"])
        query = {name: one[0] for name, one in parse_qs(urlsplit(request.path).query).items()}
        label = None if query["label"] == "\0" else query["label"]
        prefix, start = query["key"].removesuffix("*"), int(query.get("after", 0))
        found = [
            one for one in self.settings if one["key"].startswith(prefix) and one["label"] == label
        ]
        body: dict[str, Any] = {"items": found[start : start + PAGE]}
        if found[start + PAGE :]:
            body["@nextLink"] = f"{request.path.partition('&after=')[0]}&after={start + PAGE}"
        return _json(200, body)


@contextmanager
def azure_services(tls: ssl.SSLContext) -> Iterator[AzureServer]:
    """Serve on the loopback until the block ends."""
    server = AzureServer()
    with answering(server.answer, tls) as server.url:
        yield server


def _json(status: int, body: dict[str, Any]) -> Answer:
    return Answer(status, json.dumps(body).encode(), {"content-type": "application/json"})


def _refusal(status: int, code: str, inner: str) -> Answer:
    error: dict[str, Any] = {"code": code, "message": "No."}
    return _json(status, {"error": error | ({"innererror": {"code": inner}} if inner else {})})
