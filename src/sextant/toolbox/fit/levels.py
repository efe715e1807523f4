"""How much of each tool is shown, so that all fit into a token budget. Knows no schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sextant.toolbox.fit.forms import write_form
from sextant.toolbox.fit.tokens import count_tokens
from sextant.types import Detail, Tool

_LEVELS = (Detail.SIGNATURE, Detail.TRIMMED, Detail.FULL)
_LONGEST = 50_000
"""Characters; a longer form is never shown within a budget, and need not be counted (1 MB takes the
tokenizer seconds). The longest of 527 real MCP tools has 5,253."""


@dataclass(frozen=True, slots=True)
class Form:
    """A tool at a level of detail, and how many tokens that is."""

    detail: Detail
    text: str
    tokens: int


class Forms:
    """The forms of a tool; each is written and counted when it is first wanted."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._made: dict[Detail, Form] = {}

    def at(self, detail: Detail) -> Form:
        """Return the tool at a level of detail."""
        if detail not in self._made:
            text = write_form(self._tool, detail)
            self._made[detail] = Form(detail, text, count_tokens(text))
        return self._made[detail]

    @cached_property
    def steps(self) -> tuple[Form, ...]:
        """The forms from the shortest on; one that says more in fewer tokens stands alone."""
        found: list[Form] = []
        for detail in _LEVELS:
            if detail is Detail.FULL and len(write_form(self._tool, detail)) > _LONGEST:
                break
            form = self.at(detail)
            while found and found[-1].tokens >= form.tokens:
                found.pop()
            found.append(form)
        return tuple(found)

    @property
    def least(self) -> int:
        """How many tokens the shortest form takes."""
        return self.steps[0].tokens


def choose_forms(tools: Sequence[Forms], budget: int | None) -> list[Form]:
    """Return a form for each tool, the first ones in most detail, within the budget.

    All begin in their shortest form, for which there is room; then each in turn grows by a level.
    """
    if budget is None:
        return [own.at(Detail.FULL) for own in tools]
    levels = [0] * len(tools)
    left = budget - sum(own.least for own in tools)
    for _ in _LEVELS[1:]:
        for number, own in enumerate(tools):
            steps, level = own.steps, levels[number]
            if level + 1 < len(steps):
                more = steps[level + 1].tokens - steps[level].tokens
                if more <= left:
                    levels[number] += 1
                    left -= more
    return [own.steps[level] for own, level in zip(tools, levels, strict=True)]
