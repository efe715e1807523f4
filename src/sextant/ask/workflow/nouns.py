"""What a workflow is once it is loaded, and the order of its steps. Knows no file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant.types import Schema

STEPS = ("intent-router", "query-plan", "retriever", "rerank", "evidence", "answer")
"""The order is the code's: `ask/flow.py` walks it, and a file can only repeat it."""

RETRIEVER = "retriever"
OWN_RETRIEVER = "sextant"
NO_FALLBACK = "none"
SHIPPED = "shipped"


@dataclass(frozen=True, slots=True)
class WorkflowLimits:
    """How much each step may hand on, and the seconds for all of them together."""

    queries: int = 3
    retrieved: int = 20
    selected: int = 8
    missing: int = 3
    followups: int = 3
    seconds: float = 180.0


@dataclass(frozen=True, slots=True)
class Agent:
    """One step: what its model is told, which model that is, and how it must reply.

    No model means the configured one, and ``none`` that the step is done without. The retriever
    calls no model: it has neither instructions nor tokens. Its fallback says who answers where it
    fails: nobody, or the own store. The label and the connection of an MCP server say whose it is
    and whose key opens it, where a workflow that was imported has them.
    """

    name: str
    version: int
    instructions: str
    model: str
    schema: Schema
    temperature: float
    max_tokens: int
    seconds: float
    retriever: str = OWN_RETRIEVER
    fallback: str = NO_FALLBACK
    server_label: str = ""
    project_connection_id: str = ""
    description: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Workflow:
    """All steps by name, in their order; origins tells of each file whose it is."""

    name: str
    version: int
    max_retries: int
    limits: WorkflowLimits
    agents: Mapping[str, Agent]
    description: str = ""
    origins: Mapping[str, str] = field(default_factory=dict)
