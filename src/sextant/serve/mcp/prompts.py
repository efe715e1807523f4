"""Prompts that people pick from a menu: each tells a model which of our tools to use, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptResult,
    ListPromptsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class _Written:
    """A prompt of ours; its text has a place for its one argument."""

    name: str
    title: str
    description: str
    argument: str
    asks: str
    text: str


_PROMPTS = (
    _Written(
        "grounded_answer",
        "Answer from our documents",
        "Answers a question from the knowledge base, with citations, or says what is missing.",
        "question",
        "What you want to know.",
        "Call graphrag_query with this question and answer from its reply alone. Keep the labels "
        "of its citations in the text and list the sources with their addresses below it. Where "
        "the reply says that something is not known, say so and suggest what to ask next.\n\n"
        "Question: {question}",
    ),
    _Written(
        "impact_analysis",
        "What breaks if this fails?",
        "Follows dependencies to tell what a failure or a change of something would affect.",
        "entity",
        "A service, a system, a process: by its name.",
        "Find out what a failure of {entity} would affect. Look it up with entity_lookup, then "
        "call graph_expansion with two hops and direction in for the kinds depends_on, uses and "
        "calls, or for all kinds if there are none. Ask graphrag_query who is to be told and what "
        "to do first. Report what is affected directly, what indirectly, and who owns each, with "
        "the sentence or citation that says so. Do not add what no tool said.",
    ),
    _Written(
        "who_owns",
        "Who owns this?",
        "Finds the team or person that is responsible for something, with the evidence.",
        "entity",
        "What you want the owner of: by its name.",
        "Find out who owns {entity}. Call entity_lookup with its name and look for relations and "
        "metadata that say owner, maintainer or on call; if there are none, ask graphrag_query. "
        "Answer with the owner, how to reach them if it is known, and the sentence that says so.",
    ),
)


def listed() -> ListPromptsResult:
    """Return the prompts that there are."""
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=one.name,
                title=one.title,
                description=one.description,
                arguments=[PromptArgument(name=one.argument, description=one.asks, required=True)],
            )
            for one in _PROMPTS
        ]
    )


def written(name: str, arguments: Mapping[str, str] | None) -> GetPromptResult:
    """Return a prompt with its argument in it."""
    one = next((one for one in _PROMPTS if one.name == name), None)
    if one is None:
        raise MCPError(INVALID_PARAMS, f"There is no prompt {name[:80]!r}.")
    value = (arguments or {}).get(one.argument, "").strip()
    if not value or len(value) > _LONGEST:
        raise MCPError(
            INVALID_PARAMS, f"{one.argument} is text of up to {_LONGEST:,} characters, not blank."
        )
    message = PromptMessage(
        role="user", content=TextContent(text=one.text.replace(f"{{{one.argument}}}", value))
    )
    return GetPromptResult(description=one.description, messages=[message])
