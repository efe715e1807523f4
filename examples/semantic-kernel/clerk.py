"""A Semantic Kernel agent that adds numbers, as a remote of Sextant: python clerk.py PORT."""

from __future__ import annotations

import sys
from typing import Annotated

import uvicorn
from bridge import endpoint
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import KernelArguments, kernel_function
from starlette.applications import Starlette


class Sums:
    """What it can do itself."""

    @kernel_function(description="Add two numbers.")
    def add(
        self,
        first: Annotated[int, "the first number"],
        second: Annotated[int, "the second number"],
        arguments: Annotated[KernelArguments | None, {"include_in_function_choices": False}] = None,
    ) -> int:
        """Add two numbers, and keep the sum in the state of the agent."""
        if arguments is not None and "state" in arguments:
            arguments["state"]["sum"] = first + second
        return first + second


def clerk() -> Starlette:
    """Return the agent behind its endpoint; its model is the one that OPENAI_* variables name."""
    agent = ChatCompletionAgent(
        service=OpenAIChatCompletion(),
        name="clerk",
        description="Adds numbers.",
        instructions="You add numbers by calling add.",
        plugins=[Sums()],
    )
    return endpoint(agent)


if __name__ == "__main__":
    uvicorn.run(clerk(), port=int(sys.argv[1]))
