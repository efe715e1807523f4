"""What the conformance suite examines and our server does not offer: each with the reason.

A key is a scenario, or one check of it as ``scenario:check``; all others have to pass.
"""

from __future__ import annotations

from collections.abc import Mapping

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")

_LOGGING = "We send no log messages to clients and declare no logging, which 2026-07-28 deprecates."
_ASKING = (
    "No tool of ours asks its client for anything, and requests stand alone: no way leads back."
)
_WATCHING = "We watch no resource for a client, and declare no subscriptions."
_RESUMING = "No stream is taken up again: a call that broke off is asked anew, and stops its work."
_WHOLE = "Our schemas hold no $defs: what is referred to stands in its place, as many clients need."

NOT_OFFERED: Mapping[str, str] = {
    "logging-set-level": _LOGGING,
    "tools-call-with-logging": _LOGGING,
    "tools-call-sampling": _ASKING,
    "tools-call-elicitation": _ASKING,
    "elicitation-sep1034-defaults": _ASKING,
    "elicitation-sep1330-enums": _ASKING,
    "resources-subscribe": _WATCHING,
    "resources-unsubscribe": _WATCHING,
    "server-sse-polling": _RESUMING,
    "json-schema-2020-12:json-schema-2020-12-$defs": _WHOLE,
    "json-schema-2020-12:sep-2106-anchor-keyword-preserved": _WHOLE,
}

UNEXAMINED: Mapping[str, str] = {
    "batch": "2025-03-26 alone wants servers to take several messages in one array; 2025-06-18 took"
    " that out again. The official SDK for Python refuses an array in every version, as server and"
    " as client, and so do we, with 400 and -32600: each message is a request of its own, which is"
    " let in, counted against the caller's limits and answered by itself.",
}
"""What a version that we speak wants, we do not offer and no scenario examines: by the word that
its name would hold."""

EXTENSIONS: Mapping[str, str] = {
    "tasks-": "An extension that we do not offer: long work is a job of the REST door.",
    "sep-2640-skills-": "An extension that we do not offer: we serve knowledge, no skills.",
}
"""How the names of scenarios begin that belong to no revision, and why they are not run."""

AS_IT_IS = frozenset(
    {
        "server-initialize",
        "server-session-lifecycle",
        "server-stateless",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "caching",
        "dns-rebinding-protection",
        "http-header-validation",
        "server-sse-multiple-streams",
        "input-required-result-unsupported-methods",
    }
)
"""What needs none of the suite's own tools, so that the real server has to pass it."""

_OWN = "It needs a tool of the suite's own, which only the fixture has."
NEEDS_A_TOOL: Mapping[str, str] = {
    "server-stateless:sep-2575-server-rejects-undeclared-capability": _OWN,
    "server-stateless:sep-2575-missing-capability-http-400": _OWN,
    "server-stateless:sep-2575-http-server-no-independent-requests-on-stream": _OWN,
    "server-stateless:sep-2575-server-no-log-without-loglevel": _OWN,
}
