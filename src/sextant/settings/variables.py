"""Variables of the environment that hold secrets: which there are, and how they are called."""

from __future__ import annotations

import re

HTTP_KEY_VARIABLE = "SEXTANT_HTTP_KEY"
"""The key for a model's server that has no variable of its own; never a setting."""
RETRIEVER_KEY_VARIABLE = "SEXTANT_RETRIEVER_KEY"
"""The key for a retriever of somebody else; never a setting."""
NEO4J_PASSWORD_VARIABLE = "SEXTANT_NEO4J_PASSWORD"  # noqa: S105 - the name, not the password
"""The password of the user that neo4j.user names; never a setting."""
CLIENT_SECRET_VARIABLE = "SEXTANT_CLIENT_SECRET"  # noqa: S105 - the name, not the secret
"""What proves who we are where tokens for other servers are fetched; never a setting."""
COSMOS_KEY_VARIABLE = "SEXTANT_COSMOS_KEY"
"""The key of a Cosmos DB emulator on this machine; never a setting, and never for an account."""
GUARDRAILS_KEY_VARIABLE = "SEXTANT_GUARDRAILS_KEY"
"""The key for a guardrail of somebody else; never a setting."""
ANALYTICS_KEY_VARIABLE = "SEXTANT_ANALYTICS_KEY"
"""The key for who counts events; never a setting."""
TOKEN_VARIABLE = "SEXTANT_TOKEN"  # noqa: S105 - the name, not the token
"""A token for a server of ours that a client here calls; never a setting."""
APP_INSIGHTS_VARIABLE = "APPLICATIONINSIGHTS_CONNECTION_STRING"
"""Where spans go beside a collector, by the name that all of Azure has for it."""
M365_SECRET_VARIABLE = "SEXTANT_M365_SECRET"  # noqa: S105 - the name, not the secret
"""The client secret of the bot that m365.app_id names; never a setting."""
DEPENDENCIES = ("knowledge_store", "llm_orchestration")
"""The servers that a pipeline which runs alone calls, as settings name them."""


_SERVER_SECRET = re.compile(r"SEXTANT_(?:TOOLS|CHAT_REMOTES)_[A-Z0-9_]+_(?:TOKEN|CLIENT_SECRET)")


def is_server_secret(variable: str) -> bool:
    """Whether a variable holds a secret for one server of others; none of them is a setting."""
    return _SERVER_SECRET.fullmatch(variable) is not None


def tool_server_variable(server: str, variable: str) -> str:
    """Return the variable that holds a secret for one server of tools, by the server's name."""
    return _variable_of("TOOLS", server, variable)


def remote_variable(remote: str, variable: str) -> str:
    """Return the variable that holds a secret for one remote endpoint, by its name."""
    return _variable_of("CHAT_REMOTES", remote, variable)


def _variable_of(kind: str, name: str, variable: str) -> str:
    own = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return variable.replace("SEXTANT_", f"SEXTANT_{kind}_{own}_")


def own_variable(dependency: str, variable: str) -> str:
    """Return the variable that holds for one of the servers what another holds for both."""
    return variable.replace("SEXTANT_", f"SEXTANT_{dependency.upper()}_")


def secret_variables() -> frozenset[str]:
    """Return the variables that hold secrets; none of them is a setting."""
    both = (CLIENT_SECRET_VARIABLE, TOKEN_VARIABLE)
    own = {own_variable(server, name) for server in DEPENDENCIES for name in both}
    keys = (
        *(HTTP_KEY_VARIABLE, RETRIEVER_KEY_VARIABLE, NEO4J_PASSWORD_VARIABLE),
        *(GUARDRAILS_KEY_VARIABLE, ANALYTICS_KEY_VARIABLE),
        *(COSMOS_KEY_VARIABLE, M365_SECRET_VARIABLE),
    )
    return frozenset({*keys, *both, *own})
