"""The help of every command: flags that take no value, and examples that can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from sextant.cli import app
from tests.cli.knowledge import watched


def commands(group: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command."""
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, *path, name)
        else:
            yield (*path, name)


COMMANDS = tuple(commands(get_command(app)))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_flag_does_not_look_as_if_it_took_a_value(command: tuple[str, ...]) -> None:
    lines = watched(*command, "--help").splitlines()
    assert [line for line in lines if "<bool>" in line and "--help" not in line] == []


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_example_has_a_line_of_its_own(command: tuple[str, ...]) -> None:
    said = watched(*command, "--help").split("╭")[0].partition("Example")[2]
    for line in said.splitlines():
        if f"sextant {' '.join(command)}" in line:
            assert re.match(r"(: | *• )sextant ", line)
            assert line.count(" sextant ") == 1 + line.count("&& sextant ")
