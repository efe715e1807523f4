"""Whom a copilot asks beside its models: guardrails, as the settings name them."""

from __future__ import annotations

from sextant.build.adapters import find_adapter
from sextant.chat.links import CopilotLinks
from sextant.ports import Embedder, Guardrail
from sextant.settings import Settings


def open_copilot_links(settings: Settings, embedder: Embedder) -> CopilotLinks:
    """Open what the settings name; nobody is asked before the first run."""
    services = settings.guardrails.services
    return CopilotLinks(tuple(_guardrail(one, settings, embedder) for one in services))


def _guardrail(choice: str, settings: Settings, embedder: Embedder) -> Guardrail:
    opener, rest = find_adapter("guardrail", choice)
    guardrail: Guardrail = opener(rest, settings, embedder)
    return guardrail
