"""Every operation of the OpenAPI document, asked right and wrong, until there were enough cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import schemathesis
from schemathesis.engine import Status, events, from_schema
from schemathesis.engine.recorder import RecordedScenario
from schemathesis.openapi import from_dict

from tests.fuzz import checks, shaping  # noqa: F401 - it shapes what is sent
from tests.fuzz.inside import OTHERS
from tests.fuzz.outcome import Outcome
from tests.fuzz.serving import Serving

LONGEST = {"maxItems": 1_000, "maxLength": 20_000}
NONE = {"enabled": False}
STEPS = 6
LIKELY = 0.8
KNOWN = {
    "body.filter": ["tags/any(t: t eq 'ops')", "sourceType ne 'markdown'", "created lt 2026-01-01"],
    "personaId": ["sre", "support"],
}
TENANTS = {"local": ["default", "", "another"], "api-key": ["default", "", OTHERS]}
_REJECTED = ["4xx"]
_TAKEN = ["2xx", "3xx", "403", "404", "409", "412", "413", "416", "422", "431"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a round goes: with as many examples that chance finds, and whether with all borders."""

    examples: int
    is_whole: bool = True
    seed: int = 1


def ask_everything(server: Serving, cases: int, plan: Plan) -> Outcome:
    """Ask at least so many things; rounds after the first bring only what chance finds."""
    outcome = Outcome()
    while outcome.cases < cases:
        before = outcome.cases
        for event in _round(server, plan):
            _heard(outcome, event)
        assert outcome.cases > before, outcome.failures
        plan = replace(plan, is_whole=False, seed=plan.seed + 1)
    return outcome


def _round(server: Serving, plan: Plan) -> Iterator[events.EngineEvent]:
    config = schemathesis.Config.from_dict(_config(server, plan))
    document = httpx2.get(f"{server.url}/openapi.json").json()
    return iter(from_schema(from_dict(_makeable(document), config=config)).execute())


def _makeable(value: Any) -> Any:
    """Leave out bounds so far off that what goes over them is only slow to make."""
    if isinstance(value, list):
        return [_makeable(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _makeable(one) for name, one in value.items() if not _is_far_off(name, one)}


def _is_far_off(name: str, value: Any) -> bool:
    return name in LONGEST and isinstance(value, int) and value > LONGEST[name]


def _heard(outcome: Outcome, event: events.EngineEvent) -> None:
    match event:
        case events.ScenarioFinished():
            _count(outcome, event.recorder)
            outcome.failures += _failed(event.recorder)
        case events.NonFatalError():
            outcome.failures.append(f"{event.label}: {event.info.format()}")
        case events.FatalError():
            outcome.failures.append(repr(event.exception))
        case events.EngineFinished():
            outcome.failures += [str(failure) for failure in event.failures]


def _count(outcome: Outcome, scenario: RecordedScenario) -> None:
    for name, interaction in scenario.interactions.items():
        if interaction.response is not None:
            label = scenario.cases[name].value.operation.label
            outcome.note(label, interaction.response.status_code)


def _failed(scenario: RecordedScenario) -> Iterator[str]:
    for name, nodes in scenario.checks.items():
        for node in nodes:
            if node.status == Status.SUCCESS:
                continue
            if not (info := node.failure_info):
                yield f"{scenario.label}: {node.name}: {node.status}"
                continue
            reply = scenario.interactions[info.failure.case_id or name].response
            told = f"{reply.status_code} {reply.content[:500]!r}" if reply else ""
            said = f"{info.failure.title}: {info.failure.message}"
            yield f"{scenario.label}: {node.name}: {said}\n{told}\n{info.code_sample}"[:4_000]


def _config(server: Serving, plan: Plan) -> dict[str, Any]:
    known = {**KNOWN, "tenantId": TENANTS[server.auth]}
    return {
        "seed": plan.seed,
        "base-url": server.url,
        "headers": {"Authorization": f"Bearer {server.token}"},
        "continue-on-failure": True,
        "request-timeout": 60,
        "cache": {"enabled": False},
        "suppress-health-check": ["all"],
        "generation": {
            "mode": "all",
            "max-examples": plan.examples,
            "deterministic": True,
            "database": "none",
            "no-shrink": True,
        },
        "checks": {
            "negative_data_rejection": {"expected-statuses": _REJECTED},
            "positive_data_acceptance": {"expected-statuses": _TAKEN},
            checks.NothingOfTheInside.__name__: {"folder": str(server.folder)},
        },
        # A job that is cancelled can still be read.
        "operations": [{"include-path-regex": "^/api/jobs", "checks": {"use_after_free": NONE}}],
        "phases": {
            "examples": {"enabled": plan.is_whole},
            "coverage": {"enabled": plan.is_whole},
            "stateful": {"max-steps": STEPS},
        },
        "dictionaries": {_plain(name): {"values": values} for name, values in known.items()},
        "parameters": {name: {"dictionary": _plain(name), "probability": LIKELY} for name in known},
    }


def _plain(name: str) -> str:
    return name.replace(".", "_")
