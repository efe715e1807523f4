"""The shortest way through the toolbox: import tools, select the few that a request needs, learn.

Runs offline with no key, on the tools that come with the package. What it stores goes into a new
folder that is gone afterwards.
"""

from __future__ import annotations

import asyncio
import tempfile

from rich.console import Console
from rich.markup import escape

from sextant import (
    Scope,
    Settings,
    Sextant,
    ToolRequest,
    ToolUse,
    UsedTool,
    open_sextant,
    sample_tools,
)

SCOPE = Scope("demo")
REQUEST = "open a PR for the fix and tell the team"
BUDGET = 600
console = Console()


async def import_tools(sextant: Sextant) -> None:
    """Take in the bundled catalogue: GitHub, GitLab, Jira, Slack and Teams."""
    with console.status("Importing the bundled tools"):
        (report,) = await sextant.toolbox.import_tools(SCOPE, [sample_tools()])
    console.print(f"Imported {len(report.added)} tools, {report.relations.added} relations.")


async def select(sextant: Sextant) -> None:
    """Show the tools in the order of use, each with its reason, within a token budget."""
    found = await sextant.toolbox.select(SCOPE, ToolRequest(REQUEST, token_budget=BUDGET))
    console.print(f"\n[bold]{REQUEST}[/bold]\n")
    for number, one in enumerate(found.tools, 1):
        why = escape(" ".join(one.reasons))
        console.print(f"{number}. [cyan]{escape(one.tool.id)}[/cyan]  {why}", highlight=False)
    console.print(f"{len(found.tools)} tools, {found.tokens} of {BUDGET} tokens")


async def learn(sextant: Sextant) -> None:
    """Record what this team calls for such a request, and select again."""
    used = [UsedTool(one) for one in ("github.createPullRequest", "slack.sendMessage")]
    uses = [ToolUse(f"use-{at}", tuple(used), REQUEST) for at in range(3)]
    await sextant.toolbox.record_uses(SCOPE, uses)
    console.print("\n[bold]The same after three uses[/bold]")
    await select(sextant)


async def main() -> None:
    """Tell the whole story in order."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=f"sqlite:{folder}/store")
        async with await open_sextant(settings) as sextant:
            await import_tools(sextant)
            await select(sextant)
            await learn(sextant)


if __name__ == "__main__":
    asyncio.run(main())
