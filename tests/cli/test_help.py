"""The help of every command: flags that take no value, and examples that can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from sextant.cli import commands
from tests.cli.knowledge import watched


def words(commands: dict[str, Any], *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command."""
    for name, one in commands.items():
        if hasattr(one, "commands"):
            yield from words(one.commands, *path, name)
        else:
            yield (*path, name)


LOADED = {name: commands.load(name) for name in commands.COMMANDS}
COMMANDS = tuple(words(LOADED))


@pytest.mark.parametrize("name", LOADED)
def test_the_list_of_commands_says_what_the_command_says_of_itself(name: str) -> None:
    first = LOADED[name].help.split("\n\n")[0]
    assert commands.COMMANDS[name].summary == " ".join(first.split())


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
