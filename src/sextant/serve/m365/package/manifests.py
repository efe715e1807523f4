"""The manifests of an app package: the app's own, and those of a declarative agent and its plugin.

Each is as its published schema has it; `checking` proves that.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from sextant.serve.m365.package.app import ACCENT, App
from sextant.serve.mcp.schemas import input_schema
from sextant.serve.mcp.tools.graph import EntityLookup, GraphExpansion, GraphRagQuery

MANIFEST, AGENT, PLUGIN = "manifest.json", "declarativeAgent.json", "plugin.json"
COLOR, OUTLINE = "color.png", "outline.png"
_SHORT = "Answers from your organisation's documents, with sources."
_FULL = (
    "Ask a question in your own words: who owns something, what depends on it, what to do when it "
    "fails. The answer comes from your organisation's documents, and links what it rests on."
)
_DISCLAIMER = "Answers are put together by a program. Check the sources that they link."
_INSTRUCTIONS = (
    "Answer questions about the organisation's services, processes, teams and documents with the "
    "tool graphrag_query, and no other source. Give the answer as the tool gives it, with its "
    "citations. Use entity_lookup for who or what something is, and graph_expansion for what is "
    "related to it. If the tool says that nothing is known, say so; never fill in from elsewhere."
)
_TOOLS: dict[str, tuple[str, type[BaseModel]]] = {
    "graphrag_query": (
        "Answers a question from the organisation's documents, with citations.",
        GraphRagQuery,
    ),
    "entity_lookup": (
        "Says what is known of a person, team, service, process or document.",
        EntityLookup,
    ),
    "graph_expansion": (
        "Lists what is related to some entities, and by what evidence.",
        GraphExpansion,
    ),
}
_MOST_STARTERS = 12
_LONGEST_TITLE = 128


def app_manifest(app: App, *, is_declarative: bool) -> dict[str, Any]:
    """Return the app's manifest: of a bot as custom engine agent, or of a declarative agent."""
    schema = "https://developer.microsoft.com/json-schemas/teams/v1.24/MicrosoftTeams.schema.json"
    common = {
        "$schema": schema,
        "manifestVersion": "1.24",
        "version": app.version,
        "id": app.id,
        "developer": {
            "name": app.developer,
            "websiteUrl": app.home,
            "privacyUrl": app.privacy or app.home,
            "termsOfUseUrl": app.terms or app.home,
        },
        "name": {"short": app.name, "full": app.name},
        "description": {"short": _SHORT, "full": _FULL},
        "icons": {"color": COLOR, "outline": OUTLINE},
        "accentColor": ACCENT,
        "validDomains": [app.host],
    }
    if is_declarative:
        agents = {"declarativeAgents": [{"id": "sextant", "file": AGENT}]}
        return {**common, "copilotAgents": agents}
    disclaimer = {"text": _DISCLAIMER}
    engine = {"id": app.id, "type": "bot", "disclaimer": disclaimer}
    return {**common, "bots": [_bot(app)], "copilotAgents": {"customEngineAgents": [engine]}}


def agent_manifest(app: App) -> dict[str, Any]:
    """Return the manifest of the declarative agent."""
    agent: dict[str, Any] = {
        "$schema": "https://developer.microsoft.com/json-schemas/copilot/declarative-agent/v1.6/"
        "schema.json",
        "version": "v1.6",
        "name": app.name,
        "description": _FULL,
        "instructions": _INSTRUCTIONS,
        "actions": [{"id": "sextant", "file": PLUGIN}],
    }
    starters = [{"text": one} for one in app.examples[:_MOST_STARTERS]]
    return {**agent, "conversation_starters": starters} if starters else agent


def plugin_manifest(app: App) -> dict[str, Any]:
    """Return the manifest of the plugin: our MCP server, and the tools of it that are used."""
    auth = {"type": "None"}
    if app.oauth_reference:
        auth = {"type": "OAuthPluginVault", "reference_id": app.oauth_reference}
    return {
        "$schema": "https://developer.microsoft.com/json-schemas/copilot/plugin/v2.4/schema.json",
        "schema_version": "v2.4",
        "name_for_human": app.name,
        "namespace": "sextant",
        "description_for_human": _SHORT,
        "description_for_model": _FULL,
        "functions": [{"name": name, "description": said} for name, (said, _) in _TOOLS.items()],
        "runtimes": [
            {
                "type": "RemoteMCPServer",
                "auth": auth,
                "run_for_functions": list(_TOOLS),
                "spec": {
                    "url": f"{app.url.rstrip('/')}/mcp",
                    # Without them the schema takes the address for one of an OpenAPI file.
                    "mcp_tool_description": {"tools": _tools()},
                },
            }
        ],
    }


def _tools() -> list[dict[str, Any]]:
    """Return the tools of the plugin as our MCP server lists them."""
    return [
        {"name": name, "description": said, "inputSchema": input_schema(takes, {})}
        for name, (said, takes) in _TOOLS.items()
    ]


def _bot(app: App) -> dict[str, Any]:
    scopes = ["personal", "team", "groupChat"]
    bot: dict[str, Any] = {
        "botId": app.id,
        "scopes": [*scopes, "copilot"],
        "supportsFiles": False,
        "isNotificationOnly": False,
    }
    commands = [{"title": one[:_LONGEST_TITLE], "description": one} for one in app.examples]
    lists = [{"scopes": ["copilot", "personal"], "commands": commands[:_MOST_STARTERS]}]
    return {**bot, "commandLists": lists} if commands else bot
