"""`python -m tests.fuzz`: as many cases as are wanted, over every operation, tool and reader."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fuzz.files import send_files
from tests.fuzz.mcp import call_everything
from tests.fuzz.openapi import Plan, ask_everything
from tests.fuzz.outcome import Outcome
from tests.fuzz.serving import Serving, serving

EXAMPLES = 60
_MOST_SHOWN = 20


def main() -> None:
    """Ask, and tell how many cases there were and what failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "--cases", type=int, default=20_000, help="of REST; of MCP a tenth, of files a twentieth"
    )
    parser.add_argument("--seed", type=int, default=1, help="where chance begins")
    given = parser.parse_args()
    outcomes = list(_outcomes(given.cases, given.seed))
    cases = sum(outcome.cases for outcome in outcomes)
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    for failure in failures[:_MOST_SHOWN]:
        _say(f"\n{failure}")
    _say(f"{cases} cases, {len(failures)} failures")
    sys.exit(bool(failures))


def _outcomes(cases: int, seed: int) -> Iterator[Outcome]:
    """Yield what came of asking as whoever runs the server, as a tenant of it, and of files."""
    with _fresh("local") as server:
        plan = Plan(EXAMPLES, seed=seed)
        yield _told("REST with every role", server, ask_everything(server, cases * 9 // 10, plan))
        yield _told("MCP", server, call_everything(server, cases // 10, seed))
    with _fresh("api-key") as server:
        plan = Plan(EXAMPLES, is_whole=False, seed=seed)
        yield _told("REST with a key", server, ask_everything(server, cases // 10, plan))
    with _fresh("local") as server:
        yield _told("Files", server, send_files(server, cases // 20, seed))


@contextmanager
def _fresh(auth: str) -> Iterator[Serving]:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), auth) as server:
        yield server


def _told(what: str, server: Serving, outcome: Outcome) -> Outcome:
    """Say how it went; what the server complained of is a failure too."""
    if server.log:
        outcome.failures.append(f"The server's log: {server.log[-4_000:]}")
    _say(f"{what}: {outcome.cases} cases, {len(outcome.failures)} failures")
    return outcome


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
