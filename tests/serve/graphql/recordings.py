"""What was recorded from CopilotKit itself: its schema, its documents, its Node runtime's replies.

The documents are those of eleven releases of `@copilotkit/runtime-client-gql`, MIT licence.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "recorded"


@cache
def client_documents() -> dict[str, dict[str, str]]:
    """Return the documents of each release, by the name of their operation."""
    told: dict[str, dict[str, str]] = json.loads(_read("client_documents.json"))
    return told


@cache
def node_runtime() -> dict[str, Any]:
    """Return what the Node runtime replied in each case, and the queries that the client sent."""
    told: dict[str, Any] = json.loads(_read("node_runtime.json"))
    return told


def recorded_schema() -> str:
    """Return the schema as the Node runtime tells of it."""
    return _read("schema.graphql")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
